// Items in order, in memory segments: what an edge's ring had no room for.
//
// Belongs to the emitting thread; `records()` may be read from others.
// 1. First in, first out, records and markers in one order. 2. Memory comes from an arena in segments that are used again, so its growth is
// counted and steady use allocates nothing. 3. Items are destroyed with the backlog.
//
//     arena memory;
//     backlog waiting(memory);
//     new (waiting.append(sizeof(double), alignof(double), backlog::kind::record)) double(70);
//     assert(waiting.records() == 1 && waiting.front().what == backlog::kind::record);
//     waiting.pop();
//     assert(waiting.empty());
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/bits.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/counter.hpp"

namespace spillway {

class backlog {
 public:
  enum class kind : std::uint32_t { record, marker };

  struct item {
    kind what;
    std::byte* payload;
  };

  explicit backlog(arena& memory) noexcept : memory_(memory) {}
  backlog(const backlog&) = delete;
  backlog& operator=(const backlog&) = delete;

  bool empty() const noexcept { return items_ == 0; }
  /// Payload bytes of the records held.
  std::size_t bytes() const noexcept { return bytes_; }
  /// Records held. Any thread.
  std::uint64_t records() const noexcept { return records_.get(); }

  /// Takes one segment of `size_bytes` now and writes to each page, so that the first overflow finds memory. Throws std::bad_alloc.
  void set_aside(std::size_t size_bytes) {
    if (spare_ != nullptr) return;
    spare_ = make_segment(size_bytes);
    constexpr std::size_t page_bytes = 4096;
    for (std::size_t at = 0; at < spare_->capacity; at += page_bytes)
      static_cast<volatile std::byte*>(spare_->data())[at] = std::byte{0};
  }

  /// Room for one more item; construct it there. Requires: `align` is at most 128. Throws std::bad_alloc.
  SPILLWAY_INLINE std::byte* append(std::size_t size_bytes, std::size_t align, kind what) {
    // Items begin at multiples of 16, so that only larger alignments need to look at the address.
    const std::size_t slack = align <= item_alignment ? 0 : align;
    const std::size_t room = sizeof(header) + slack + align_up(size_bytes, item_alignment);
    if (last_ == nullptr || last_->capacity - last_->end < room) [[unlikely]]
      add_segment(room);
    auto* begin = last_->data() + last_->end;
    auto* payload = begin + sizeof(header);
    if (slack > 0) payload = aligned(payload, align);
    const std::size_t total = static_cast<std::size_t>(payload - begin) + align_up(size_bytes, item_alignment);
    ::new (static_cast<void*>(begin))
        header{static_cast<std::uint32_t>(payload - begin), static_cast<std::uint32_t>(total), size_bytes, what};
    last_->end += total;
    ++items_;
    if (what == kind::record) {
      bytes_ += size_bytes;
      records_.add();
    }
    return payload;
  }

  /// The oldest item. Requires: not empty.
  item front() const noexcept {
    std::byte* begin = first_->data() + first_->begin;
    const auto* h = reinterpret_cast<const header*>(begin);
    return {h->what, begin + h->payload_offset};
  }

  /// Forgets the oldest item; the caller has destroyed it. Requires: not empty.
  void pop() noexcept {
    const auto* h = reinterpret_cast<const header*>(first_->data() + first_->begin);
    if (h->what == kind::record) {
      bytes_ -= h->size_bytes;
      records_.set(records_.get() - 1);
    }
    first_->begin += h->total;
    --items_;
    if (first_->begin == first_->end) retire_first();
  }

  ~backlog() {
    while (first_ != nullptr) drop(std::exchange(first_, first_->next));
    if (spare_ != nullptr) drop(spare_);
  }

 private:
  static constexpr std::size_t segment_bytes = std::size_t{32} << 10;

  static constexpr std::size_t item_alignment = 16;

  struct alignas(item_alignment) header {
    std::uint32_t payload_offset;
    std::uint32_t total;
    std::size_t size_bytes;
    kind what;
  };
  struct alignas(item_alignment) segment {
    segment* next;
    std::size_t capacity;
    std::size_t begin;
    std::size_t end;
    std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  };

  static std::byte* aligned(std::byte* p, std::size_t align) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    return p + ((align - address % align) % align);
  }

  // A power of two with the header in it, since that is what the arena hands out.
  segment* make_segment(std::size_t bytes) {
    const std::size_t whole = std::bit_ceil(std::max(bytes, segment_bytes));
    return std::construct_at(static_cast<segment*>(memory_.allocate(whole)), segment{nullptr, whole - sizeof(segment), 0, 0});
  }
  void drop(segment* s) noexcept { memory_.deallocate(s, sizeof(segment) + s->capacity); }

  SPILLWAY_COLD void add_segment(std::size_t room) {
    segment* added = nullptr;
    if (spare_ != nullptr && spare_->capacity >= room) {
      added = std::exchange(spare_, nullptr);
    } else {
      added = make_segment(sizeof(segment) + room);
    }
    (last_ == nullptr ? first_ : last_->next) = added;
    last_ = added;
  }

  void retire_first() noexcept {
    segment* done = first_;
    first_ = done->next;
    if (first_ == nullptr) last_ = nullptr;
    done->next = nullptr;
    done->begin = done->end = 0;
    if (spare_ == nullptr) {
      spare_ = done;
    } else {
      drop(done);
    }
  }

  arena& memory_;
  segment* first_ = nullptr;
  segment* last_ = nullptr;
  segment* spare_ = nullptr;
  std::size_t items_ = 0;
  std::size_t bytes_ = 0;
  counter records_;
};

}  // namespace spillway
