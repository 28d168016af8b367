// The span of event time that a window covers.
//
// A value type. 1. The window holds `start <= t < end`; `last()` is the largest timestamp in it and the timestamp of its result.
//
//     sw::time_window w{sw::timestamp(0s), sw::timestamp(10s)};
//     assert(w.contains(sw::timestamp(9s)) && !w.contains(sw::timestamp(10s)));
//     assert(w.last() == sw::timestamp(10s) - 1ns);
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
