// A list in chunks of arena memory that grows at its end and gives up elements at its front or by a condition.
//
// Owned by one stage: one thread at a time.
// 1. The first chunk has 64 bytes, each further one four times as many, up to 4 KiB (more only for elements that need it).
// 2. Appending and popping move no element; `remove_if` moves elements to the front, in order.
// 3. Whoever owns the list clears it; the destructor does nothing.
//
//     arena memory;
//     chunked_list<int> open;
//     for (int i = 0; i < 100; ++i) open.append(memory, int{i});
//     open.pop_front(memory);
//     int sum = 0;
//     for (auto c = open.begin(); !c.at_end(); c.advance()) sum += c.element();
//     assert(open.size() == 99 && sum == 4950);
//     open.clear(memory);
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"

namespace spillway {

template <class T>
class chunked_list {
  static_assert(std::is_nothrow_move_constructible_v<T>, "spillway: what a list in keyed state keeps is nothrow-movable");

  struct header {
    header* next;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t capacity;
  };
  static constexpr std::size_t align = alignof(T) > alignof(header) ? alignof(T) : alignof(header);
  static constexpr std::size_t items_at = (sizeof(header) + alignof(T) - 1) / alignof(T) * alignof(T);
  static T* items(header* chunk) noexcept { return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(chunk) + items_at); }

 public:
  class cursor {
   public:
    cursor() noexcept = default;

    bool at_end() const noexcept { return chunk_ == nullptr; }
    /// Requires: !at_end().
    T& element() const noexcept { return items(chunk_)[position_]; }
    void advance() noexcept {
      if (++position_ < chunk_->end) return;
      *this = cursor(chunk_->next);
    }
    friend bool operator==(const cursor&, const cursor&) noexcept = default;

   private:
    friend chunked_list;
    explicit cursor(header* chunk) noexcept : chunk_(chunk), position_(chunk == nullptr ? 0 : chunk->begin) {}

    header* chunk_ = nullptr;
    std::uint32_t position_ = 0;
  };

  chunked_list() noexcept = default;
  chunked_list(const chunked_list&) = delete;
  chunked_list& operator=(const chunked_list&) = delete;

  cursor begin() const noexcept { return cursor{first_}; }
  bool empty() const noexcept { return first_ == nullptr; }
  std::size_t size() const noexcept { return size_; }
  /// Requires: !empty().
  T& front() const noexcept { return items(first_)[first_->begin]; }

  /// Throws std::bad_alloc and then changes nothing.
  SPILLWAY_INLINE T& append(arena& memory, T&& added) {
    if (last_ == nullptr || last_->end == last_->capacity) [[unlikely]]
      add_chunk(memory);
    T* const made = ::new (static_cast<void*>(items(last_) + last_->end)) T(std::move(added));
    ++last_->end;
    ++size_;
    return *made;
  }

  /// Requires: !empty().
  void pop_front(arena& memory) noexcept {
    front().~T();
    --size_;
    if (++first_->begin == first_->end) drop_first(memory);
  }

  /// Removes the elements for which `gone(element)`, in order; what it keeps stays in order. `gone` does not throw.
  template <class Gone>
  void remove_if(arena& memory, Gone&& gone) noexcept {
    while (!empty() && gone(front())) pop_front(memory);
    if (empty()) return;
    cursor to = begin();
    to.advance();
    std::size_t kept = 1;
    cursor last_kept = begin();
    for (cursor from = to; !from.at_end(); from.advance()) {
      if (gone(from.element())) continue;
      if (from != to) replace(to.element(), from.element());
      last_kept = to;
      to.advance();
      ++kept;
    }
    if (!to.at_end()) cut_behind(memory, last_kept);
    size_ = kept;
  }

  /// Destroys the elements and gives the memory back.
  void clear(arena& memory) noexcept {
    while (first_ != nullptr) {
      destroy(first_, first_->begin);
      drop_first(memory);
    }
    size_ = 0;
  }

 private:
  static constexpr std::size_t bytes_for(std::size_t capacity) noexcept { return items_at + capacity * sizeof(T); }
  static constexpr std::size_t fitting(std::size_t bytes) noexcept {
    return bytes < bytes_for(1) ? 1 : (bytes - items_at) / sizeof(T);
  }

  static void replace(T& old, T& by) noexcept {
    old.~T();
    ::new (static_cast<void*>(&old)) T(std::move(by));
  }
  static void destroy(header* chunk, std::uint32_t from) noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (std::uint32_t i = from; i < chunk->end; ++i) items(chunk)[i].~T();
    }
  }

  void drop_first(arena& memory) noexcept {
    header* const gone = first_;
    first_ = gone->next;
    if (first_ == nullptr) last_ = nullptr;
    memory.deallocate(gone, bytes_for(gone->capacity), align);
  }

  // Ends the list behind the element at `kept`.
  void cut_behind(arena& memory, cursor kept) noexcept {
    destroy(kept.chunk_, kept.position_ + 1);
    kept.chunk_->end = kept.position_ + 1;
    last_ = kept.chunk_;
    header* gone = std::exchange(last_->next, nullptr);
    while (gone != nullptr) {
      destroy(gone, gone->begin);
      header* const next = gone->next;
      memory.deallocate(gone, bytes_for(gone->capacity), align);
      gone = next;
    }
  }

  SPILLWAY_NOINLINE void add_chunk(arena& memory) {
    const std::size_t wanted = last_ == nullptr ? 64 : last_->capacity * sizeof(T) * 4;
    const std::size_t capacity = fitting(wanted > 4096 ? 4096 : wanted);
    auto* added = static_cast<header*>(memory.allocate(bytes_for(capacity), align));
    *added = header{nullptr, 0, 0, static_cast<std::uint32_t>(capacity)};
    (last_ == nullptr ? first_ : last_->next) = added;
    last_ = added;
  }

  header* first_ = nullptr;
  header* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace spillway
