// Timers by time: a wheel of 8 levels with 256 slots each, a level for every byte of the 64-bit time.
//
// Owned by one stage: one thread at a time. It stores list heads only; times and links lie with the caller, who passes them as `nodes`:
// `nodes.time(i)` is timer i's time (unsigned, order kept) and `nodes.link(i)` its `timer_link`.
// 1. `now` only rises. A timer at or after it lies in the level of the highest byte in which its time differs from `now`, in the
//    slot that this byte names. So the place of a timer follows from its time, and equal times are in one list, in order of arrival.
// 2. All timers of a level come before all of the next; all of a slot before all of the next. A slot of level 0 holds one time.
// 3. A slot whose turn has come is scanned if its list is short; else `now` rises to the earliest time in it and its timers move to
//    lower levels. Every timer moves at most 7 times in its life, however many there are.
// 4. `now` never rises above the time up to which timers were asked for.
//
//     struct entries {
//       std::uint64_t times[2] = {50, 20};
//       timer_link links[2];
//       std::uint64_t time(std::uint32_t i) const { return times[i]; }
//       timer_link& link(std::uint32_t i) { return links[i]; }
//     };
//
//     arena memory;
//     timer_wheel wheel;
//     wheel.open(memory);
//     wheel.prepare();
//     entries nodes;
//     wheel.put(nodes, 0);
//     wheel.put(nodes, 1);
//     std::uint64_t not_before = 0;
//     assert(wheel.take_due(nodes, 30, not_before) == 1);
//     assert(wheel.take_due(nodes, 30, not_before) == timer_wheel::none && not_before == 50);
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"

