// The processor's time-stamp counter as a clock: about 10 ns to read, without a system call.
//
// A value; any thread may call `now`.
// 1. The counter's rate is measured once per process against the steady clock, within about 10 parts in a million; making the first
//    tsc_clock takes 10 ms for it. Over long runs it drifts from the steady clock by that much; make a new one to set it right.
// 2. Where the counter is missing or does not run evenly (`uses_counter()` is false) it reads the monotonic clock instead.
// 3. In one thread it never goes back; between CPUs it is as even as the machine's counters are.
//
//     sw::tsc_clock clock;
//     const sw::timestamp before = clock.now();
//     const std::chrono::nanoseconds took = clock.now() - before;
//     if (!clock.uses_counter()) std::cout << "this machine's counter is not even\n";
//     assert(took >= 0ns);
#pragma once

#include <cstdint>

#include "spillway/core/config.hpp"
#include "spillway/time/monotonic_clock.hpp"
#include "spillway/time/timestamp.hpp"

#if (defined(__x86_64__) || defined(__i386__)) && defined(__SIZEOF_INT128__)
#define SPILLWAY_HAS_TSC 1
#else
#define SPILLWAY_HAS_TSC 0
#endif

namespace spillway {

class tsc_clock {
 public:
  tsc_clock() noexcept;

  SPILLWAY_INLINE timestamp now() const noexcept {
#if SPILLWAY_HAS_TSC
    if (ns_per_tick_ != 0) [[likely]] {
      __extension__ using wide = __int128;
      const auto ticks = static_cast<std::int64_t>(__builtin_ia32_rdtsc() - start_ticks_);
      return timestamp{start_ns_ + static_cast<std::int64_t>((static_cast<wide>(ticks) * ns_per_tick_) >> fraction_bits)};
    }
#endif
    return monotonic_.now();
  }

  /// False where the clock reads the monotonic clock.
  bool uses_counter() const noexcept { return ns_per_tick_ != 0; }

 private:
  static constexpr int fraction_bits = 32;

  std::uint64_t start_ticks_ = 0;
  std::int64_t start_ns_ = 0;
  std::int64_t ns_per_tick_ = 0;  // times 2^32
  monotonic_clock monotonic_;
};

}  // namespace spillway
