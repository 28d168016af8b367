// The clocks that a pipeline can run by, behind one concept: `now()` as a timestamp.
//
// 1. Every clock counts nanoseconds since 1970-01-01 UTC. The monotonic and the tsc clock take the date from the system clock when they
//    are made and then never go back, even if the system clock is set.
// 2. `now()` may be called from any thread. A clock does not throw, allocate or wait once it is made.
// 3. Event time needs no clock: clocks serve processing time, idleness and measurements only.
//
//     template <sw::stream_clock Clock>
//     sw::timestamp deadline(const Clock& clock) {
//       return clock.now() + 5s;
//     }
//
//     assert(deadline(sw::manual_clock(sw::timestamp(2s))) == sw::timestamp(7s));
//     assert(deadline(sw::monotonic_clock()) > sw::timestamp(5s));
#pragma once

#include <concepts>

#include "spillway/time/manual_clock.hpp"
#include "spillway/time/monotonic_clock.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/time/tsc_clock.hpp"

namespace spillway {

template <class Clock>
concept stream_clock = requires(const Clock& clock) {
  { clock.now() } noexcept -> std::same_as<timestamp>;
};

static_assert(stream_clock<monotonic_clock> && stream_clock<tsc_clock> && stream_clock<manual_clock>);

}  // namespace spillway
