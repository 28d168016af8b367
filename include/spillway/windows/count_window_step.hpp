// Windows of n records per key.
//
// A step: owned by one stage, one thread at a time; movable until it is opened.
// 1. A key's n-th record fires its window at once; the next record begins a new one.
// 2. The result's window is the span of its records' times: both `start` (the smallest) and `end` (the largest) are times of
//    records, so unlike other windows it includes its end. The result's timestamp is timestamp::maximum() (Flink, GlobalWindow).
// 3. Time plays no part: no record is late, watermarks pass, and what is left at the end of the input never fires. `held_back` says how
//    many records that concerns.
//
//     stage_context stage("average");
//     kept<window_result<void, std::uint64_t>> down;
//     count_window_step<reading, no_key, count> step{count_of(2), {}, count()};
//     step.open(stage);
//     for (int i = 0; i < 5; ++i) step.on_record(down, reading{}, timestamp(1s));
//     assert(down.records.size() == 2 && step.held_back() == 1);
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/operators/stream.hpp"
#include "spillway/time/time_window.hpp"
#include "spillway/windows/aggregate_contents.hpp"
#include "spillway/windows/count_windows.hpp"
#include "spillway/windows/key_index.hpp"
#include "spillway/windows/window_counts.hpp"
#include "spillway/windows/window_options.hpp"
#include "spillway/windows/window_result.hpp"

namespace spillway {

/// With any kind of contents: see aggregate_contents.hpp and element_contents.hpp.
template <class In, class Key, class Contents>
class counted_window_step {
 public:
  static constexpr std::string_view kind = "window";

  /// Throws std::invalid_argument for a negative lateness, which has no other effect here.
  counted_window_step(count_windows windows, window_options options, Contents contents)
      : windows_(windows), options_(checked(options)), contents_(std::move(contents)) {}

  template <class Context>
  void open(Context& stage) {
    contents_.open(stage);
    counts_.open(stage);
    keys_.open(stage.memory());
    keys_.reserve(options_.expected_keys);
  }

  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t)
    requires std::is_same_v<Key, no_key>
  {
    on_record(down, std::move(record), t, no_key{});
  }
  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t, const Key& key) {
    std::uint32_t i = 0;
    bool inserted = false;
    unfinished& w = keys_.entry_for(key, i, inserted);
    if (inserted) [[unlikely]]
      begin(w, t);
    if (t < w.span.start) w.span.start = t;
    if (t > w.span.end) w.span.end = t;
    contents_.add(w.contents, std::move(record), t, ++arrivals_);
    if (++w.records == windows_.records()) [[unlikely]] {
      fire(down, i);
    } else {
      counts_.held_back().add();
    }
  }

  template <class Down>
  SPILLWAY_INLINE void on_watermark(Down& down, timestamp w) {
    watermark_ = w;
    down.watermark(w);
  }

  void close() {
    if constexpr (Contents::discards_at_end) {
      keys_.for_each([this](std::uint32_t i) { contents_.discard(keys_.entry(i).contents); });
    }
    contents_.close();
  }

  /// Records in windows that have not come to their number. Any thread.
  std::uint64_t held_back() const noexcept { return counts_.held_back().get(); }
  const window_counts& counts() const noexcept { return counts_; }

 private:
  struct unfinished {
    time_window span;
    std::int64_t records = 0;
    typename Contents::contents contents{};
  };

  void begin(unfinished& w, timestamp t) {
    w.span = {t, t};
    count_keys();
  }

  template <class Down>
  SPILLWAY_NOINLINE void fire(Down& down, std::uint32_t i) {
    unfinished& w = keys_.entry(i);
    counts_.fired().add();
    counts_.held_back().set(counts_.held_back().get() - static_cast<std::uint64_t>(w.records - 1));
    contents_.deliver(down, keys_.key(i), w.span, timestamp::maximum(), watermark_, w.contents);
    contents_.discard(w.contents);
    keys_.erase(i);
    count_keys();
  }
  void count_keys() {
    counts_.open_keys().set(keys_.size());
    counts_.open_windows().set(keys_.size());
  }

  key_index<Key, unfinished> keys_;
  std::uint64_t arrivals_ = 0;
  timestamp watermark_ = timestamp::minimum();
  count_windows windows_;
  window_options options_;
  [[no_unique_address]] Contents contents_;
  window_counts counts_;
};

/// With an aggregate.
template <class In, class Key, class Aggregate>
class count_window_step : public counted_window_step<In, Key, aggregate_contents<In, Aggregate>> {
 public:
  using result = window_result_of<Key, typename aggregate_contents<In, Aggregate>::value>;

  /// Throws std::invalid_argument for a negative lateness, which has no other effect here.
  count_window_step(count_windows windows, window_options options, Aggregate aggregate)
      : counted_window_step<In, Key, aggregate_contents<In, Aggregate>>(
            windows, options, aggregate_contents<In, Aggregate>(std::move(aggregate))) {}
};

}  // namespace spillway
