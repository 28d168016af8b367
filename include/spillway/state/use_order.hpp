// Indices in the order of their last use: a list through an array that is indexed by them.
//
// Owned by one stage: one thread at a time.
// 1. Every operation costs a few stores. Links lie in segments of arena memory that never move; growth adds one.
// 2. Indices are small numbers, such as those of a keyed_table or pool: memory is taken up to the largest.
//
//     arena memory;
//     use_order order;
//     order.open(memory);
//     order.add(0);
//     order.add(1);  // now the most recent one
//     order.used(0);
//     assert(order.least_recent() == 1);
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"

namespace spillway {

class use_order {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;

  use_order() noexcept = default;
  use_order(use_order&& other) noexcept { swap(other); }
  use_order& operator=(use_order&& other) noexcept {
    use_order taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~use_order() {
    if (memory_ == nullptr) return;
    for (std::size_t s = 0; s < segment_count_; ++s) memory_->deallocate(segments_[s], per_segment * sizeof(links));
    memory_->deallocate(segments_, directory_size_ * sizeof(links*));
  }

  /// Says where memory comes from. Requires: nothing was added yet.
  void open(arena& memory) noexcept { memory_ = &memory; }

  bool empty() const noexcept { return oldest_ == none; }
  /// The index whose last use is longest ago, or `none`.
  std::uint32_t least_recent() const noexcept { return oldest_; }

  /// Adds an index as the most recent one. Throws std::bad_alloc and then changes nothing. Requires: it is not there.
  void add(std::uint32_t i) {
    while (i / per_segment >= segment_count_) add_segment();
    append(i);
  }

  /// Makes an index the most recent one. Requires, here and for `remove`: it is there.
  SPILLWAY_INLINE void used(std::uint32_t i) noexcept {
    if (i == newest_) return;
    remove(i);
    append(i);
  }

  void remove(std::uint32_t i) noexcept {
    const links gone = at(i);
    (gone.older == none ? oldest_ : at(gone.older).newer) = gone.newer;
    (gone.newer == none ? newest_ : at(gone.newer).older) = gone.older;
  }

 private:
  struct links {
    std::uint32_t older;
    std::uint32_t newer;
  };
  static constexpr std::size_t per_segment = 512;

  links& at(std::uint32_t i) const noexcept { return segments_[i / per_segment][i % per_segment]; }

  void append(std::uint32_t i) noexcept {
    at(i) = links{newest_, none};
    (newest_ == none ? oldest_ : at(newest_).newer) = i;
    newest_ = i;
  }

  SPILLWAY_COLD void add_segment() {
    if (segment_count_ == directory_size_) {
      const std::size_t wanted = directory_size_ == 0 ? 8 : directory_size_ * 2;
      auto* larger = static_cast<links**>(memory_->allocate(wanted * sizeof(links*)));
      if (segment_count_ != 0) std::memcpy(larger, segments_, segment_count_ * sizeof(links*));
      memory_->deallocate(segments_, directory_size_ * sizeof(links*));
      segments_ = larger;
      directory_size_ = wanted;
    }
    segments_[segment_count_] = static_cast<links*>(memory_->allocate(per_segment * sizeof(links)));
    ++segment_count_;
  }

  void swap(use_order& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(segments_, other.segments_);
    std::swap(segment_count_, other.segment_count_);
    std::swap(directory_size_, other.directory_size_);
    std::swap(oldest_, other.oldest_);
    std::swap(newest_, other.newest_);
  }

  links** segments_ = nullptr;
  std::size_t segment_count_ = 0;
  std::size_t directory_size_ = 0;
  std::uint32_t oldest_ = none;
  std::uint32_t newest_ = none;
  arena* memory_ = nullptr;
};

}  // namespace spillway
