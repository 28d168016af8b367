// Windows that each key has for itself, every one with its own contents: sessions, and windows that keep all their records.
//
// A step: owned by one stage, one thread at a time; movable until it is opened.
// 1. A window fires when the watermark reaches its last instant, and again at once for each record that comes later but within the
//    allowed lateness. It is forgotten when the watermark reaches last instant + lateness.
// 2. Windows that merge (sessions) merge first, and lateness is judged on what comes out (Flink, WindowOperator#processElement): a
//    record that touches a live session is never late. A late record is merged with nothing.
// 3. Results come in order of window end, then window start, then the arrival of the first record in the window.
// 4. A record costs constant time in the number of windows of other keys. A window has one valid element in the plan; when its end moves
//    on, the element stays and is put back when it comes up, and only a change to something earlier makes a new one.
// 5. A firing stops where an edge behind is full and goes on in `resume`; the watermark follows when it is done. What comes before that
//    completes it first.
// 6. When to fire and when to forget is decided in `after_record` and `on_due` alone: the place of triggers and evictors.
//
//     stage_context stage("count");
//     kept<window_result<void, std::uint64_t>> down;
//     using contents = aggregate_contents<reading, count>;
//     keyed_window_step<reading, no_key, no_tag, session_windows, contents> step{session(30s), {}, contents{count()}};
//     step.open(stage);
//     step.on_record(down, reading{}, timestamp(10s));
//     step.on_record(down, reading{}, timestamp(40s));                // one gap later: the same session
//     step.on_watermark(down, timestamp(70s));
//     assert(down.records.front().value == 2);
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/operators/stream.hpp"
#include "spillway/state/pool.hpp"
#include "spillway/time/time_window.hpp"
#include "spillway/windows/due_heap.hpp"
#include "spillway/windows/key_index.hpp"
#include "spillway/windows/key_windows.hpp"
#include "spillway/windows/late_record.hpp"
#include "spillway/windows/window_counts.hpp"
#include "spillway/windows/window_options.hpp"

namespace spillway {

template <class In, class Key, class Late, class Windows, class Contents>
class keyed_window_step {
  using store = key_windows<Contents>;
  using window_state = typename store::window_state;
  using windows_of_key = typename store::windows_of_key;
  static constexpr std::uint32_t none = store::none;

 public:
  static constexpr std::string_view kind = "window";

  /// Throws std::invalid_argument for a negative lateness.
  keyed_window_step(Windows windows, window_options options, Contents contents)
      : windows_(windows), options_(checked(options)), contents_(std::move(contents)) {}

