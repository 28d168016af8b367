// The largest value of a field.
//
// 1. The result has the field's type, which is a number or anything else with `<` that is trivially copyable.
// 2. NaN never replaces a number; a window of nothing but NaN gives minus infinity.
//
//     auto highest = collect(readings({30, 40, 20}) | sw::window(sw::tumbling(1s)) | sw::aggregate(sw::maximum(&reading::celsius)));
//     assert(highest.front().value == 40);
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/aggregates/field.hpp"

namespace spillway {

/// For numbers the empty value is the one that every other number replaces, so that `add` is one comparison.
template <class T>
struct maximum_accumulator {
  T value = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();

  SPILLWAY_INLINE void take(const T& other) noexcept {
    if (value < other) value = other;
  }
};

template <class T>
  requires(!std::is_arithmetic_v<T>)
struct maximum_accumulator<T> {
  T value{};
  bool any = false;

  SPILLWAY_INLINE void take(const T& other) {
    if (!any || value < other) value = other;
    any = true;
  }
  SPILLWAY_INLINE void take(const maximum_accumulator& other) {
    if (other.any) take(other.value);
  }
};

template <class Field>
class maximum {
 public:
  template <class In>
  using accumulator = detail::with_field<Field, In, maximum_accumulator<field_value<Field, In>>>;
  template <class In>
  using result = detail::with_field<Field, In, field_value<Field, In>>;

  constexpr explicit maximum(Field field) : field_(std::move(field)) {}

  template <class In>
  SPILLWAY_INLINE void add(accumulator<In>& into, const In& r, timestamp, std::uint64_t) const {
    into.take(read_field(field_, r));
  }
  template <class In>
  SPILLWAY_INLINE void merge(accumulator<In>& into, const accumulator<In>& from) const {
    if constexpr (std::is_arithmetic_v<result<In>>) {
      into.take(from.value);
    } else {
      into.take(from);
    }
  }
  template <class In>
  SPILLWAY_INLINE result<In> get(const accumulator<In>& from) const {
    return from.value;
  }

 private:
  [[no_unique_address]] Field field_;
};

}  // namespace spillway
