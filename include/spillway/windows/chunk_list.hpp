// A list that only grows at its end, in chunks of arena memory: the keys of a window, or its elements.
//
// Owned by one stage: one thread at a time.
// 1. A chunk has 64 bytes at first and then up to 4 KiB (more only for elements that need it), so neither short nor long lists waste much.
// 2. Elements never move. A cursor stays valid while the list grows, and until `clear`.
// 3. Whoever owns the list clears it; the destructor does nothing.
//
//     arena memory;
//     chunk_list<std::uint32_t> keys;
//     keys.append(memory, 7u);
//     keys.append(memory, 8u);
//     std::uint32_t sum = 0;
//     for (auto c = keys.begin(); !c.at_end(); c.advance()) sum += c.element();
//     assert(sum == 15);
//     keys.clear(memory);
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
class chunk_list {
  struct header {
    header* next;
    std::uint32_t count;
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
      if (++position_ < chunk_->count) return;
      chunk_ = chunk_->next;
      position_ = 0;
    }
    friend bool operator==(const cursor&, const cursor&) noexcept = default;

   private:
    friend chunk_list;
    explicit cursor(header* first) noexcept : chunk_(first) {}

    header* chunk_ = nullptr;
    std::uint32_t position_ = 0;
  };

  cursor begin() const noexcept { return cursor{first_}; }
  bool empty() const noexcept { return first_ == nullptr; }
  /// Requires: !empty().
  T& front() const noexcept { return items(first_)[0]; }
  T& back() const noexcept { return items(last_)[last_->count - 1]; }

  /// Throws std::bad_alloc and then changes nothing. An element that could throw is made first, so that no chunk stays empty.
  template <class... Args>
  SPILLWAY_INLINE T& append(arena& memory, Args&&... args) {
    if constexpr (!std::is_nothrow_constructible_v<T, Args...>) {
      static_assert(std::is_nothrow_move_constructible_v<T>, "spillway: what a window keeps is nothrow-movable");
      return append(memory, T(std::forward<Args>(args)...));
    } else {
      return append_safely(memory, std::forward<Args>(args)...);
    }
  }

 private:
  template <class... Args>
  SPILLWAY_INLINE T& append_safely(arena& memory, Args&&... args) {
    if (last_ == nullptr || last_->count == last_->capacity) [[unlikely]]
      add_chunk(memory);
    T* const added = ::new (static_cast<void*>(items(last_) + last_->count)) T(std::forward<Args>(args)...);
    ++last_->count;
    return *added;
  }

 public:
  /// Puts all of `other` behind this list and leaves it empty.
  void take_all(chunk_list& other) noexcept {
    if (other.first_ == nullptr) return;
    (last_ == nullptr ? first_ : last_->next) = other.first_;
    last_ = other.last_;
    other.first_ = other.last_ = nullptr;
  }

  /// Destroys the elements and gives the memory back.
  void clear(arena& memory) noexcept {
    while (first_ != nullptr) {
      header* const gone = first_;
      first_ = gone->next;
      if constexpr (!std::is_trivially_destructible_v<T>) {
        for (std::uint32_t i = 0; i < gone->count; ++i) items(gone)[i].~T();
      }
      memory.deallocate(gone, bytes_for(gone->capacity), align);
    }
    last_ = nullptr;
  }

 private:
  static constexpr std::size_t bytes_for(std::size_t capacity) noexcept { return items_at + capacity * sizeof(T); }
  static constexpr std::size_t fitting(std::size_t bytes) noexcept {
    return bytes < bytes_for(1) ? 1 : (bytes - items_at) / sizeof(T);
  }

  SPILLWAY_NOINLINE void add_chunk(arena& memory) {
    const std::size_t wanted = last_ == nullptr ? 64 : last_->capacity * sizeof(T) * 4;
    const std::size_t capacity = fitting(wanted > 4096 ? 4096 : wanted);
    auto* added = static_cast<header*>(memory.allocate(bytes_for(capacity), align));
    added->next = nullptr;
    added->count = 0;
    added->capacity = static_cast<std::uint32_t>(capacity);
    (last_ == nullptr ? first_ : last_->next) = added;
    last_ = added;
  }

  header* first_ = nullptr;
  header* last_ = nullptr;
};

}  // namespace spillway
