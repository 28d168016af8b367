// The standard deviation of a field, as the sample's: divided by the count less one.
//
// 1. The result is a std::optional<double>: nothing for a single record, whose deviation is not defined.
// 2. The mean and the sum of squared distances are updated record by record, so large values with small differences keep their
//    digits; merging two accumulators gives what one would have, up to rounding.
//
//     auto deviations = collect(readings({20, 30, 40})
//                               | sw::window(sw::tumbling(1s))
//                               | sw::aggregate(sw::standard_deviation(&reading::celsius)));
//     assert(deviations.front().value == 10.0);
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/aggregates/field.hpp"

namespace spillway {

struct deviation_accumulator {
  double mean = 0;
  double squares = 0;  // sum of (value - mean)^2
  std::uint64_t records = 0;

  SPILLWAY_INLINE void add(double value) noexcept {
    ++records;
    const double before = value - mean;
    mean += before / static_cast<double>(records);
    squares += before * (value - mean);
  }

  void merge(const deviation_accumulator& from) noexcept {
    if (from.records == 0) return;
    if (records == 0) {
      *this = from;
      return;
    }
    const auto n = static_cast<double>(records);
    const auto m = static_cast<double>(from.records);
    const double apart = from.mean - mean;
    // Weighted from the larger side, so that the result is close to its mean however unequal the two are.
    mean = n >= m ? mean + apart * (m / (n + m)) : from.mean - apart * (n / (n + m));
    squares += from.squares + apart * apart * (n * m / (n + m));
    records += from.records;
  }

  std::optional<double> get() const noexcept {
    if (records < 2) return std::nullopt;
    return std::sqrt(squares / static_cast<double>(records - 1));
  }
};

template <class Field>
class standard_deviation {
 public:
  template <class In>
  using accumulator = detail::with_number<Field, In, deviation_accumulator>;
  template <class In>
  using result = detail::with_number<Field, In, std::optional<double>>;

  constexpr explicit standard_deviation(Field field) : field_(std::move(field)) {}

  template <class In>
  SPILLWAY_INLINE void add(deviation_accumulator& into, const In& r, timestamp, std::uint64_t) const {
    into.add(static_cast<double>(read_field(field_, r)));
  }
  template <class In>
  SPILLWAY_INLINE void merge(deviation_accumulator& into, const deviation_accumulator& from) const noexcept {
    into.merge(from);
  }
  template <class In>
  SPILLWAY_INLINE std::optional<double> get(const deviation_accumulator& from) const noexcept {
    return from.get();
  }

 private:
  [[no_unique_address]] Field field_;
};

}  // namespace spillway
