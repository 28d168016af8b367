// Tumbling and sliding windows with an aggregate and the default trigger: the fast path of a stage.
//
// A step: owned by one stage, one thread at a time; movable until it is opened.
// 1. A record changes one pane of its key, however many windows it is in; windows are put together from panes when they fire.
// 2. A window fires when the watermark reaches its last instant, and again at once for each record that comes later but within the
//    allowed lateness, newest window first. It is forgotten when the watermark reaches last instant + lateness.
// 3. A record is late when all of its windows are forgotten, and, in a gap between windows, when its own time + lateness is not
//    above the watermark (Flink, WindowOperator#isWindowLate, #isElementLate). It goes to the late tag unchanged, or is counted.
// 4. Results come in order of window end, then window start, then the arrival of the key's first record in the window.
// 5. A firing stops where an edge behind is full and goes on in `resume`; the watermark follows when it is done. What comes before
//    that completes it first.
// 6. A record without a timestamp is refused with an exception.
//
//     stage_context stage("average");
//     kept<window_result<void, std::uint64_t>> down;
//     aligned_window_step<reading, no_key, no_tag, count> step{tumbling(1s), {.allowed_lateness = 200ms}, count()};
//     step.open(stage);
//     step.on_record(down, reading{"boiler", timestamp(1500ms), 70}, timestamp(1500ms));
//     step.on_watermark(down, timestamp(2s));
//     assert(down.records.front().value == 1);
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/operators/output_tag.hpp"
#include "spillway/operators/stream.hpp"
#include "spillway/windows/aggregate_contents.hpp"
#include "spillway/windows/aligned_windows.hpp"
#include "spillway/windows/key_index.hpp"
#include "spillway/windows/late_record.hpp"
#include "spillway/windows/open_windows.hpp"
#include "spillway/windows/pane_store.hpp"
#include "spillway/windows/window_counts.hpp"
#include "spillway/windows/window_options.hpp"
#include "spillway/windows/window_result.hpp"

namespace spillway {

template <class In, class Key, class Late, class Aggregate>
class aligned_window_step {
  using contents_type = aggregate_contents<In, Aggregate>;
  using accumulator = typename contents_type::contents;
  using panes_of_key = key_panes<accumulator>;
  using due = open_windows::due;

 public:
  static constexpr std::string_view kind = "window";
  using result = window_result_of<Key, typename contents_type::value>;

  /// Throws std::invalid_argument for a negative lateness.
  aligned_window_step(aligned_windows windows, window_options options, Aggregate aggregate)
      : windows_(windows),
        options_(checked(options)),
        contents_(std::move(aggregate)),
        panes_per_window_(windows.panes_per_window()) {}

