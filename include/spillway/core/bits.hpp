// Arithmetic on powers of two.
//
// Pure functions, usable from any thread and at compile time.
// 1. Results are exact as long as they fit; nothing here checks for overflow.
//
//     static_assert(align_up(17u, 16u) == 32u);
//     static_assert(align_up(32u, 16u) == 32u);
#pragma once

#include <concepts>
#include <type_traits>

namespace spillway {

/// The smallest multiple of `alignment` that is not below `n`. Requires: `alignment` is a power of two.
template <std::unsigned_integral Number>
constexpr Number align_up(Number n, std::type_identity_t<Number> alignment) noexcept {
  return static_cast<Number>((n + (alignment - 1)) & ~(alignment - 1));
}

}  // namespace spillway