namespace spillway {

struct timer_link {
  std::uint32_t previous = 0xffffffffu;
  std::uint32_t next = 0xffffffffu;
};

class timer_wheel {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  timer_wheel() noexcept = default;
  timer_wheel(timer_wheel&& other) noexcept { swap(other); }
  timer_wheel& operator=(timer_wheel&& other) noexcept {
    timer_wheel taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~timer_wheel() {
    if (slots_ != nullptr) memory_->deallocate(slots_, slots_bytes, cache_line_bytes);
  }

  void open(arena& memory) noexcept { memory_ = &memory; }
  /// Takes the memory for the slots, 32 KiB, if it was not taken yet. Throws std::bad_alloc.
  SPILLWAY_INLINE void prepare() {
    if (slots_ == nullptr) [[unlikely]]
      slots_ = static_cast<slot*>(memory_->allocate(slots_bytes, cache_line_bytes));
  }

  std::uint64_t now() const noexcept { return now_; }
  bool empty() const noexcept { return levels_ == 0; }

  /// Requires: `prepare` was called, and the time is not before `now`.
  template <class Nodes>
  SPILLWAY_INLINE void put(Nodes& nodes, std::uint32_t i) noexcept {
    const std::uint64_t time = nodes.time(i);
    const place p = place_of(time);
    slot& s = at(p);
    if (!occupied(p)) {
      s = slot{time, i, i};
      nodes.link(i) = timer_link{none, none};
      occupy(p);
      return;
    }
    if (time < s.not_before) s.not_before = time;
    nodes.link(i) = timer_link{s.last, none};
    nodes.link(s.last).next = i;
    s.last = i;
  }

  /// Requires: `i` is in the wheel.
  template <class Nodes>
  SPILLWAY_INLINE void take(Nodes& nodes, std::uint32_t i) noexcept {
    unlink(nodes, place_of(nodes.time(i)), i);
  }

  /// Takes out the earliest timer if its time is not after `until`; of equal times the one that arrived first. If there is none, sets
  /// `not_before` to a time before which none of the timers is.
  template <class Nodes>
  std::uint32_t take_due(Nodes& nodes, std::uint64_t until, std::uint64_t& not_before) noexcept {
    for (;;) {
      if (levels_ == 0) {
        not_before = never;
        return none;
      }
      const place p = first_place();
      slot& s = at(p);
      if (s.not_before > until) {
        not_before = s.not_before;
        return none;
      }
      if (p.level == 0 || s.first == s.last) return take_if_due(nodes, p, s.first, until, not_before);
      const scan found = scan_short(nodes, s);
      if (found.complete) {
        s.not_before = found.earliest;
        const std::uint32_t i = take_if_due(nodes, p, found.index, until, not_before);
        if (i != none && occupied(p)) s.not_before = found.second;
        return i;
      }
      move_down(nodes, p, s.not_before);
    }
  }

  /// The earliest time, or `never`. Walks one list.
  template <class Nodes>
  std::uint64_t earliest(Nodes& nodes) const noexcept {
    if (levels_ == 0) return never;
    std::uint64_t least = never;
    for (std::uint32_t i = at(first_place()).first; i != none; i = nodes.link(i).next) {
      if (nodes.time(i) < least) least = nodes.time(i);
    }
    return least;
  }

  /// Calls f(index) for every timer; equal times in the order in which they come due. `f` changes nothing here.
  template <class Nodes, class F>
  void for_each(Nodes& nodes, F&& f) const {
    for (unsigned level = 0; level < level_count; ++level) {
      for (unsigned word = 0; word < words; ++word) {
        for (std::uint64_t left = bits_[level][word]; left != 0; left &= left - 1) {
          const place p{level, word * 64 + static_cast<unsigned>(std::countr_zero(left))};
          for (std::uint32_t i = at(p).first; i != none; i = nodes.link(i).next) f(i);
        }
      }
    }
  }

 private:
  static constexpr unsigned level_count = 8;
  static constexpr unsigned slot_count = 256;
  static constexpr unsigned words = slot_count / 64;
  // Longest list that is scanned for its earliest timer; a longer one is moved down. Short ones would cost more to move than to scan.
  static constexpr unsigned longest_scan = 6;

  struct slot {
    std::uint64_t not_before;  // no timer in the list is before it; it lies in the slot's range
    std::uint32_t first;
    std::uint32_t last;
  };
  struct place {
    unsigned level;
    unsigned position;
  };
  struct scan {
    std::uint64_t earliest;
    std::uint64_t second;  // the next one, perhaps equal
    std::uint32_t index;
    bool complete;
  };
  static constexpr std::size_t slots_bytes = level_count * slot_count * sizeof(slot);

  slot& at(place p) const noexcept { return slots_[p.level * slot_count + p.position]; }
  bool occupied(place p) const noexcept { return (bits_[p.level][p.position / 64] >> (p.position % 64) & 1) != 0; }
  void occupy(place p) noexcept {
    bits_[p.level][p.position / 64] |= std::uint64_t{1} << (p.position % 64);
    levels_ |= 1u << p.level;
  }
  void vacate(place p) noexcept {
    bits_[p.level][p.position / 64] &= ~(std::uint64_t{1} << (p.position % 64));
    std::uint64_t any = 0;
    for (const std::uint64_t word : bits_[p.level]) any |= word;
    if (any == 0) levels_ &= ~(1u << p.level);
  }

  SPILLWAY_INLINE place place_of(std::uint64_t time) const noexcept {
    const auto level = static_cast<unsigned>(63 - std::countl_zero((time ^ now_) | 1)) / 8;
    return {level, static_cast<unsigned>(time >> (8 * level)) & (slot_count - 1)};
  }
  // Requires: there is a timer.
  place first_place() const noexcept {
    const auto level = static_cast<unsigned>(std::countr_zero(levels_));
    unsigned word = 0;
    while (bits_[level][word] == 0) ++word;
    return {level, word * 64 + static_cast<unsigned>(std::countr_zero(bits_[level][word]))};
  }

  template <class Nodes>
  SPILLWAY_INLINE void unlink(Nodes& nodes, place p, std::uint32_t i) noexcept {
    const timer_link gone = nodes.link(i);
    if (gone.previous == none && gone.next == none) return vacate(p);
    slot& s = at(p);
    (gone.previous == none ? s.first : nodes.link(gone.previous).next) = gone.next;
    (gone.next == none ? s.last : nodes.link(gone.next).previous) = gone.previous;
  }

  template <class Nodes>
  SPILLWAY_INLINE std::uint32_t take_if_due(Nodes& nodes, place p, std::uint32_t i, std::uint64_t until,
                                            std::uint64_t& not_before) noexcept {
    const std::uint64_t time = nodes.time(i);
    not_before = time;
    if (time > until) {
      at(p).not_before = time;
      return none;
    }
    unlink(nodes, p, i);
    return i;
  }

  template <class Nodes>
  SPILLWAY_INLINE scan scan_short(Nodes& nodes, const slot& s) const noexcept {
    scan found{nodes.time(s.first), never, s.first, false};
    std::uint32_t i = nodes.link(s.first).next;
    for (unsigned n = 1; i != none; ++n, i = nodes.link(i).next) {
      if (n == longest_scan) return found;
      const std::uint64_t time = nodes.time(i);
      if (time < found.earliest) {
        found.second = found.earliest;
        found.earliest = time;
        found.index = i;
      } else if (time < found.second) {
        found.second = time;
      }
    }
    found.complete = true;
    return found;
  }

  // Raises `now` to a time in the slot's range; its timers then belong to lower levels, and those of all other slots stay where they are.
  template <class Nodes>
  void move_down(Nodes& nodes, place p, std::uint64_t to) noexcept {
    std::uint32_t i = at(p).first;
    vacate(p);
    now_ = to;
    while (i != none) {
      const std::uint32_t next = nodes.link(i).next;
      put(nodes, i);
      i = next;
    }
  }

  void swap(timer_wheel& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(slots_, other.slots_);
    std::swap(now_, other.now_);
    std::swap(levels_, other.levels_);
    std::swap(bits_, other.bits_);
  }

  slot* slots_ = nullptr;
  std::uint64_t now_ = 0;
  unsigned levels_ = 0;  // a bit for each level that holds a timer
  std::uint64_t bits_[level_count][words] = {};
  arena* memory_ = nullptr;
};

}  // namespace spillway
