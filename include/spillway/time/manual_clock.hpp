// A clock that stands still until it is moved: for tests, replays and simulated time.
//
// Any thread may read and move it; it is shared by reference.
// 1. It shows exactly what was set last; setting it back is allowed.
// 2. Who reads a time also sees everything that its setter wrote before setting it.
//
//     sw::manual_clock clock(sw::timestamp(0));
//     clock.advance(4s);
//     assert(clock.now() == sw::timestamp(4s));
#pragma once

#include <atomic>
#include <cstdint>

#include "spillway/time/timestamp.hpp"

namespace spillway {

class manual_clock {
 public:
  explicit manual_clock(timestamp start = timestamp{0}) noexcept : ns_(start.ns) {}

  // Acquire pairs with the release in `set` and `advance`; without the pair invariant 2 breaks.
  timestamp now() const noexcept { return timestamp{ns_.load(std::memory_order_acquire)}; }

  void set(timestamp t) noexcept { ns_.store(t.ns, std::memory_order_release); }

  /// Moves the clock by `d`, saturating; concurrent calls add up.
  void advance(nanoseconds d) noexcept {
    std::int64_t before = ns_.load(std::memory_order_relaxed);
    // The release pairs with the acquire in `now`; a failed exchange publishes nothing, so relaxed is enough for it.
    while (!ns_.compare_exchange_weak(before, saturating_add(before, d.count()), std::memory_order_release,
                                      std::memory_order_relaxed)) {}
  }

 private:
  std::atomic<std::int64_t> ns_;
};

}  // namespace spillway
