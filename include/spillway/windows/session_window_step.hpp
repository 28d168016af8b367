// Sessions with an aggregate.
//
// 1. See keyed_window_step.hpp: windows that merge, each key for itself, with one accumulator per session.
//
//     stage_context stage("count");
//     kept<window_result<void, std::uint64_t>> down;
//     session_window_step<reading, no_key, no_tag, count> step{session(30s), {.allowed_lateness = 5s}, count()};
//     step.open(stage);
//     step.on_record(down, reading{}, timestamp(10s));
//     step.on_watermark(down, timestamp(40s));
//     assert(down.records.front().window.end == timestamp(40s));
#pragma once

#include "spillway/windows/aggregate_contents.hpp"
#include "spillway/windows/keyed_window_step.hpp"
#include "spillway/windows/session_windows.hpp"

namespace spillway {

template <class In, class Key, class Late, class Aggregate>
class session_window_step : public keyed_window_step<In, Key, Late, session_windows, aggregate_contents<In, Aggregate>> {
  using base = keyed_window_step<In, Key, Late, session_windows, aggregate_contents<In, Aggregate>>;

 public:
  using result = window_result_of<Key, typename aggregate_contents<In, Aggregate>::value>;

  /// Throws std::invalid_argument for a negative lateness.
  session_window_step(session_windows windows, window_options options, Aggregate aggregate)
      : base(windows, options, aggregate_contents<In, Aggregate>(std::move(aggregate))) {}
};

}  // namespace spillway
