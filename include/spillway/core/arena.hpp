// The memory of one stage: tables, timers and window panes take what they need here and give it back here, and the system's
// allocator is asked only for a whole block, which is a counted growth event.
//
// One thread at a time may use an arena; it may be made in one thread, used in another and destroyed in a third, as long as each
// hand-over synchronises. `growth_events` and `bytes` may be read from any thread at any time.
// 1. Every block is exactly one call of the allocator and adds exactly one to `growth_events`; nothing else calls it.
// 2. Sizes are rounded up to powers of two. What is given back goes to the free list of its size and is handed out again.
// 3. A new block is taken only when no free chunk of this or a larger size and no rest of a block can serve.
// 4. The destructor gives all blocks back, whether or not what lies in them was deallocated.
//
//     arena memory(1 << 20);                          // one block of at least 1 MiB, its pages touched
//     void* p = memory.allocate(48);
//     memory.deallocate(p, 48);
//     void* again = memory.allocate(40);              // of the same size class
//     assert(again == p && memory.growth_events() == 1);
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "spillway/core/config.hpp"
#include "spillway/core/counter.hpp"

namespace spillway {

class arena {
 public:
  /// Bytes of the first block; each following block is twice as large, up to `largest_block_bytes`.
  static constexpr std::size_t first_block_bytes = 64 * 1024;
  static constexpr std::size_t largest_block_bytes = 1024 * 1024;

  /// Takes one block for `reserve_bytes` at once and touches its pages; 0 takes nothing. Throws std::bad_alloc.
  explicit arena(std::size_t reserve_bytes = 0);
  ~arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  /// At least `bytes` bytes, aligned to `align`. Requires: `align` is a power of two. Throws std::bad_alloc and then changes nothing.
  SPILLWAY_INLINE void* allocate(std::size_t bytes, std::size_t align = 16) {
    if (align > natural_align) [[unlikely]]
      return allocate_over_aligned(bytes, align);
    const unsigned size_class = class_of(bytes, align);
    if (free_chunk* chunk = free_[size_class]) [[likely]] {
      free_[size_class] = chunk->next;
      return chunk;
    }
    return carve(size_class);
  }

  /// Gives memory back for reuse. Requires: `p` came from `allocate(bytes, align)` of this arena, or is null.
  SPILLWAY_INLINE void deallocate(void* p, std::size_t bytes, std::size_t align = 16) noexcept {
    if (p == nullptr) return;
    if (align > natural_align) [[unlikely]]
      return deallocate_over_aligned(p, bytes, align);
    push_free(p, class_of(bytes, align));
  }

  /// Calls of the allocator so far, the reserved block included. Any thread.
  std::uint64_t growth_events() const noexcept { return growth_events_.get(); }

  /// Bytes taken from the allocator so far. Any thread.
  std::uint64_t bytes() const noexcept { return bytes_.get(); }

 private:
  struct free_chunk {
    free_chunk* next;
  };
  struct block {
    block* next;
  };

  // Chunks of 64 bytes and more start on a cache line; stricter wishes are rare and pay with a larger chunk.
  static constexpr std::size_t natural_align = cache_line_bytes;
  static constexpr unsigned smallest_class = 4;
  static constexpr unsigned largest_class = 62;

  static unsigned class_of(std::size_t bytes, std::size_t align) noexcept {
    const std::size_t least = bytes > align ? bytes : align;
    return least <= 16 ? smallest_class : static_cast<unsigned>(std::bit_width(least - 1));
  }

  void push_free(void* p, unsigned size_class) noexcept {
    auto* chunk = static_cast<free_chunk*>(p);
    chunk->next = free_[size_class];
    free_[size_class] = chunk;
  }

  SPILLWAY_COLD void* carve(unsigned size_class);
  SPILLWAY_COLD void* allocate_over_aligned(std::size_t bytes, std::size_t align);
  SPILLWAY_COLD void deallocate_over_aligned(void* p, std::size_t bytes, std::size_t align) noexcept;
  bool refill_from_larger_chunk(unsigned size_class) noexcept;
  std::byte* take_block(std::size_t payload_bytes);
  void use_rest(std::byte* begin, std::byte* end) noexcept;
  void share_out(std::byte* begin, std::byte* end) noexcept;

  free_chunk* free_[65] = {};
  std::byte* rest_begin_ = nullptr;
  std::byte* rest_end_ = nullptr;
  block* blocks_ = nullptr;
  std::size_t next_block_bytes_ = first_block_bytes;
  counter growth_events_;
  counter bytes_;
};

}  // namespace spillway
