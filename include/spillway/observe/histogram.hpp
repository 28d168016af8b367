// Counts of durations or sizes in log-linear buckets: fixed memory, constant cost, quantiles to within 1/32.
//
// One thread records; read it when that thread has stopped, or through a copy.
// 1. Values below 32 have buckets of their own; each further power of two is cut into 32 buckets, so a quantile is at most 3.2 % above the
//    value it stands for. 2. Nothing is lost: the largest value has a bucket.
//
//     histogram h;
//     for (std::uint64_t ns = 1; ns <= 1000; ++ns) h.record(ns);
//     assert(h.max() == 1000 && h.quantile(0.5) >= 500 && h.quantile(0.5) <= 516);
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace spillway {

class histogram {
 public:
  void record(std::uint64_t value) noexcept {
    ++counts_[bucket_of(value)];
    ++count_;
    if (value > max_) max_ = value;
  }

  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t max() const noexcept { return max_; }

  /// The smallest bucket bound that at least a share `q` of the values does not exceed, at most `max()`; 0 without values.
  std::uint64_t quantile(double q) const noexcept {
    const auto wanted = static_cast<std::uint64_t>(q * static_cast<double>(count_) + 0.999999);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted && seen > 0) return upper_bound(i) < max_ ? upper_bound(i) : max_;
    }
    return max_;
  }

 private:
  static constexpr unsigned bits = 5;
  static constexpr std::size_t per_octave = std::size_t{1} << bits;

  static std::size_t bucket_of(std::uint64_t value) noexcept {
    if (value < per_octave) return static_cast<std::size_t>(value);
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - bits - 1;
    return (std::size_t{shift} + 1) * per_octave + static_cast<std::size_t>((value >> shift) - per_octave);
  }
  static std::uint64_t upper_bound(std::size_t bucket) noexcept {
    if (bucket < per_octave) return bucket;
    const std::size_t shift = bucket / per_octave - 1;
    return ((std::uint64_t{per_octave + bucket % per_octave} + 1) << shift) - 1;
  }

  std::array<std::uint64_t, (64 - bits + 1) * per_octave> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace spillway
