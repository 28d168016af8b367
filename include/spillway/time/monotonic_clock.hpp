// The operating system's steady clock, moved to the date at which it was made.
//
// A value; any thread may call `now`. 1. Never goes back. 2. Two of them may differ by what the system clock was set in between.
//
//     sw::monotonic_clock clock;
//     const sw::timestamp before = clock.now();
//     const std::chrono::nanoseconds took = clock.now() - before;
//     assert(took >= 0ns);
#pragma once

#include <chrono>

#include "spillway/time/timestamp.hpp"

namespace spillway {

class monotonic_clock {
 public:
  monotonic_clock() noexcept
      : offset_(std::chrono::duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()) - steady()) {}

  timestamp now() const noexcept { return timestamp{steady() + offset_}; }

 private:
  static nanoseconds steady() noexcept {
    return std::chrono::duration_cast<nanoseconds>(std::chrono::steady_clock::now().time_since_epoch());
  }

  nanoseconds offset_;
};

}  // namespace spillway