  template <class Context>
  void open(Context& stage) {
    contents_.open(stage);
    counts_.open(stage);
    keys_.open(stage.memory());
    keys_.reserve(options_.expected_keys);
    panes_.open(stage.memory(), contents_);
    open_.open(stage.memory());
  }

  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t)
    requires std::is_same_v<Key, no_key>
  {
    on_record(down, std::move(record), t, no_key{});
  }
  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t, const Key& key) {
    if (settled_.holds(t)) [[likely]] {
      add_to_settled(down, std::move(record), t, key);
    } else {
      on_other_record(down, std::move(record), t, key);
    }
  }

  template <class Down>
  SPILLWAY_INLINE void on_watermark(Down& down, timestamp w) {
    if (pending_) [[unlikely]]
      finish_pending(down);
    watermark_ = w;
    if (w < open_.earliest()) [[likely]] {
      down.watermark(w);
    } else {
      on_due(down);
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

  void close() { contents_.close(); }

  const window_counts& counts() const noexcept { return counts_; }

 private:
  // A pane none of whose windows has fired, and which has a record: another record in it is taken without further questions. It never
  // starts at the smallest timestamp, which is where a new key's panes seem to start. The last two are kept, for disorder at a boundary.
  struct settled_pane {
    timestamp start;
    std::uint64_t length = 0;
    SPILLWAY_INLINE bool holds(timestamp t) const noexcept {
      return static_cast<std::uint64_t>(t.ns) - static_cast<std::uint64_t>(start.ns) < length;
    }
  };

  // Requires: settled_.holds(t).
  template <class Down>
  SPILLWAY_INLINE void add_to_settled(Down& down, In&& record, timestamp t, const Key& key) {
    std::uint32_t i = 0;
    bool inserted = false;
    panes_of_key& panes = keys_.entry_for(key, i, inserted);
    if (panes.newest_start == settled_.start) [[likely]] {
      contents_.add(panes.newest, record, t, ++arrivals_);
    } else {
      on_other_pane(down, std::move(record), t, i, inserted);
    }
  }

  timestamp forgotten_at(std::int64_t n) const noexcept { return windows_.last_of(n) + options_.allowed_lateness; }

  template <class Down>
  SPILLWAY_NOINLINE void on_other_record(Down& down, In&& record, timestamp t, const Key& key) {
    if (settled_before_.holds(t)) {
      std::swap(settled_, settled_before_);
      return add_to_settled(down, std::move(record), t, key);
    }
    if (pending_) finish_pending(down);
    if (t == no_timestamp) detail::refuse_untimed_record();
    const aligned_windows::pane pane = windows_.pane_at(t);
    if (pane.in_no_window()) return on_record_in_gap(down, std::move(record), t);
    if (forgotten_at(pane.newest) <= watermark_) return on_late_record(down, std::move(record), t);

    bool inserted = false;
    const std::uint32_t i = keys_.find_or_insert(key, inserted);
    add_to_pane(down, std::move(record), t, pane, i, inserted);
  }

  template <class Down>
  SPILLWAY_NOINLINE void on_other_pane(Down& down, In&& record, timestamp t, std::uint32_t i, bool inserted) {
    if (!inserted) {
      panes_of_key& panes = keys_.entry(i);
      if (accumulator* const older = panes_.find(panes, settled_.start)) return contents_.add(*older, record, t, ++arrivals_);
    }
    add_to_pane(down, std::move(record), t, windows_.pane_at(t), i, inserted);
  }

  // Requires: the pane's newest window is not forgotten.
  template <class Down>
  SPILLWAY_INLINE void add_to_pane(Down& down, In&& record, timestamp t, const aligned_windows::pane& pane, std::uint32_t i,
                                   bool inserted) {
    panes_of_key& panes = keys_.entry(i);
    accumulator* to = &panes.newest;
    if (inserted) {
      panes_.begin(panes, pane.start);
      counts_.open_keys().set(keys_.size());
      enter_windows(i, first_kept(pane), pane.newest);
    } else {
      const found_pane<accumulator> found = panes_.find_or_open(panes, pane.start);
      if (found.opened) enter_new_windows(i, pane, found);
      to = found.contents;
    }
    contents_.add(*to, record, t, ++arrivals_);

    if (windows_.last_of(pane.oldest) > watermark_ && pane.start != timestamp::minimum()) {
      if (settled_.start != pane.start) settled_before_ = settled_;
      settled_ = {pane.start, static_cast<std::uint64_t>(pane.end.ns) - static_cast<std::uint64_t>(pane.start.ns)};
    } else if (windows_.last_of(pane.oldest) <= watermark_) {
      fire_again(down, i, pane);
    }
  }

  // The oldest of the pane's windows that is not forgotten. Requires: the newest is not.
  std::int64_t first_kept(const aligned_windows::pane& pane) const noexcept {
    if (forgotten_at(pane.oldest) > watermark_) [[likely]]
      return pane.oldest;
    const timestamp before = watermark_ - options_.allowed_lateness;
    std::int64_t n = windows_.oldest_not_ended(before);
    while (forgotten_at(n) <= watermark_) ++n;
    return n > pane.oldest ? n : pane.oldest;
  }

  // A key is already in the windows that it shares with the panes before and after the new one.
  void enter_new_windows(std::uint32_t key, const aligned_windows::pane& pane, const found_pane<accumulator>& found) {
    std::int64_t first = first_kept(pane);
    std::int64_t last = pane.newest;
    if (panes_per_window_ > 1) {
      if (found.has_previous) {
        const std::int64_t shared = windows_.newest_begun(found.previous);
        if (shared >= last) return;
        if (shared >= first) first = shared + 1;
      }
      if (found.has_next) {
        const std::int64_t shared = windows_.oldest_not_ended(found.next);
        if (shared <= first) return;
        if (shared <= last) last = shared - 1;
      }
    }
    enter_windows(key, first, last);
  }

  // Requires: first <= last.
  void enter_windows(std::uint32_t key, std::int64_t first, std::int64_t last) {
    for (std::int64_t n = first;; ++n) {
      if (!open_.enter(n, key)) [[unlikely]]
        make_window(n, key);
      if (n == last) break;
    }
  }
  SPILLWAY_NOINLINE void make_window(std::int64_t n, std::uint32_t key) {
    const timestamp last = windows_.last_of(n);
    const bool fired = last <= watermark_;
    open_.make(n, key, fired ? last + options_.allowed_lateness : last, fired);
    counts_.open_windows().set(open_.size());
  }

  template <class Down>
  void fire_again(Down& down, std::uint32_t key, const aligned_windows::pane& pane) {
    const std::int64_t oldest = first_kept(pane);
    for (std::int64_t n = pane.newest;; --n) {
      const timestamp last = windows_.last_of(n);
      if (last <= watermark_) fire<false>(down, key, windows_.window(n), last);
      if (n == oldest) break;
    }
  }

  template <class Down>
  void on_record_in_gap(Down& down, In&& record, timestamp t) {
    if (t + options_.allowed_lateness <= watermark_) return on_late_record(down, std::move(record), t);
    counts_.no_window().add();
  }
  template <class Down>
  void on_late_record(Down& down, In&& record, timestamp t) {
    detail::give_up_late_record<Late>(down, std::move(record), t, counts_);
  }

  // InOrder: the key's windows are fired in ascending order, which makes putting panes together cheap.
  template <bool InOrder, class Down>
  SPILLWAY_INLINE void fire(Down& down, std::uint32_t key, const time_window& window, timestamp last) {
    panes_of_key& panes = keys_.entry(key);
    counts_.fired().add();
    if (panes_per_window_ == 1) {
      contents_.deliver(down, keys_.key(key), window, last, watermark_, *panes_.find(panes, window.start));
      return;
    }
    accumulator all{};
    if (InOrder && panes_per_window_ > few_panes) {
      panes_.next_total(panes, window.start, last, all);
    } else {
      panes_.total(panes, window.start, last, all);
    }
    contents_.deliver(down, keys_.key(key), window, last, watermark_, all);
    contents_.discard(all);
  }

  template <class Down>
  SPILLWAY_NOINLINE void on_due(Down& down) {
    settled_ = settled_before_ = {};
    if (fire_due<true>(down)) {
      down.watermark(watermark_);
    } else {
      pending_ = true;
    }
  }
  template <class Down>
  SPILLWAY_COLD void finish_pending(Down& down) {
    fire_due<false>(down);
    pending_ = false;
    down.watermark(watermark_);
  }

  // Fires and cleans up what is due; false when it stopped at a full edge.
  template <bool MayStop, class Down>
  bool fire_due(Down& down) {
    for (;;) {
      if (!firing_) {
        const due* next = open_.next_due(watermark_);
        if (next == nullptr) return true;
        current_ = *next;
        open_.pop_due();
        if (current_.clean_up) {
          clean_up(current_);
          continue;
        }
        firing_ = true;
        next_key_ = open_.keys(current_.window);
      }
      if (!fire_current<MayStop>(down)) return false;
      firing_ = false;
    }
  }

  template <bool MayStop, class Down>
  bool fire_current(Down& down) {
    const bool forgets = options_.allowed_lateness == nanoseconds::zero();
    const timestamp released = windows_.last_before_next(current_.number);
    const time_window window = windows_.window(current_.number);
    const timestamp last = windows_.last_of(current_.number);
    while (!next_key_.at_end()) {
      if (MayStop && down.held()) return false;
      const std::uint32_t key = next_key_.element();
      next_key_.advance();
      fire<true>(down, key, window, last);
      if (forgets) release(key, released);
    }
    if (forgets) {
      drop(current_.window);
    } else {
      open_.plan_clean_up(current_, forgotten_at(current_.number));
    }
    return true;
  }

  void clean_up(const due& gone) {
    const timestamp last = windows_.last_before_next(gone.number);
    for (open_windows::key_cursor c = open_.keys(gone.window); !c.at_end(); c.advance()) release(c.element(), last);
    drop(gone.window);
  }
  // At the smallest timestamp `last` is held, and so may be the start of a pane that newer windows still need.
  void release(std::uint32_t key, timestamp last) {
    if (last == timestamp::minimum()) return;
    if (panes_.release_until(keys_.entry(key), last)) return;
    keys_.erase(key);
    counts_.open_keys().set(keys_.size());
  }
  void drop(std::uint32_t window) {
    open_.drop(window);
    counts_.open_windows().set(open_.size());
  }

  // Up to this number of panes a plain walk is cheaper than keeping sums.
  static constexpr std::int64_t few_panes = 4;

  settled_pane settled_;
  settled_pane settled_before_;
  std::uint64_t arrivals_ = 0;
  key_index<Key, panes_of_key> keys_;
  timestamp watermark_ = timestamp::minimum();
  bool pending_ = false;  // a firing waits for `resume`
  bool firing_ = false;   // `current_` is fired up to `next_key_`
  aligned_windows windows_;
  window_options options_;
  [[no_unique_address]] contents_type contents_;
  pane_store<contents_type> panes_;
  open_windows open_;
  due current_{};
  open_windows::key_cursor next_key_;
  window_counts counts_;
  std::int64_t panes_per_window_;
};

}  // namespace spillway
