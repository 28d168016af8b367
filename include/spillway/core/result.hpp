// Either a value or the reason why there is none: what a function hands to `try_map`.
//
// A value type.
// 1. Exactly one of `value()` and `error()` may be asked for; `operator bool` says which.
//
//     inline sw::result<int, std::string> half(int n) {
//       if (n % 2 != 0) return sw::failure{std::string("odd")};
//       return n / 2;
//     }
//
//     assert(half(8) && half(8).value() == 4);
//     assert(!half(7) && half(7).error() == "odd");
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "spillway/core/config.hpp"

namespace spillway {

/// Marks a value as the error of a `result`.
template <class E>
struct failure {
  E error;
};
template <class E>
failure(E) -> failure<E>;

template <class T, class E>
class result {
 public:
  using value_type = T;
  using error_type = E;

  result(T value) noexcept(std::is_nothrow_move_constructible_v<T>) : either_(std::in_place_index<0>, std::move(value)) {}
  template <class F>
    requires std::is_constructible_v<E, F&&>
  result(failure<F> failed) : either_(std::in_place_index<1>, std::move(failed.error)) {}

  SPILLWAY_INLINE explicit operator bool() const noexcept { return either_.index() == 0; }

  /// Requires: `*this` is true.
  SPILLWAY_INLINE T& value() noexcept { return *std::get_if<0>(&either_); }
  SPILLWAY_INLINE const T& value() const noexcept { return *std::get_if<0>(&either_); }
  /// Requires: `*this` is false.
  SPILLWAY_INLINE E& error() noexcept { return *std::get_if<1>(&either_); }
  SPILLWAY_INLINE const E& error() const noexcept { return *std::get_if<1>(&either_); }

 private:
  std::variant<T, E> either_;
};

namespace detail {
template <class>
inline constexpr bool is_result = false;
template <class T, class E>
inline constexpr bool is_result<result<T, E>> = true;
}  // namespace detail

}  // namespace spillway
