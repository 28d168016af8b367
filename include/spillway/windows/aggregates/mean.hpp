// The arithmetic mean of a field.
//
// 1. The result is a double: the sum, added up in double and in order of arrival within a pane, divided by the count.
//
//     auto means = collect(readings({20, 30, 40}) | sw::window(sw::tumbling(1s)) | sw::aggregate(sw::mean(&reading::celsius)));
//     assert(means.front().value == 30);
#pragma once

#include <cstdint>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/aggregates/field.hpp"

namespace spillway {

struct mean_accumulator {
  double total = 0;
  std::uint64_t records = 0;
};

template <class Field>
class mean {
 public:
  template <class In>
  using accumulator = detail::with_number<Field, In, mean_accumulator>;
  template <class In>
  using result = detail::with_number<Field, In, double>;

  constexpr explicit mean(Field field) : field_(std::move(field)) {}

  template <class In>
  SPILLWAY_INLINE void add(mean_accumulator& into, const In& r, timestamp, std::uint64_t) const {
    into.total += static_cast<double>(read_field(field_, r));
    ++into.records;
  }
  template <class In>
  SPILLWAY_INLINE void merge(mean_accumulator& into, const mean_accumulator& from) const noexcept {
    into.total += from.total;
    into.records += from.records;
  }
  template <class In>
  SPILLWAY_INLINE double get(const mean_accumulator& from) const noexcept {
    return from.total / static_cast<double>(from.records);
  }

 private:
  [[no_unique_address]] Field field_;
};

}  // namespace spillway
