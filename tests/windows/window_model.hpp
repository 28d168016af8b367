// A slow model of the window operator, straight from the rules: every window of every key with all its records. Shares nothing with the
// library but the text of its output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "window_fixture.hpp"

namespace window_test {

struct model_config {
  enum kind { aligned, session, counted } what = aligned;
  std::int64_t size = 10;
  std::int64_t slide = 10;
  std::int64_t offset = 0;
  std::int64_t gap = 5;
  std::int64_t count = 3;
  std::int64_t lateness = 0;
};

class window_model {
  __extension__ using wide = __int128;
  static constexpr wide top = std::numeric_limits<std::int64_t>::max();
  static constexpr wide bottom = std::numeric_limits<std::int64_t>::min();

  struct window {
    std::uint32_t key;
    wide start;
    wide end;
    std::vector<std::pair<int, int>> elements;  // arrival, id
    bool fired = false;
  };

 public:
  explicit window_model(const model_config& config) : config_(config) {}

  std::vector<std::string> lines;
  std::uint64_t no_window = 0;
  std::uint64_t late = 0;
  std::uint64_t held_back() const {
    std::uint64_t n = 0;
    for (const window& w : windows_) n += w.elements.size();
    return n;
  }
  std::size_t open_windows() const {
    if (config_.what != model_config::aligned) return windows_.size();
    std::set<wide> ends_and_starts;
    for (const window& w : windows_) ends_and_starts.insert(w.start);
    return ends_and_starts.size();
  }
  std::size_t windows_of_keys() const { return windows_.size(); }
  std::size_t open_keys() const {
    std::set<std::uint32_t> keys;
    for (const window& w : windows_) keys.insert(w.key);
    return keys.size();
  }

  void record(std::uint32_t key, std::int64_t t, int id) {
    if (config_.what == model_config::session) return session_record(key, t, id);
    if (config_.what == model_config::counted) return counted_record(key, t, id);
    bool assigned = false;
    bool taken = false;
    wide start = t - mod(static_cast<wide>(t) - config_.offset, config_.slide);
    for (; start > t - static_cast<wide>(config_.size); start -= config_.slide) {
      assigned = true;
      if (config_.slide == 1 && start < bottom) break;  // with a slide of one tick there are no such windows
      if (gone(start + config_.size)) continue;
      taken = true;
      window& w = find(key, start, start + config_.size);
      w.elements.emplace_back(arrival_, id);
      if (last(w.end) <= watermark_) fire(w);
    }
    ++arrival_;
    if (taken) return;
    if (assigned || clamp(static_cast<wide>(t) + config_.lateness) <= watermark_) {
      give_up(t, id);
    } else {
      ++no_window;
    }
  }

  void watermark(std::int64_t w) {
    watermark_ = w;
    if (config_.what != model_config::counted) {
      std::vector<window*> due;
      for (window& x : windows_) {
        if (!x.fired && last(x.end) <= watermark_) due.push_back(&x);
      }
      std::sort(due.begin(), due.end(), [](const window* a, const window* b) {
        return std::tuple(clamp(a->end), a->start, a->elements[0].first) <
               std::tuple(clamp(b->end), b->start, b->elements[0].first);
      });
      for (window* x : due) fire(*x);
      std::erase_if(windows_, [this](const window& x) { return gone(x.end); });
    }
    lines.push_back(watermark_line(w));
  }

 private:
  static wide mod(wide a, wide b) { return ((a % b) + b) % b; }
  static std::int64_t clamp(wide t) { return static_cast<std::int64_t>(t > top ? top : t < bottom ? bottom : t); }
  // A session that ends at the very top holds its end; an aligned window there ends one later.
  std::int64_t last(wide end) const { return config_.what == model_config::session && end >= top ? clamp(top) : clamp(end - 1); }
  bool gone(wide end) const { return clamp(static_cast<wide>(last(end)) + config_.lateness) <= watermark_; }

  window& find(std::uint32_t key, wide start, wide end) {
    for (window& w : windows_) {
      if (w.key == key && w.start == start && w.end == end) return w;
    }
    windows_.push_back({key, start, end, {}});
    return windows_.back();
  }

  void session_record(std::uint32_t key, std::int64_t t, int id) {
    window merged{key, t, std::min(static_cast<wide>(t) + config_.gap, top), {}};
    std::vector<std::size_t> touching;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      const window& w = windows_[i];
      if (w.key == key && w.start <= static_cast<wide>(t) + config_.gap && w.end >= t) touching.push_back(i);
    }
    for (std::size_t i : touching) {
      merged.start = std::min(merged.start, windows_[i].start);
      merged.end = std::max(merged.end, windows_[i].end);
      merged.elements.insert(merged.elements.end(), windows_[i].elements.begin(), windows_[i].elements.end());
    }
    const int now = arrival_++;
    if (gone(merged.end)) return give_up(t, id);
    for (auto i = touching.rbegin(); i != touching.rend(); ++i)
      windows_.erase(windows_.begin() + static_cast<std::ptrdiff_t>(*i));
    merged.elements.emplace_back(now, id);
    std::sort(merged.elements.begin(), merged.elements.end());
    windows_.push_back(merged);
    if (last(merged.end) <= watermark_) fire(windows_.back());
  }

  void counted_record(std::uint32_t key, std::int64_t t, int id) {
    auto at = std::find_if(windows_.begin(), windows_.end(), [&](const window& w) { return w.key == key; });
    if (at == windows_.end()) at = windows_.insert(windows_.end(), {key, t, t, {}});
    at->start = std::min<wide>(at->start, t);
    at->end = std::max<wide>(at->end, t);
    at->elements.emplace_back(arrival_++, id);
    if (static_cast<std::int64_t>(at->elements.size()) < config_.count) return;
    send(*at, clamp(top));
    windows_.erase(at);
  }

  void give_up(std::int64_t t, int id) {
    ++late;
    lines.push_back(late_line(id, t));
  }
  void fire(window& w) {
    w.fired = true;
    send(w, last(w.end));
  }
  void send(const window& w, std::int64_t t) {
    std::vector<int> ids;
    for (const auto& [arrival, id] : w.elements) ids.push_back(id);
    lines.push_back(row(std::to_string(w.key), {spillway::timestamp{clamp(w.start)}, spillway::timestamp{clamp(w.end)}},
                        list(ids), sw::timestamp{t}));
  }

  model_config config_;
  std::vector<window> windows_;
  std::int64_t watermark_ = clamp(bottom);
  int arrival_ = 0;
};

}  // namespace window_test
