// The watermark generator for records that come out of order by at most a known bound.
//
// A value owned by one stage. 1. The candidate is the largest timestamp so far - bound - 1 ns, saturating; it never goes back. A record that is
// exactly `bound` behind the largest one is therefore never below the watermark.
// 2. Before the first record, and after records without timestamp only, it is `timestamp::minimum()`.
//
//     sw::bounded_out_of_orderness generator(50ms);
//     assert(generator.on_record(reading{}, sw::timestamp(2000ms)) == sw::timestamp(1950ms) - 1ns);
//     assert(generator.on_record(reading{}, sw::timestamp(1990ms)) == sw::timestamp(1950ms) - 1ns);
//     auto second = sw::watermarks(sw::bounded_out_of_orderness(50ms), &reading::at);      // behind a source of readings
#pragma once

#include <stdexcept>

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

class bounded_out_of_orderness {
 public:
  static constexpr bool subset_safe = true;

  /// Throws std::invalid_argument for a negative bound.
  constexpr explicit bounded_out_of_orderness(nanoseconds bound) : delay_ns_(saturating_add(bound.count(), 1)) {
    if (bound.count() < 0) throw std::invalid_argument("spillway: bounded_out_of_orderness got a negative bound; give 0 or more");
  }

  template <class Record>
  SPILLWAY_INLINE constexpr timestamp on_record(const Record&, timestamp t) noexcept {
    // Compared as timestamps, so that in-order streams and disordered ones take the same path: a maximum and a subtraction.
    if (t > largest_) largest_ = t;
    return timestamp{saturating_sub(largest_.ns, delay_ns_)};
  }

 private:
  timestamp largest_ = timestamp::minimum();
  std::int64_t delay_ns_;
};

}  // namespace spillway
