// Adds up a field.
//
// 1. Floating-point fields add up as double, in order of arrival within a pane, by plain addition.
// 2. Signed integers add up as std::int64_t, unsigned ones and bool as std::uint64_t. Overflow wraps in two's complement, as a Java long does:
//    saturating would make the result depend on the order of merges.
//
//     auto sums = collect(readings({20, 30, 40}) | sw::window(sw::tumbling(1s)) | sw::aggregate(sw::sum(&reading::celsius)));
//     assert(sums.front().value == 90);
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/aggregates/field.hpp"

namespace spillway {

/// The type in which numbers of type `T` add up.
template <class T>
using sum_value =
    std::conditional_t<std::is_floating_point_v<T>, double, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class T>
struct sum_accumulator {
  T total{};

  SPILLWAY_INLINE void add(T value) noexcept {
    if constexpr (std::is_floating_point_v<T>) {
      total += value;
    } else {
      total = static_cast<T>(static_cast<std::uint64_t>(total) + static_cast<std::uint64_t>(value));
    }
  }
};

template <class Field>
class sum {
 public:
  template <class In>
  using accumulator = detail::with_number<Field, In, sum_accumulator<sum_value<field_value<Field, In>>>>;
  template <class In>
  using result = detail::with_number<Field, In, sum_value<field_value<Field, In>>>;

  constexpr explicit sum(Field field) : field_(std::move(field)) {}

  template <class In>
  SPILLWAY_INLINE void add(accumulator<In>& into, const In& r, timestamp, std::uint64_t) const {
    into.add(static_cast<result<In>>(read_field(field_, r)));
  }
  template <class In>
  SPILLWAY_INLINE void merge(accumulator<In>& into, const accumulator<In>& from) const noexcept {
    into.add(from.total);
  }
  template <class In>
  SPILLWAY_INLINE result<In> get(const accumulator<In>& from) const noexcept {
    return from.total;
  }

 private:
  [[no_unique_address]] Field field_;
};

}  // namespace spillway
