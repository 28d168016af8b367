// The memory of a ring: how large it may be, and the block itself.
//
// Made and destroyed by one thread; in between the block is shared as its ring says.
// 1. A capacity is a power of two and at most half of what the counter type counts, so "full" and "empty" differ at every wrap.
// 2. The block starts on a line (on a page when it has one or more) and shares no line pair with anything else.
// 3. Every page was written once by the constructor: no record pays for a page fault.
//
//     const std::size_t slots = ring_capacity<std::uint64_t>(1000, sizeof(int));
//     ring_storage block(slots * sizeof(int), alignof(int));
//     assert(slots == 1024 && block.bytes() == 4096);
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>

#include "spillway/core/bits.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/fail.hpp"

namespace spillway {

/// The power of two, at least 1, that a ring for `min_capacity` units of `unit_bytes` has. Throws std::length_error when its bytes do not
/// fit the address space, or when it is more than half of the range of `Counter`.
template <std::unsigned_integral Counter>
constexpr std::size_t ring_capacity(std::size_t min_capacity, std::size_t unit_bytes) {
  constexpr std::size_t address_limit = std::numeric_limits<std::size_t>::max() / 4 + 1;
  constexpr std::size_t counter_limit =
      sizeof(Counter) >= sizeof(std::size_t) ? address_limit : std::size_t{1} << (std::numeric_limits<Counter>::digits - 1);
  if (min_capacity > std::min(counter_limit, std::bit_floor(address_limit / unit_bytes))) {
    throw_or_terminate<std::length_error>(
        "spillway: the ring's capacity does not fit in memory or exceeds half of its counter's range; ask for a smaller capacity");
  }
  return std::bit_ceil(std::max(min_capacity, std::size_t{1}));
}

class ring_storage {
 public:
  /// Takes `bytes` aligned to `alignment` or better and writes to each page. Throws std::bad_alloc.
  ring_storage(std::size_t bytes, std::size_t alignment)
      : bytes_(align_up(std::max(bytes, std::size_t{1}), destructive_distance_bytes)),
        alignment_{std::max({alignment, destructive_distance_bytes, bytes_ >= page_bytes ? page_bytes : 0})},
        data_(static_cast<std::byte*>(::operator new(bytes_, std::align_val_t{alignment_}))) {
    for (std::size_t i = 0; i < bytes_; i += page_bytes) const_cast<volatile std::byte*>(data_)[i] = std::byte{0};
  }
  ~ring_storage() { ::operator delete(data_, std::align_val_t{alignment_}); }
  ring_storage(const ring_storage&) = delete;
  ring_storage& operator=(const ring_storage&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t page_bytes = 4096;

  std::size_t bytes_;
  std::size_t alignment_;
  std::byte* data_;
};

}  // namespace spillway
