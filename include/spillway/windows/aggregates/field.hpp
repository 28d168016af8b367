// How an aggregate reads its number from a record: a member pointer, or any function of the record.
//
// 1. The value type is what the read gives without reference and const.
// 2. A read must not change the record; it is called once per record and aggregate.
//
//     const reading r{"boiler", timestamp(1s), 70};
//     auto fahrenheit = [](const reading& in) { return in.celsius * 1.8 + 32; };
//     static_assert(std::is_same_v<field_value<double reading::*, reading>, double>);
//     assert(read_field(&reading::celsius, r) == 70 && read_field(fahrenheit, r) == 158);
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>

#include "spillway/core/config.hpp"

namespace spillway {

template <class Field, class In>
concept field_of = std::is_invocable_v<const Field&, const In&> && !std::is_void_v<std::invoke_result_t<const Field&, const In&>>;

/// A field whose value is a number.
template <class Field, class In>
concept number_field_of =
    field_of<Field, In> && std::is_arithmetic_v<std::remove_cvref_t<std::invoke_result_t<const Field&, const In&>>>;

template <class Field, class In>
using field_value = std::remove_cvref_t<std::invoke_result_t<const Field&, const In&>>;

template <class Field, class In>
SPILLWAY_INLINE decltype(auto) read_field(const Field& field, const In& record) {
  return std::invoke(field, record);
}

namespace detail {

// Spelled as a constrained alias, so that a field that cannot be read fails in `accumulator<In>` and `result<In>`, where
// `check_aggregate` looks, and not in the body of `add`.
template <class Field, class In, class Type>
  requires field_of<Field, In>
using with_field = Type;

template <class Field, class In, class Type>
  requires number_field_of<Field, In>
using with_number = Type;

}  // namespace detail

}  // namespace spillway
