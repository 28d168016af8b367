// The watermark generator for records whose timestamps never go back.
//
// A value owned by one stage. 1. The candidate is the largest timestamp so far - 1 ns: records with equal timestamps are never late.
// 2. A record that goes back all the same is below the watermark, and windows treat it by their lateness rules.
//
//     sw::ascending generator;
//     assert(generator.on_record(reading{}, sw::timestamp(2s)) == sw::timestamp(2s) - 1ns);
//     assert(generator.on_record(reading{}, sw::timestamp(1s)) == sw::timestamp(2s) - 1ns);
//     auto second = sw::watermarks(sw::ascending(), &reading::at);      // behind a source of readings
#pragma once

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

class ascending {
 public:
  static constexpr bool subset_safe = true;

  template <class Record>
  SPILLWAY_INLINE constexpr timestamp on_record(const Record&, timestamp t) noexcept {
    if (t > largest_) largest_ = t;
    return timestamp{saturating_sub(largest_.ns, 1)};
  }

 private:
  timestamp largest_ = timestamp::minimum();
};

}  // namespace spillway
