// An operator of the tool's own, fused before the window: how far behind each record is, and how long the timed ones took.
//
// Runs in the window stage's thread; what it measured is read after the run.
// 1. "Behind" is the distance to the largest event time before the record; it says how late a late record was.
// 2. A timed record is timed from its reading to the return of the call that updates its windows.
//
//     from(read) | watermarks(...) | arrivals_operator{{}, &measured} | key_by(&tick::key) | window(...)
#pragma once

#include <chrono>
#include <cstdint>

#include "spillway/core/counter.hpp"
#include "spillway/observe/histogram.hpp"
#include "spillway/operators/operator.hpp"
#include "spillway/run/records.hpp"

namespace spillway::tool {

struct arrival_measures {
  counter records;
  histogram latency_ns;
};

struct arrivals_step {
  static constexpr std::string_view kind = "arrivals";
  arrival_measures* measured;
  timestamp largest = timestamp::minimum();
  std::uint64_t records = 0;

  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, tick&& record, timestamp t) {
    ++records;
    if (t > largest) largest = t;
    const std::int64_t read_at = record.clock_ns;
    record.clock_ns = (largest - t).count();
    down.emit(std::move(record), t);
    if (read_at != 0) [[unlikely]]
      time(read_at);
  }
  void on_idle() { measured->records.set(records); }
  void close() { measured->records.set(records); }

 private:
  SPILLWAY_NOINLINE void time(std::int64_t read_at) {
    const std::int64_t took = std::chrono::steady_clock::now().time_since_epoch().count() - read_at;
    measured->latency_ns.record(static_cast<std::uint64_t>(took > 0 ? took : 0));
    measured->records.set(records);
  }
};

struct arrivals_operator : operator_base {
  arrival_measures* measured;

  using emits = tag_list<>;
  template <class S>
  static constexpr bool accepts = std::is_same_v<typename S::record, tick>;
  template <class S>
  static constexpr void refuse() {
    static_assert(detail::never<S>, "spillway: arrivals measures ticks");
  }
  template <class S>
  using output = typename S::kept;
  template <class S>
  arrivals_step lower() && {
    return {measured};
  }
};

}  // namespace spillway::tool
