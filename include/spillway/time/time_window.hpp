// The span of event time that a window covers.
//
// A value type. 1. The window holds `start <= t < end`; `last()` is the largest timestamp in it and the timestamp of its result.
//
//     time_window w{timestamp(0s), timestamp(10s)};
//     w.contains(timestamp(9s));  w.last()         // 10 s - 1 ns
#pragma once

#include <compare>

#include "spillway/time/timestamp.hpp"

namespace spillway {

struct time_window {
  timestamp start;
  timestamp end;

  constexpr timestamp last() const noexcept { return end - nanoseconds{1}; }
  constexpr bool contains(timestamp t) const noexcept { return start <= t && t < end; }
  friend constexpr auto operator<=>(const time_window&, const time_window&) noexcept = default;
};

}  // namespace spillway
