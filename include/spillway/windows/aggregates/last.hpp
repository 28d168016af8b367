// The value of a field in the record that arrived last.
//
// 1. The result has the field's type, which must be trivially copyable and default constructible.
// 2. Merging compares arrival numbers, so the order of merges does not matter.
//
//     auto lasts = collect(readings({30, 20, 40}) | sw::window(sw::tumbling(1s)) | sw::aggregate(sw::last(&reading::celsius)));
//     assert(lasts.front().value == 40);
#pragma once

#include <cstdint>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/aggregates/field.hpp"

namespace spillway {

template <class T>
struct last_accumulator {
  T value{};
  std::uint64_t rank = 0;  // arrival number + 1; 0 is empty

  bool replaces(const last_accumulator& other) const noexcept { return rank > other.rank; }
};

template <class Field>
class last {
 public:
  template <class In>
  using accumulator = detail::with_field<Field, In, last_accumulator<field_value<Field, In>>>;
  template <class In>
  using result = detail::with_field<Field, In, field_value<Field, In>>;

  constexpr explicit last(Field field) : field_(std::move(field)) {}

  template <class In>
  SPILLWAY_INLINE void add(accumulator<In>& into, const In& r, timestamp, std::uint64_t arrival) const {
    into = {read_field(field_, r), arrival + 1};
  }
  template <class In>
  SPILLWAY_INLINE void merge(accumulator<In>& into, const accumulator<In>& from) const {
    if (from.replaces(into)) into = from;
  }
  template <class In>
  SPILLWAY_INLINE result<In> get(const accumulator<In>& from) const {
    return from.value;
  }

 private:
  [[no_unique_address]] Field field_;
};

}  // namespace spillway
