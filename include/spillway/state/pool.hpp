// Elements with a 32-bit index and a fixed address, in segments taken from the stage's arena.
//
// Owned by one stage: one thread at a time.
// 1. An element never moves between `create` and `destroy`; its index stays the same and is handed out again only after `destroy`.
// 2. Growth adds one segment and moves no element. The directory of segments is an array of pointers that doubles; both are arena
//    memory, so growth shows in the arena's growth events.
// 3. Indices are handed out in ascending order, destroyed ones first and last in, first out: equal calls give equal indices.
// 4. The arena outlives the pool.
//
//     arena memory;
//     pool<reading> kept(memory);
//     const std::uint32_t i = kept.create(reading{"boiler", timestamp(1s), 70});
//     kept[i].celsius += 1;
//     kept.destroy(i);
//     assert(!kept.alive(i) && kept.create() == i);
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"

namespace spillway {

template <class T>
class pool {
  union cell {
    cell() noexcept {}
    ~cell() {}
    T value;
    std::uint32_t next_free;
  };
  struct segment {
    cell* cells;
    std::uint64_t* live;  // one bit per cell
  };

 public:
  /// No element.
  static constexpr std::uint32_t none = 0xffffffffu;

  /// Elements that one growth adds: about 16 KiB, a power of two.
  static constexpr std::uint32_t per_segment =
      sizeof(cell) >= 2048 ? 8 : static_cast<std::uint32_t>(std::bit_floor(std::size_t{16384} / sizeof(cell)));

