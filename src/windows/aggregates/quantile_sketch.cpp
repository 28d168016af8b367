#include "spillway/windows/aggregates/quantile_sketch.hpp"

#include <algorithm>
#include <cstring>

namespace spillway {
namespace {

constexpr std::uint32_t first_capacity = 4;

}  // namespace

std::uint64_t quantile_sketch::joined_key(std::uint64_t key, std::uint32_t levels) noexcept {
  const std::int64_t magnitude = static_cast<std::int64_t>(key) - zero_key;
  const std::int64_t joined = magnitude < 0 ? -(-magnitude >> levels) : magnitude >> levels;
  return static_cast<std::uint64_t>(zero_key + joined);
}

double quantile_sketch::middle_of(std::uint64_t key) const noexcept {
  const std::int64_t signed_magnitude = static_cast<std::int64_t>(key) - zero_key;
  if (signed_magnitude == 0) return 0;
  const std::int64_t magnitude = signed_magnitude < 0 ? -signed_magnitude : signed_magnitude;
  const std::int64_t low = std::max<std::int64_t>((magnitude << level_) - magnitude_offset, 128);
  const std::int64_t high = ((magnitude + 1) << level_) - magnitude_offset;
  constexpr std::int64_t infinity = std::int64_t{0x7ff} << 7;
  if (low >= infinity) return signed_magnitude < 0 ? least_ : most_;
  const double from = std::bit_cast<double>(static_cast<std::uint64_t>(low) << dropped_bits);
  const double to = high >= infinity ? std::numeric_limits<double>::max()
                                     : std::bit_cast<double>(static_cast<std::uint64_t>(high) << dropped_bits);
  const double middle = from + (to - from) / 2;
  return signed_magnitude < 0 ? -middle : middle;
}

// The first bucket whose key is not below `key`.
std::uint32_t quantile_sketch::position_of(std::uint64_t key) const noexcept {
  const std::uint64_t least_word = key << count_bits;
  return static_cast<std::uint32_t>(std::lower_bound(buckets_, buckets_ + size_, least_word) - buckets_);
}

void quantile_sketch::add_elsewhere(arena& memory, double value) { add_count(memory, key_of(value, level_), 1); }

void quantile_sketch::add_count(arena& memory, std::uint64_t key, std::uint64_t n) {
  for (;;) {
    const std::uint32_t at = position_of(key);
    if (at < size_ && buckets_[at] >> count_bits == key) {
      buckets_[at] += n;
      recent_ = at;
      return;
    }
    if (size_ < most_buckets) {
      if (size_ == capacity_) grow(memory);
      std::memmove(buckets_ + at + 1, buckets_ + at, (size_ - at) * sizeof(std::uint64_t));
      buckets_[at] = key << count_bits | n;
      recent_ = at;
      ++size_;
      return;
    }
    join_neighbours();
    key = joined_key(key, 1);
  }
}

void quantile_sketch::join_neighbours() noexcept {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < size_; ++i) {
    const std::uint64_t key = joined_key(buckets_[i] >> count_bits, 1);
    const std::uint64_t n = buckets_[i] & count_mask;
    if (kept > 0 && buckets_[kept - 1] >> count_bits == key) {
      buckets_[kept - 1] += n;
    } else {
      buckets_[kept++] = key << count_bits | n;
    }
  }
  size_ = kept;
  recent_ = 0;
  ++level_;
}

void quantile_sketch::grow(arena& memory) {
  const std::uint32_t wanted = capacity_ == 0 ? first_capacity : capacity_ * 2;
  auto* larger = static_cast<std::uint64_t*>(memory.allocate(wanted * sizeof(std::uint64_t)));
  if (size_ != 0) std::memcpy(larger, buckets_, size_ * sizeof(std::uint64_t));
  memory.deallocate(buckets_, capacity_ * sizeof(std::uint64_t));
  buckets_ = larger;
  capacity_ = wanted;
}

void quantile_sketch::merge(arena& memory, const quantile_sketch& from) {
  if (from.size_ == 0) return;
  least_ = std::min(least_, from.least_);
  most_ = std::max(most_, from.most_);
  while (level_ < from.level_) join_neighbours();
  for (std::uint32_t i = 0; i < from.size_; ++i) {
    const std::uint64_t key = joined_key(from.buckets_[i] >> count_bits, level_ - from.level_);
    add_count(memory, key, from.buckets_[i] & count_mask);
  }
}

double quantile_sketch::quantile(double p) const noexcept {
  const std::uint64_t n = count();
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  const double rank = std::ceil(p * static_cast<double>(n));
  // The ends are known exactly.
  if (rank <= 1) return least_;
  if (rank >= static_cast<double>(n)) return most_;
  auto left = static_cast<std::uint64_t>(rank);
  for (std::uint32_t i = 0; i < size_; ++i) {
    const std::uint64_t here = buckets_[i] & count_mask;
    if (left <= here) return std::clamp(middle_of(buckets_[i] >> count_bits), least_, most_);
    left -= here;
  }
  return most_;
}

std::uint64_t quantile_sketch::count() const noexcept {
  std::uint64_t n = 0;
  for (std::uint32_t i = 0; i < size_; ++i) n += buckets_[i] & count_mask;
  return n;
}

void quantile_sketch::discard(arena& memory) noexcept {
  memory.deallocate(buckets_, capacity_ * sizeof(std::uint64_t));
  *this = quantile_sketch{};
}

}  // namespace spillway
