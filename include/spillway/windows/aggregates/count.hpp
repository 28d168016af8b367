// Counts records.
//
// 1. The result is a std::uint64_t.
//
//     auto counts = collect(readings({20, 30, 40}) | sw::window(sw::tumbling(1s)) | sw::aggregate(sw::count()));
//     assert(counts.front().value == 3);
#pragma once

#include <cstdint>

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

struct count {
  template <class>
  using accumulator = std::uint64_t;
  template <class>
  using result = std::uint64_t;

  template <class In>
  SPILLWAY_INLINE void add(std::uint64_t& into, const In&, timestamp, std::uint64_t) const noexcept {
    ++into;
  }
  template <class In>
  SPILLWAY_INLINE void merge(std::uint64_t& into, const std::uint64_t& from) const noexcept {
    into += from;
  }
  template <class In>
  SPILLWAY_INLINE std::uint64_t get(const std::uint64_t& from) const noexcept {
    return from;
  }
};

}  // namespace spillway