  pool() noexcept = default;
  explicit pool(arena& memory) noexcept : memory_(&memory) {}
  pool(pool&& other) noexcept { swap(other); }
  pool& operator=(pool&& other) noexcept {
    pool taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~pool() { release(); }

  /// Says where memory comes from. Requires: nothing was created yet.
  void open(arena& memory) noexcept { memory_ = &memory; }

  /// Makes an element in place and returns its index. Throws what its constructor throws, std::bad_alloc, or std::length_error at
  /// 2^32 - 1 elements. Requires: the pool has an arena.
  template <class... Args>
  SPILLWAY_INLINE std::uint32_t create(Args&&... args) {
    std::uint32_t i = free_;
    if (i != none) {
      construct_in_free_cell(at(i), std::forward<Args>(args)...);
    } else {
      if (used_ == capacity_) [[unlikely]]
        add_segment();
      i = used_;
      ::new (static_cast<void*>(std::addressof(at(i).value))) T(std::forward<Args>(args)...);
      ++used_;
    }
    live_word(i) |= bit(i);
    ++size_;
    return i;
  }

  /// Ends the element's life and frees its index. Requires: `i` is alive.
  SPILLWAY_INLINE void destroy(std::uint32_t i) noexcept {
    cell& c = at(i);
    c.value.~T();
    c.next_free = free_;
    free_ = i;
    live_word(i) &= ~bit(i);
    --size_;
  }

  /// Requires: `i` is alive.
  SPILLWAY_INLINE T& operator[](std::uint32_t i) noexcept { return at(i).value; }
  SPILLWAY_INLINE const T& operator[](std::uint32_t i) const noexcept { return at(i).value; }

  bool alive(std::uint32_t i) const noexcept { return i < used_ && (live_word(i) & bit(i)) != 0; }
  std::uint32_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  /// Makes room for `elements` in all, so that creating up to that many takes no memory. Throws as `create`.
  void reserve(std::size_t elements) {
    while (capacity_ < elements) add_segment();
  }

  /// Calls f(index) for every element in ascending order of index. `f` may destroy elements; those it creates may or may not be met.
  template <class F>
  void for_each(F&& f) const {
    for (std::uint32_t first = 0; first < used_; first += cells_per_word) {
      std::uint64_t left = live_word(first);
      while (left != 0) {
        const std::uint32_t i = first + static_cast<std::uint32_t>(std::countr_zero(left));
        left &= left - 1;
        if ((live_word(i) & bit(i)) != 0) f(i);
      }
    }
  }

 private:
  static constexpr std::uint32_t segment_shift = static_cast<std::uint32_t>(std::countr_zero(per_segment));
  static constexpr std::uint32_t segment_mask = per_segment - 1;
  static constexpr std::uint32_t cells_per_word = per_segment < 64 ? per_segment : 64;
  static constexpr std::size_t live_bytes = per_segment / cells_per_word * sizeof(std::uint64_t);
  static constexpr std::size_t first_directory = 8;

  SPILLWAY_INLINE cell& at(std::uint32_t i) const noexcept { return directory_[i >> segment_shift].cells[i & segment_mask]; }
  SPILLWAY_INLINE std::uint64_t& live_word(std::uint32_t i) const noexcept {
    return directory_[i >> segment_shift].live[(i & segment_mask) / cells_per_word];
  }
  static constexpr std::uint64_t bit(std::uint32_t i) noexcept { return std::uint64_t{1} << (i % cells_per_word); }

  template <class... Args>
  SPILLWAY_INLINE void construct_in_free_cell(cell& c, Args&&... args) {
    const std::uint32_t next = c.next_free;
    if constexpr (std::is_nothrow_constructible_v<T, Args...>) {
      ::new (static_cast<void*>(std::addressof(c.value))) T(std::forward<Args>(args)...);
    } else {
      try {
        ::new (static_cast<void*>(std::addressof(c.value))) T(std::forward<Args>(args)...);
      } catch (...) {
        c.next_free = next;  // the constructor may have written over the link
        throw;
      }
    }
    free_ = next;
  }

  SPILLWAY_COLD void add_segment() {
    if (capacity_ > none - per_segment)
      throw std::length_error("spillway: a pool holds fewer than 2^32 elements; spread the keys over more replicas");
    if (segments_ == directory_size_) grow_directory();
    auto* cells = static_cast<cell*>(memory_->allocate(per_segment * sizeof(cell), alignof(cell)));
    std::uint64_t* live = nullptr;
    try {
      live = static_cast<std::uint64_t*>(memory_->allocate(live_bytes));
    } catch (...) {
      memory_->deallocate(cells, per_segment * sizeof(cell), alignof(cell));
      throw;
    }
    std::memset(live, 0, live_bytes);
    directory_[segments_++] = segment{cells, live};
    capacity_ += per_segment;
  }

  void grow_directory() {
    const std::size_t wanted = directory_size_ == 0 ? first_directory : directory_size_ * 2;
    auto* larger = static_cast<segment*>(memory_->allocate(wanted * sizeof(segment)));
    if (segments_ != 0) std::memcpy(larger, directory_, segments_ * sizeof(segment));
    memory_->deallocate(directory_, directory_size_ * sizeof(segment));
    directory_ = larger;
    directory_size_ = wanted;
  }

  void release() noexcept {
    if (directory_ == nullptr) return;
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for_each([this](std::uint32_t i) { at(i).value.~T(); });
    }
    for (std::size_t s = 0; s < segments_; ++s) {
      memory_->deallocate(directory_[s].cells, per_segment * sizeof(cell), alignof(cell));
      memory_->deallocate(directory_[s].live, live_bytes);
    }
    memory_->deallocate(directory_, directory_size_ * sizeof(segment));
  }

  void swap(pool& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(directory_, other.directory_);
    std::swap(directory_size_, other.directory_size_);
    std::swap(segments_, other.segments_);
    std::swap(capacity_, other.capacity_);
    std::swap(used_, other.used_);
    std::swap(size_, other.size_);
    std::swap(free_, other.free_);
  }

  segment* directory_ = nullptr;
  std::uint32_t free_ = none;
  std::uint32_t used_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint32_t size_ = 0;
  std::size_t segments_ = 0;
  std::size_t directory_size_ = 0;
  arena* memory_ = nullptr;
};

}  // namespace spillway
