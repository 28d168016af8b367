// Hints that a cache line will be needed soon, and how far ahead to give them.
//
// Usable from any thread; holds no state.
// 1. A hint reads and writes nothing that the program can see and may name any address.
// 2. The distances are per-target constants, found by measurement; change them here only.
//
//     std::array<std::uint64_t, 1024> sums{};
//     for (std::size_t i = 0; i < sums.size(); ++i) {
//       if (i + 64 < sums.size()) prefetch_for_write(&sums[i + 64]);
//       sums[i] += i;
//     }
#pragma once

#include <cstddef>

#include "spillway/core/config.hpp"

namespace spillway {

/// Lines that a ring's producer asks for ahead of the slot it writes.
inline constexpr std::size_t prefetch_write_lines = 8;

/// Lines that a ring's consumer asks for ahead of the slot it reads.
inline constexpr std::size_t prefetch_read_lines = 4;

/// Asks for the line of `p` in the state that a store needs, so that the store does not wait for another processor to give it up.
SPILLWAY_INLINE void prefetch_for_write(const void* p) noexcept {
#if defined(__x86_64__)
  // The builtin becomes `prefetchw` only under -mprfchw; without, it fetches the line shared, which is worse than no hint.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(p)));
#elif defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(p, 1);
#endif
}

/// Asks for the line of `p` for reading.
SPILLWAY_INLINE void prefetch_for_read(const void* p) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(p, 0);
#endif
}

}  // namespace spillway
