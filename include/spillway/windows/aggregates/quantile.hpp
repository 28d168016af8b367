// A quantile of a field, by a sketch with a relative error of at most 0.4 %.
//
// 1. The result is a double: the middle of the sketch's bucket that holds the value of nearest rank, see quantile_sketch.hpp; it is
//    exact for the smallest and the largest value, and so for windows of one or two records.
// 2. The accumulator takes 8 bytes of arena memory per bucket in use, at most 16 KiB; this aggregate needs `open` and `discard`.
//
//     auto medians = collect(readings({20, 30, 40}) | sw::window(sw::tumbling(1s)) | sw::aggregate(sw::quantile(0.5, &reading::celsius)));
//     assert(medians.front().value > 30 * 0.996 && medians.front().value < 30 * 1.004);
#pragma once

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/aggregates/field.hpp"
#include "spillway/windows/aggregates/quantile_sketch.hpp"

namespace spillway {

template <class Field>
class quantile {
 public:
  template <class In>
  using accumulator = detail::with_number<Field, In, quantile_sketch>;
  template <class In>
  using result = detail::with_number<Field, In, double>;

  /// Throws std::invalid_argument unless 0 <= p <= 1.
  constexpr quantile(double p, Field field) : field_(std::move(field)), p_(p) {
    if (!(p >= 0 && p <= 1)) throw std::invalid_argument("spillway: quantile got a rank outside 0 to 1; the median is 0.5");
  }

  void open(arena& memory) noexcept { memory_ = &memory; }

  template <class In>
  SPILLWAY_INLINE void add(quantile_sketch& into, const In& r, timestamp, std::uint64_t) const {
    into.add(*memory_, static_cast<double>(read_field(field_, r)));
  }
  template <class In>
  void merge(quantile_sketch& into, const quantile_sketch& from) const {
    into.merge(*memory_, from);
  }
  template <class In>
  double get(const quantile_sketch& from) const noexcept {
    return from.quantile(p_);
  }
  template <class In>
  void discard(quantile_sketch& from) const noexcept {
    from.discard(*memory_);
  }

 private:
  [[no_unique_address]] Field field_;
  double p_;
  arena* memory_ = nullptr;
};

}  // namespace spillway
