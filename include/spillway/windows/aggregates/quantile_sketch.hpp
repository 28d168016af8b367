// Counts of doubles in log-linear buckets, from which any quantile can be read with a bounded relative error.
//
// Owned by one stage. Trivially copyable: copying the bytes moves the ownership of the buckets, and the holder calls `discard` once.
// 1. A bucket is a sign, a power of two and one of 128 equal parts of it, taken from the bits of the double. A quantile is the middle of
//    its bucket, held between the smallest and the largest value seen, so it is at most 1/256 (0.4 %) off the exact one.
// 2. Quantiles are by nearest rank: `quantile(p)` stands for the smallest value that at least p * n of the n values do not exceed.
// 3. Only buckets that hold something take memory, 8 bytes each, sorted by value. Memory is from the arena and doubles.
// 4. Above `most_buckets` buckets, neighbours are joined two by two and the error doubles: 0.8 % when more than 2,048 different buckets
//    are taken, and so on. The result does not depend on the order of values or merges.
// 5. Zero and what is closer to it than the smallest normal double (2.2e-308) count as zero. NaN is not counted.
//
//     arena memory;
//     quantile_sketch s;
//     for (int n = 1; n <= 1000; ++n) s.add(memory, n);
//     const double median = s.quantile(0.5);
//     assert(median > 498 && median < 502);
//     s.discard(memory);
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"

namespace spillway {

class quantile_sketch {
 public:
  static constexpr std::uint32_t most_buckets = 2048;

  /// Largest relative error while no buckets were joined.
  static constexpr double relative_error = 1.0 / 256;

  /// Counts `value`. Constant time when it falls into the bucket of the value before; else a binary search; a new bucket moves those
  /// behind it. Throws std::bad_alloc.
  SPILLWAY_INLINE void add(arena& memory, double value) {
    if (value != value) [[unlikely]]
      return;
    if (value < least_) least_ = value;
    if (value > most_) most_ = value;
    const std::uint64_t key = key_of(value, level_);
    if (recent_ < size_ && buckets_[recent_] >> count_bits == key) [[likely]] {
      ++buckets_[recent_];
      return;
    }
    add_elsewhere(memory, value);
  }

  /// Adds the counts of `from`. Throws std::bad_alloc.
  void merge(arena& memory, const quantile_sketch& from);

  /// Requires: 0 <= p <= 1. NaN when nothing was counted.
  double quantile(double p) const noexcept;

  /// How many values were counted. Costs a walk over the buckets.
  std::uint64_t count() const noexcept;

  std::uint32_t buckets() const noexcept { return size_; }

  /// How often neighbours were joined: the error is `relative_error` times two to this power.
  std::uint32_t joined() const noexcept { return level_; }

  /// Gives the memory back and leaves the sketch empty. Requires: `memory` is the arena of the calls before.
  void discard(arena& memory) noexcept;

 private:
  // A bucket is one word, its key above its count: sorted by word is sorted by value, and one more record is one addition.
  static constexpr unsigned count_bits = 44;
  static constexpr std::uint64_t count_mask = (std::uint64_t{1} << count_bits) - 1;
  static constexpr unsigned dropped_bits = 52 - 7;
  static constexpr std::int64_t zero_key = std::int64_t{1} << 19;
  // Keeps the magnitude of a non-zero value above zero at every level, and powers of two on the borders of buckets.
  static constexpr std::int64_t magnitude_offset = 128;

  SPILLWAY_INLINE static std::uint64_t key_of(double value, std::uint32_t level) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63);
    auto magnitude = static_cast<std::int64_t>(bits >> dropped_bits);
    if (magnitude < 128) return static_cast<std::uint64_t>(zero_key);
    magnitude = (magnitude + magnitude_offset) >> level;
    return static_cast<std::uint64_t>(value < 0 ? zero_key - magnitude : zero_key + magnitude);
  }

  static std::uint64_t joined_key(std::uint64_t key, std::uint32_t levels) noexcept;
  double middle_of(std::uint64_t key) const noexcept;
  std::uint32_t position_of(std::uint64_t key) const noexcept;
  void add_elsewhere(arena& memory, double value);
  void add_count(arena& memory, std::uint64_t key, std::uint64_t n);
  void join_neighbours() noexcept;
  void grow(arena& memory);

  std::uint64_t* buckets_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint32_t recent_ = 0;
  std::uint32_t level_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
};

}  // namespace spillway
