// What a thread does between two looks at memory that another thread writes.
//
// Usable from any thread; holds no state.
// 1. One call per empty poll. A tight load loop keeps pulling the line away from its writer, so one pause makes hand-over
//    faster, not slower; more than one only adds delay.
// 2. Never a system call.
//
//     std::atomic<bool> ready{false};
//     std::thread other([&] { ready.store(true); });
//     while (!ready.load()) cpu_relax();
//     other.join();
#pragma once

#include "spillway/core/config.hpp"

namespace spillway {

/// Tells the processor that this is a spin loop. A few to some tens of nanoseconds.
SPILLWAY_INLINE void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace spillway
