// Windows of a number of records per key, whatever their time.
//
// A value type.
// 1. A window fires when it has its n records and is empty again; what is left at the end of the input never fires (Flink,
//    KeyedStream#countWindow). No record is ever late for it.
//
//     auto pairs = collect(readings({20, 30, 40, 50, 60}) | sw::window(sw::count_of(2)) | sw::aggregate(sw::mean(&reading::celsius)));
//     assert(pairs.size() == 2 && pairs[0].value == 25 && pairs[1].value == 45);
#pragma once

#include <cstdint>
#include <stdexcept>

namespace spillway {

class count_windows {
 public:
  /// Requires: records >= 1, which `count_of` checks.
  constexpr explicit count_windows(std::int64_t records) noexcept : records_(records) {}

  constexpr std::int64_t records() const noexcept { return records_; }

  friend constexpr bool operator==(const count_windows&, const count_windows&) noexcept = default;

 private:
  std::int64_t records_;
};

/// Windows of `records` records per key. Throws std::invalid_argument unless records >= 1.
constexpr count_windows count_of(std::int64_t records) {
  if (records < 1) throw std::invalid_argument("spillway: count_of(records): a window needs at least 1 record");
  return count_windows{records};
}

}  // namespace spillway
