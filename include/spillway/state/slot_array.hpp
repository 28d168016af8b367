// The array of slots under a keyed table: hash bits and entry index, linear probing, erasing by shifting back.
//
// A plain value that owns nothing by itself: whoever makes it gives it back.
// 1. The size is a power of two. A slot's home is named by the top bits of its hash, so doubling the size keeps the order of homes:
//    moving to a larger array reads and writes memory in order.
// 2. Between a slot's home and the slot there is no empty slot. Hash bits of 0 mean empty, so the user's are never 0.
// 3. The default value is a static pair of empty slots: it can be searched, but nothing may be put there.
//
//     arena memory;
//     slot_array slots = slot_array::make(memory, 64);
//     slots.clear(0, slots.size());
//     const std::uint32_t hash = 0x8000'0001;
//     slots.put(hash, 7);
//     assert(slots.slots[slots.home(hash)].index == 7);
//     slots.give_back(memory);
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"

namespace spillway {

namespace detail {

struct table_slot {
  std::uint32_t hash = 0;  // 0: the slot is empty
  std::uint32_t index = 0;
};

// What a table without memory searches; never written.
inline table_slot no_slots[2];

}  // namespace detail

struct slot_array {
  using slot = detail::table_slot;

  /// Slots of the smallest array that can be filled.
  static constexpr std::size_t smallest = 16;
  static constexpr std::size_t largest = std::size_t{1} << 32;

  slot* slots = detail::no_slots;
  std::uint32_t mask = 1;
  std::uint32_t shift = 31;

  /// An array of `size` slots, not yet cleared. Requires: `size` is a power of two, from `smallest` to 2^32. Throws std::bad_alloc.
  static slot_array make(arena& memory, std::size_t size) {
    slot_array made;
    made.slots = static_cast<slot*>(memory.allocate(size * sizeof(slot), cache_line_bytes));
    made.mask = static_cast<std::uint32_t>(size - 1);
    made.shift = static_cast<std::uint32_t>(32 - std::countr_zero(size));
    return made;
  }

  void give_back(arena& memory) noexcept { memory.deallocate(slots, size() * sizeof(slot), cache_line_bytes); }

  /// Slots that take `keys` without growing.
  static std::size_t slots_for(std::size_t keys) noexcept {
    std::size_t size = smallest;
    while (size / 8 * grow_at_eighths < keys) size *= 2;
    return size;
  }

  std::size_t size() const noexcept { return std::size_t{mask} + 1; }

  /// The number of keys at which the next array is started; it is in place before one eighth more have come.
  std::size_t grow_at() const noexcept { return size() < smallest ? 0 : size() / 8 * grow_at_eighths; }

  SPILLWAY_INLINE std::uint32_t home(std::uint32_t hash) const noexcept { return hash >> shift; }
  SPILLWAY_INLINE std::uint32_t next(std::uint32_t at) const noexcept { return (at + 1) & mask; }
  std::uint32_t wrap(std::size_t at) const noexcept { return static_cast<std::uint32_t>(at) & mask; }

  /// Steps forward from one position to another, around the end.
  std::uint32_t distance(std::uint32_t from, std::uint32_t to) const noexcept { return (to - from) & mask; }

  void clear(std::size_t first, std::size_t n) noexcept {
    for (std::size_t at = first; at < first + n; ++at) slots[at] = slot{};
  }

  /// Requires: there is an empty slot, and `hash` is not 0.
  void put(std::uint32_t hash, std::uint32_t index) noexcept {
    std::uint32_t at = home(hash);
    while (slots[at].hash != 0) at = next(at);
    slots[at] = slot{hash, index};
  }

  /// Requires: `index` is there under `hash`.
  void remove(std::uint32_t hash, std::uint32_t index) noexcept {
    std::uint32_t hole = home(hash);
    while (slots[hole].index != index) hole = next(hole);
    for (std::uint32_t at = next(hole); slots[at].hash != 0; at = next(at)) {
      // A slot may move back into the hole unless that is before its home.
      if (distance(home(slots[at].hash), at) < distance(hole, at)) continue;
      slots[hole] = slots[at];
      hole = at;
    }
    slots[hole] = slot{};
  }

  /// The position behind the first empty slot. Requires: there is an empty slot.
  std::uint32_t after_first_gap() const noexcept {
    std::uint32_t at = 0;
    while (slots[at].hash != 0) ++at;
    return next(at);
  }

 private:
  // Growth starts at 5/8 and ends before 3/4.
  static constexpr std::size_t grow_at_eighths = 5;
};

}  // namespace spillway
