// What the tests of window steps share: a record, a downstream that writes everything down, and a stage around a step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "spillway/operators/output_tag.hpp"
#include "spillway/operators/stage_context.hpp"
#include "spillway/operators/stream.hpp"
#include "spillway/windows/window_options.hpp"
#include "spillway/windows/window_result.hpp"

namespace window_test {

namespace sw = spillway;
using std::chrono::nanoseconds;

struct item {
  std::uint32_t key = 0;
  std::int64_t time = 0;
  int id = 0;
  friend bool operator==(const item&, const item&) = default;
};

inline constexpr sw::output_tag<"late", item> late{};
using late_tag = std::remove_cvref_t<decltype(late)>;

/// One thing that came out of a step, as text: equal outputs are equal texts, and a failing test prints them.
inline std::string at(std::int64_t t) { return std::to_string(t); }
inline std::string span(const sw::time_window& w) { return "[" + at(w.start.ns) + "," + at(w.end.ns) + ")"; }
inline std::string list(const std::vector<int>& ids) {
  std::string text;
  for (int id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
  return "{" + text + "}";
}
inline std::string show(int v) { return std::to_string(v); }
inline std::string show(std::uint64_t v) { return std::to_string(v); }
inline std::string show(const std::vector<int>& v) { return list(v); }
inline std::string row(const std::string& key, const sw::time_window& w, const std::string& value, sw::timestamp t) {
  return key + (key.empty() ? "" : " ") + span(w) + " " + value + " @" + at(t.ns);
}
inline std::string late_line(int id, std::int64_t t) { return "late " + std::to_string(id) + " @" + at(t); }
inline std::string watermark_line(std::int64_t t) { return "wm " + at(t); }

/// Stands behind a step.
struct collector {
  std::vector<std::string> lines;
  std::function<bool()> is_held;

  bool held() { return is_held && is_held(); }
  template <class Key, class Value>
  void emit(sw::window_result<Key, Value>&& r, sw::timestamp t) {
    if constexpr (std::is_void_v<Key>) {
      lines.push_back(row("", r.window, show(r.value), t));
    } else if constexpr (std::is_same_v<Key, sw::text_ref>) {
      lines.push_back(row(std::string(r.key.view()), r.window, show(r.value), t));
    } else {
      lines.push_back(row(std::to_string(r.key), r.window, show(r.value), t));
    }
  }
  void emit(std::string&& text, sw::timestamp t) { lines.push_back(text + " @" + at(t.ns)); }
  template <class Tag>
  void output(Tag, item&& r, sw::timestamp t) {
    lines.push_back(late_line(r.id, t.ns));
  }
  template <class Tag>
  void output(Tag, std::string&& text, sw::timestamp t) {
    lines.push_back(std::string(Tag::name()) + " " + text + " @" + at(t.ns));
  }
  void watermark(sw::timestamp w) { lines.push_back(watermark_line(w.ns)); }

  /// What came since the last call.
  std::vector<std::string> take() { return std::exchange(lines, {}); }
};

/// An aggregate that keeps the ids of its records, in memory that has to be given back.
struct ids {
  struct held {
    std::vector<std::pair<std::uint64_t, int>> all;
  };
  struct handle {
    held* kept = nullptr;
  };
  template <class>
  using accumulator = handle;
  template <class>
  using result = std::vector<int>;

  /// Accumulators that were not discarded, and how many since the last call.
  static inline std::map<held*, std::unique_ptr<held>> alive;
  static std::size_t forget_alive() {
    const std::size_t n = alive.size();
    alive.clear();
    return n;
  }

  static held& in(handle& a) {
    if (a.kept == nullptr) {
      auto made = std::make_unique<held>();
      a.kept = made.get();
      alive.emplace(a.kept, std::move(made));
    }
    return *a.kept;
  }
  template <class In>
  void add(handle& a, const In& r, sw::timestamp, std::uint64_t arrival) const {
    in(a).all.emplace_back(arrival, r.id);
  }
  template <class In>
  void merge(handle& into, const handle& from) const {
    if (from.kept == nullptr) return;
    auto& all = in(into).all;
    all.insert(all.end(), from.kept->all.begin(), from.kept->all.end());
  }
  template <class In>
  std::vector<int> get(const handle& a) const {
    auto sorted = a.kept->all;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> all;
    for (const auto& [arrival, id] : sorted) all.push_back(id);
    return all;
  }
  template <class In>
  void discard(handle& a) const noexcept {
    if (a.kept != nullptr) alive.erase(a.kept);
    a.kept = nullptr;
  }
};

/// The sum of the ids.
struct id_sum {
  template <class>
  using accumulator = int;
  template <class>
  using result = int;
  template <class In>
  void add(int& a, const In& r, sw::timestamp, std::uint64_t) const {
    a += r.id;
  }
  template <class In>
  void merge(int& into, const int& from) const {
    into += from;
  }
  template <class In>
  int get(const int& a) const {
    return a;
  }
};

/// A step that was opened, with what stands before and behind it.
template <class Step>
struct driven {
  sw::stage_context stage{"test"};
  collector out;
  Step step;

  explicit driven(Step&& unopened) : step(std::move(unopened)) { step.open(stage); }
  template <class Windows, class Function>
  driven(Windows windows, sw::window_options options, Function function) : driven(Step(windows, options, std::move(function))) {}
  ~driven() { step.close(); }

  void record(std::uint32_t key, std::int64_t t, int id) { step.on_record(out, item{key, t, id}, sw::timestamp{t}, key); }
  void record(std::int64_t t, int id) { step.on_record(out, item{0, t, id}, sw::timestamp{t}); }
  void watermark(std::int64_t t) { step.on_watermark(out, sw::timestamp{t}); }
  void end() { step.on_watermark(out, sw::timestamp::maximum()); }
  std::vector<std::string> take() { return out.take(); }
};

using lines = std::vector<std::string>;

}  // namespace window_test
