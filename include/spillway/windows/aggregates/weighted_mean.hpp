// The mean of a field weighted by another one: with price and volume, the volume-weighted average price.
//
// 1. The result is a double: sum of value * weight, divided by the sum of the weights, both added up in order of arrival within a pane.
// 2. Weights that add up to zero give NaN (or an infinity when the values' sum is not zero).
//
//     struct trade {
//       sw::timestamp at;
//       double price;
//       int volume;
//     };
//
//     auto averages = collect(sw::source(sw::elements<trade>{{sw::timestamp(1s), 100, 3}, {sw::timestamp(1s), 104, 1}})
//                             | sw::watermarks(sw::ascending(), &trade::at)
//                             | sw::window(sw::tumbling(1s))
//                             | sw::aggregate(sw::weighted_mean(&trade::price, &trade::volume)));
//     assert(averages.front().value == 101);
#pragma once

#include <cstdint>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/aggregates/field.hpp"

namespace spillway {

struct weighted_mean_accumulator {
  double total = 0;
  double weights = 0;
};

template <class Value, class Weight>
class weighted_mean {
 public:
  template <class In>
  using accumulator = detail::with_number<Value, In, detail::with_number<Weight, In, weighted_mean_accumulator>>;
  template <class In>
  using result = detail::with_number<Value, In, detail::with_number<Weight, In, double>>;

  constexpr weighted_mean(Value value, Weight weight) : value_(std::move(value)), weight_(std::move(weight)) {}

  template <class In>
  SPILLWAY_INLINE void add(weighted_mean_accumulator& into, const In& r, timestamp, std::uint64_t) const {
    const auto weight = static_cast<double>(read_field(weight_, r));
    into.total += static_cast<double>(read_field(value_, r)) * weight;
    into.weights += weight;
  }
  template <class In>
  SPILLWAY_INLINE void merge(weighted_mean_accumulator& into, const weighted_mean_accumulator& from) const noexcept {
    into.total += from.total;
    into.weights += from.weights;
  }
  template <class In>
  SPILLWAY_INLINE double get(const weighted_mean_accumulator& from) const noexcept {
    return from.total / from.weights;
  }

 private:
  [[no_unique_address]] Value value_;
  [[no_unique_address]] Weight weight_;
};

}  // namespace spillway
