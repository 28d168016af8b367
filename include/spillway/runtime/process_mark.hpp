// Remembers in which process something was started, so that a forked child, which has none of its threads, is told so instead of waiting for them.
//
// A value; `here` and `check` may be called from any thread.
// 1. A child made by `fork` is told apart without a system call: a handler in the child counts the forks behind it. `vfork`, `posix_spawn` and
//    whatever goes on to `exec` are no concern.
// 2. A mark taken in the child is the child's own: it may make and run pipelines of its own. A mark that was never taken is valid everywhere.
//
//     const process_mark started = process_mark::here();
//     started.check();                                // throws std::logic_error in a forked child
//     assert(started.valid());
#pragma once

#include <atomic>
#include <cstdint>

#include "spillway/core/config.hpp"

namespace spillway {

class process_mark {
 public:
  /// The mark of the calling process. Throws std::bad_alloc.
  static process_mark here();

  /// False in a child that was forked since.
  SPILLWAY_INLINE bool valid() const noexcept {
    // Relaxed: a child has one thread, and its fork came before all it does.
    return forks_ == forks_behind_.load(std::memory_order_relaxed) || forks_ == never_taken;
  }
  /// Throws std::logic_error in a child that was forked since.
  SPILLWAY_INLINE void check() const {
    if (!valid()) [[unlikely]]
      refuse();
  }

 private:
  friend struct fork_counter;
  [[noreturn]] SPILLWAY_COLD static void refuse();

  inline static std::atomic<std::uint32_t> forks_behind_{0};  // how many forks lie between this process and the first

  static constexpr std::uint32_t never_taken = 0xffff'ffff;
  std::uint32_t forks_ = never_taken;
};

}  // namespace spillway
