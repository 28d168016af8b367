// Compiler attributes and target constants: the only macros of spillway.
//
// Every name here is usable from any thread and holds no state.
// 1. SPILLWAY_INLINE marks the functions that a fused chain is made of; without it GCC stops inlining long chains.
// 2. SPILLWAY_COLD marks the ways out of the fast path (growth, refusal, failure).
//
//     struct total {
//       std::uint64_t sum = 0;
//       SPILLWAY_INLINE void add(std::uint64_t n) { sum += n; }      // on the fast path
//       SPILLWAY_COLD void reset() { sum = 0; }                       // off it
//     };
//
//     total bytes;
//     bytes.add(7);
//     assert(bytes.sum == 7);
#pragma once

#include <cstddef>

#if defined(__GNUC__) || defined(__clang__)
#define SPILLWAY_INLINE [[gnu::always_inline]] inline
#define SPILLWAY_COLD [[gnu::noinline, gnu::cold]]
#define SPILLWAY_NOINLINE [[gnu::noinline]]
#else
#define SPILLWAY_INLINE inline
#define SPILLWAY_COLD
#define SPILLWAY_NOINLINE
#endif

namespace spillway {

/// Bytes kept between fields that different threads write. Two 64-byte lines, since Intel fetches lines in pairs. A constant of
/// our own: `std::hardware_destructive_interference_size` changes with compiler flags and so would change layouts.
inline constexpr std::size_t destructive_distance_bytes = 128;

/// Bytes of one cache line, the unit of prefetching.
inline constexpr std::size_t cache_line_bytes = 64;

}  // namespace spillway
