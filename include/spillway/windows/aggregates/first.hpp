// The value of a field in the record that arrived first.
//
// 1. The result has the field's type, which must be trivially copyable and default constructible.
// 2. Merging compares arrival numbers, so the order of merges does not matter.
//
//     auto firsts = collect(readings({30, 20, 40}) | sw::window(sw::tumbling(1s)) | sw::aggregate(sw::first(&reading::celsius)));
//     assert(firsts.front().value == 30);
#pragma once

#include <cstdint>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/aggregates/field.hpp"

namespace spillway {

template <class T>
struct first_accumulator {
  T value{};
  std::uint64_t rank = 0;  // arrival number + 1; 0 is empty

  bool replaces(const first_accumulator& other) const noexcept { return rank != 0 && (other.rank == 0 || rank < other.rank); }
};

template <class Field>
class first {
 public:
  template <class In>
  using accumulator = detail::with_field<Field, In, first_accumulator<field_value<Field, In>>>;
  template <class In>
  using result = detail::with_field<Field, In, field_value<Field, In>>;

  constexpr explicit first(Field field) : field_(std::move(field)) {}

  template <class In>
  SPILLWAY_INLINE void add(accumulator<In>& into, const In& r, timestamp, std::uint64_t arrival) const {
    if (into.rank == 0) into = {read_field(field_, r), arrival + 1};
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
