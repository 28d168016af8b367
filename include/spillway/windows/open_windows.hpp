// The aligned windows that may still take records: which keys each one has, and what is due when.
//
// Owned by one stage: one thread at a time.
// 1. A window is made when its first key enters it and is dropped when it is cleaned up.
// 2. `due` holds exactly one element per window: its firing, then its clean-up. Elements come in order of time, then of number, so
//    windows are cleaned up in ascending order.
//
//     open_windows windows;
//     windows.open(memory);
//     windows.enter(n, key_index, last, lateness, watermark);
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

  /// Adds a key to window `n`, whose last instant is `last`; makes the window if it is not there. True if it was made.
  SPILLWAY_INLINE bool enter(std::int64_t n, std::uint32_t key, timestamp last, nanoseconds lateness, timestamp watermark) {
    if (latest_ == none || latest_number_ != n) [[unlikely]] {
      if (find_or_make(n, last, lateness, watermark)) {
        windows_.entry(latest_).append(*memory_, key);
        return true;
      }
    }
    windows_.entry(latest_).append(*memory_, key);
    return false;
  }

  /// What is due first, if it is due at `watermark`, else null.
  SPILLWAY_INLINE const due* next_due(timestamp watermark) const noexcept {
    return !due_.empty() && due_.top().at <= watermark ? &due_.top() : nullptr;
  }
  void pop_due() noexcept { due_.pop(); }
  void plan_clean_up(const due& fired, timestamp at) { due_.push({at, fired.number, fired.window, true}); }

  key_cursor keys(std::uint32_t window) const noexcept { return windows_.entry(window).begin(); }

  /// Forgets a window.
  void drop(std::uint32_t window) {
    windows_.entry(window).clear(*memory_);
    windows_.erase(window);
    latest_ = none;
  }

 private:
  static constexpr std::uint32_t none = keyed_table<std::int64_t, chunk_list<std::uint32_t>>::none;

  SPILLWAY_NOINLINE bool find_or_make(std::int64_t n, timestamp last, nanoseconds lateness, timestamp watermark) {
    bool made = false;
    latest_ = windows_.find_or_insert(n, made);
    latest_number_ = n;
    if (!made) return false;
    const bool fired = last <= watermark;
    due_.push({fired ? last + lateness : last, n, latest_, fired});
    return true;
  }

  arena* memory_ = nullptr;
  keyed_table<std::int64_t, chunk_list<std::uint32_t>> windows_;
  due_heap<due> due_;
  std::uint32_t latest_ = none;
  std::int64_t latest_number_ = 0;
};

}  // namespace spillway