  template <class Context>
  void open(Context& stage) {
    contents_.open(stage);
    counts_.open(stage);
    keys_.open(stage.memory());
    keys_.reserve(options_.expected_keys);
    states_.open(stage.memory(), contents_);
    due_.open(stage.memory());
  }

  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t)
    requires std::is_same_v<Key, no_key>
  {
    on_record(down, std::move(record), t, no_key{});
  }
  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t, const Key& key) {
    if constexpr (Windows::merging) {
      if (prolong_newest(std::move(record), t, key)) [[likely]]
        return;
    }
    on_other_record(down, std::move(record), t, key);
  }

  template <class Down>
  SPILLWAY_INLINE void on_watermark(Down& down, timestamp w) {
    if (pending_) [[unlikely]]
      finish_pending(down);
    watermark_ = w;
    if (due_.empty() || due_.top().at > w) [[likely]] {
      down.watermark(w);
    } else if (fire_due<true>(down)) {
      down.watermark(w);
    } else {
      pending_ = true;
    }
  }

  /// Goes on with a firing that met a full edge. True when nothing is left of it.
  template <class Down>
  bool resume(Down& down) {
    if (!pending_) return true;
    if (!fire_due<true>(down)) return false;
    pending_ = false;
    down.watermark(watermark_);
    return true;
  }

  void close() {
    if constexpr (Contents::discards_at_end) states_.discard_all();
    contents_.close();
  }

  const window_counts& counts() const noexcept { return counts_; }

 private:
  // The usual record of a session: its key's newest session is open, has not fired, and reaches to the record.
  SPILLWAY_INLINE bool prolong_newest(In&& record, timestamp t, const Key& key) {
    const std::uint32_t i = keys_.find(key);
    if (i == keys_.none || pending_) [[unlikely]]
      return false;
    window_state& s = states_[keys_.entry(i).newest];
    if (t < s.window.start || t > s.window.end || s.fired) [[unlikely]]
      return false;
    const time_window own = windows_.window_at(t);
    if (own.end > s.window.end) {
      s.window.end = own.end;
      s.last = own.last();
    }
    contents_.add(s.contents, std::move(record), t, ++arrivals_);
    return true;
  }

  template <class Down>
  SPILLWAY_NOINLINE void on_other_record(Down& down, In&& record, timestamp t, const Key& key) {
    if (pending_) finish_pending(down);
    if (t == no_timestamp) detail::refuse_untimed_record();
    bool taken = false;
    if constexpr (Windows::merging) {
      taken = add_merging(down, record, t, key);
    } else {
      if (windows_.pane_at(t).in_no_window() && t + options_.allowed_lateness > watermark_) {
        counts_.no_window().add();
        return;
      }
      taken = add_to_each(down, record, t, key);
    }
    if (!taken) detail::give_up_late_record<Late>(down, std::move(record), t, counts_);
  }

  bool forgotten(timestamp last) const noexcept { return last + options_.allowed_lateness <= watermark_; }

  std::uint32_t key_for(const Key& key) {
    bool inserted = false;
    const std::uint32_t i = keys_.find_or_insert(key, inserted);
    if (inserted) counts_.open_keys().set(keys_.size());
    return i;
  }

  // Newest window first, each with its own copy of the record. False if all of them are forgotten.
  template <class Down>
  bool add_to_each(Down& down, In& record, timestamp t, const Key& key) {
    const auto pane = windows_.pane_at(t);
    if (pane.in_no_window() || forgotten(windows_.last_of(pane.newest))) return false;
    const std::uint32_t k = key_for(key);
    windows_of_key& mine = keys_.entry(k);
    const std::uint64_t arrival = ++arrivals_;
    std::uint32_t newer = none;
    for (auto n = pane.newest; n >= pane.oldest && !forgotten(windows_.last_of(n)); --n) {
      const std::uint32_t i = states_.find_or_make(mine, k, newer, windows_.window(n), windows_.last_of(n), arrival);
      if (pane.oldest == pane.newest) {
        contents_.add(states_[i].contents, std::move(record), t, arrival);
      } else {
        contents_.add(states_[i].contents, std::as_const(record), t, arrival);
      }
      after_record(down, i);
      newer = i;
      if (n == pane.oldest) break;
    }
    counts_.open_windows().set(states_.size());
    return true;
  }

  // False if the record touches no live session and its own would be over.
  template <class Down>
  bool add_merging(Down& down, In& record, timestamp t, const Key& key) {
    const time_window own = windows_.window_at(t);
    std::uint32_t k = keys_.find(key);
    std::uint32_t newer = none;
    std::uint32_t i = k == keys_.none ? none : states_.find_touching(keys_.entry(k), own, newer);
    if (i == none) {
      if (forgotten(own.last())) return false;
      k = key_for(key);
      i = states_.make(keys_.entry(k), k, newer, own, own.last(), arrivals_ + 1);
    } else {
      states_.unite(keys_.entry(k), i, own);
    }
    contents_.add(states_[i].contents, std::move(record), t, ++arrivals_);
    counts_.open_windows().set(states_.size());
    after_record(down, i);
    return true;
  }

  // The default trigger: a window that is already complete fires for each record, another one waits for the watermark.
  template <class Down>
  void after_record(Down& down, std::uint32_t i) {
    window_state& s = states_[i];
    s.fired = s.last <= watermark_;
    if (s.fired) fire(down, s);
    plan(i);
  }

  // The plan of a window: its firing, then its end.
  typename store::plan_key next_step(const window_state& s) const noexcept {
    return {s.fired ? s.last + options_.allowed_lateness : s.last, s.window.start, s.first_arrival};
  }
  void plan(std::uint32_t i) {
    window_state& s = states_[i];
    const auto wanted = next_step(s);
    if (s.is_planned && !wanted.before(s.planned)) return;
    s.planned = wanted;
    s.is_planned = true;
    due_.push({wanted, i});
  }

  template <class Down>
  SPILLWAY_COLD void finish_pending(Down& down) {
    fire_due<false>(down);
    pending_ = false;
    down.watermark(watermark_);
  }

  // False when it stopped at a full edge.
  template <bool MayStop, class Down>
  bool fire_due(Down& down) {
    while (!due_.empty() && due_.top().at <= watermark_) {
      if (MayStop && down.held()) return false;
      const typename store::due next = due_.top();
      due_.pop();
      if (states_.is_valid(next)) on_due(down, next.window);
    }
    return true;
  }

  template <class Down>
  void on_due(Down& down, std::uint32_t i) {
    window_state& s = states_[i];
    s.is_planned = false;
    if (s.planned.before(next_step(s))) return plan(i);
    if (!s.fired) {
      s.fired = true;
      fire(down, s);
    }
    if (forgotten(s.last)) {
      forget(i);
    } else {
      plan(i);
    }
  }

  template <class Down>
  void fire(Down& down, window_state& s) {
    counts_.fired().add();
    contents_.deliver(down, keys_.key(s.key), s.window, s.last, watermark_, s.contents);
  }

  void forget(std::uint32_t i) {
    const std::uint32_t k = states_[i].key;
    states_.remove(keys_.entry(k), i);
    counts_.open_windows().set(states_.size());
    if (keys_.entry(k).newest != none) return;
    keys_.erase(k);
    counts_.open_keys().set(keys_.size());
  }

  key_index<Key, windows_of_key> keys_;
  store states_;
  std::uint64_t arrivals_ = 0;
  timestamp watermark_ = timestamp::minimum();
  bool pending_ = false;  // a firing waits for `resume`
  Windows windows_;
  window_options options_;
  [[no_unique_address]] Contents contents_;
  due_heap<typename store::due> due_;
  window_counts counts_;
};

}  // namespace spillway
