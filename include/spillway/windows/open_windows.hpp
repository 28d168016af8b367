// The aligned windows that may still take records: which keys each one has, and what is due when.
//
// Owned by one stage: one thread at a time.
// 1. A window is made when its first key enters it and is dropped when it is cleaned up.
// 2. `due` holds exactly one element per window: its firing, then its clean-up. Elements come in order of time, then of number, so
//    windows are cleaned up in ascending order.
//
//     arena memory;
//     open_windows windows;
//     windows.open(memory);
//     const std::uint32_t key = 0;                    // the index of the key's entry
//     if (!windows.enter(7, key)) windows.make(7, key, timestamp(8s), false);      // window 7 is due at 8 s
//     assert(windows.next_due(timestamp(7s)) == nullptr && windows.next_due(timestamp(8s))->number == 7);
#pragma once

#include <cstdint>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/state/keyed_table.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/chunk_list.hpp"
#include "spillway/windows/due_heap.hpp"

namespace spillway {

class open_windows {
 public:
  using key_cursor = chunk_list<std::uint32_t>::cursor;
  struct due {
    timestamp at;
    std::int64_t number;
    std::uint32_t window;
    bool clean_up;
    bool before(const due& other) const noexcept { return at != other.at ? at < other.at : number < other.number; }
  };

  void open(arena& memory) noexcept {
    memory_ = &memory;
    windows_.open(memory);
    due_.open(memory);
  }

  std::uint32_t size() const noexcept { return windows_.size(); }

  /// Adds a key to window `n`. False, and nothing is done, if the window is not there.
  SPILLWAY_INLINE bool enter(std::int64_t n, std::uint32_t key) {
    if (latest_ == none || latest_number_ != n) [[unlikely]] {
      const std::uint32_t found = windows_.find(n);
      if (found == none) return false;
      latest_ = found;
      latest_number_ = n;
    }
    windows_.entry(latest_).append(*memory_, key);
    return true;
  }

  /// Makes window `n` with its first key; at `at` it fires, or is cleaned up if it has fired already. Requires: it is not there.
  SPILLWAY_NOINLINE void make(std::int64_t n, std::uint32_t key, timestamp at, bool fired) {
    bool made = false;
    latest_ = windows_.find_or_insert(n, made);
    latest_number_ = n;
    windows_.entry(latest_).append(*memory_, key);
    push({at, n, latest_, fired});
  }

  /// Nothing is due before this time.
  SPILLWAY_INLINE timestamp earliest() const noexcept { return earliest_; }
  /// What is due first, if it is due at `watermark`, else null.
  SPILLWAY_INLINE const due* next_due(timestamp watermark) const noexcept {
    return !due_.empty() && due_.top().at <= watermark ? &due_.top() : nullptr;
  }
  void pop_due() noexcept {
    due_.pop();
    note_earliest();
  }
  void plan_clean_up(const due& fired, timestamp at) { push({at, fired.number, fired.window, true}); }

  key_cursor keys(std::uint32_t window) const noexcept { return windows_.entry(window).begin(); }

  /// Forgets a window.
  void drop(std::uint32_t window) {
    windows_.entry(window).clear(*memory_);
    windows_.erase(window);
    latest_ = none;
  }

 private:
  static constexpr std::uint32_t none = keyed_table<std::int64_t, chunk_list<std::uint32_t>>::none;

  void push(const due& added) {
    due_.push(added);
    note_earliest();
  }
  void note_earliest() noexcept { earliest_ = due_.empty() ? timestamp::maximum() : due_.top().at; }

  arena* memory_ = nullptr;
  keyed_table<std::int64_t, chunk_list<std::uint32_t>> windows_;
  due_heap<due> due_;
  std::uint32_t latest_ = none;
  std::int64_t latest_number_ = 0;
  timestamp earliest_ = timestamp::maximum();
};

}  // namespace spillway
