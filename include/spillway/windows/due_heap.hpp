// What is to be done at which time, earliest first: a binary heap that grows without moving what is in it.
//
// Owned by one stage: one thread at a time.
// 1. `top` is an element before which no other comes (`a.before(b)`), so the order of equal elements is up to the element type.
// 2. Elements lie in segments of arena memory; growth adds a segment and copies, at most, the pointers to the segments.
// 3. Elements are trivially copyable.
//
//     struct due {
//       timestamp at;
//       std::uint32_t what;
//       bool before(const due& other) const { return at < other.at; }
//     };
//
//     arena memory;
//     due_heap<due> plan;
//     plan.open(memory);
//     plan.push({timestamp(9s), 2});
//     plan.push({timestamp(5s), 1});
//     const timestamp watermark(7s);
//     for (; plan.top().at <= watermark; plan.pop()) std::cout << plan.top().what << " is due\n";
//     assert(plan.size() == 1 && plan.top().what == 2);
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"

namespace spillway {

template <class Element>
class due_heap {
  static_assert(std::is_trivially_copyable_v<Element>, "spillway: elements of a due_heap are trivially copyable");

 public:
  due_heap() noexcept = default;
  due_heap(due_heap&& other) noexcept { swap(other); }
  due_heap& operator=(due_heap&& other) noexcept {
    due_heap taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~due_heap() { release(); }

  /// Says where memory comes from. Requires: nothing was pushed yet.
  void open(arena& memory) noexcept { memory_ = &memory; }

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  /// Requires: !empty().
  const Element& top() const noexcept { return segments_[0][0]; }

  /// Throws std::bad_alloc and then changes nothing.
  void push(const Element& added) {
    if (size_ == segment_count_ * per_segment) add_segment();
    std::size_t hole = size_++;
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 2;
      if (!added.before(at(parent))) break;
      at(hole) = at(parent);
      hole = parent;
    }
    at(hole) = added;
  }

  /// Requires: !empty().
  void pop() noexcept {
    const Element last = at(--size_);
    std::size_t hole = 0;
    for (;;) {
      std::size_t child = 2 * hole + 1;
      if (child >= size_) break;
      if (child + 1 < size_ && at(child + 1).before(at(child))) ++child;
      if (!at(child).before(last)) break;
      at(hole) = at(child);
      hole = child;
    }
    if (size_ > 0) at(hole) = last;
    // One whole segment stays in reserve, so that a size that goes up and down at a boundary costs nothing.
    if (size_ + 2 * per_segment <= segment_count_ * per_segment) drop_segment();
  }

 private:
  static constexpr std::size_t per_segment = std::bit_floor(std::size_t{4096} / sizeof(Element));

  Element& at(std::size_t i) const noexcept { return segments_[i / per_segment][i % per_segment]; }

  SPILLWAY_COLD void add_segment() {
    if (segment_count_ == directory_size_) grow_directory();
    segments_[segment_count_] = static_cast<Element*>(memory_->allocate(per_segment * sizeof(Element), alignof(Element)));
    ++segment_count_;
  }
  SPILLWAY_COLD void drop_segment() noexcept {
    memory_->deallocate(segments_[--segment_count_], per_segment * sizeof(Element), alignof(Element));
  }
  void grow_directory() {
    const std::size_t wanted = directory_size_ == 0 ? 8 : directory_size_ * 2;
    auto* larger = static_cast<Element**>(memory_->allocate(wanted * sizeof(Element*)));
    if (segment_count_ != 0) std::memcpy(larger, segments_, segment_count_ * sizeof(Element*));
    memory_->deallocate(segments_, directory_size_ * sizeof(Element*));
    segments_ = larger;
    directory_size_ = wanted;
  }

  void release() noexcept {
    while (segment_count_ > 0) drop_segment();
    if (memory_ != nullptr) memory_->deallocate(segments_, directory_size_ * sizeof(Element*));
  }
  void swap(due_heap& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(segments_, other.segments_);
    std::swap(segment_count_, other.segment_count_);
    std::swap(directory_size_, other.directory_size_);
    std::swap(size_, other.size_);
  }

  Element** segments_ = nullptr;
  std::size_t size_ = 0;
  std::size_t segment_count_ = 0;
  std::size_t directory_size_ = 0;
  arena* memory_ = nullptr;
};

}  // namespace spillway
