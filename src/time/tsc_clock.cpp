#include "spillway/time/tsc_clock.hpp"

#include <limits>

#if SPILLWAY_HAS_TSC
#include <cpuid.h>
#endif

namespace spillway {

#if SPILLWAY_HAS_TSC
namespace {

struct reading {
  std::uint64_t ticks;
  std::int64_t ns;
};

// Runs at one rate in every power state and does not stop; else the counter is no clock.
bool counter_is_even() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned power_leaf = 0x80000007u;
  constexpr unsigned invariant_bit = 1u << 8;
  return __get_cpuid(power_leaf, &a, &b, &c, &d) != 0 && (d & invariant_bit) != 0;
}

// Both clocks at one moment: of several tries the one in which the two readings around the counter lie closest together.
reading read_both(const monotonic_clock& clock) noexcept {
  reading best{};
  std::int64_t closest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 32; ++i) {
    const std::int64_t before = clock.now().ns;
    const std::uint64_t ticks = __builtin_ia32_rdtsc();
    const std::int64_t apart = clock.now().ns - before;
    if (apart < closest) {
      closest = apart;
      best = {ticks, before + apart / 2};
    }
  }
  return best;
}

// 0 when the counter cannot be used.
std::int64_t measure_ns_per_tick() noexcept {
  if (!counter_is_even()) return 0;
  constexpr std::int64_t calibration_ns = 10'000'000;
  const monotonic_clock clock;
  const reading first = read_both(clock);
  while (clock.now().ns - first.ns < calibration_ns) {}
  const reading second = read_both(clock);
  if (second.ticks <= first.ticks) return 0;
  const double rate = static_cast<double>(second.ns - first.ns) / static_cast<double>(second.ticks - first.ticks);
  return static_cast<std::int64_t>(rate * 4294967296.0);
}

}  // namespace

tsc_clock::tsc_clock() noexcept {
  static const std::int64_t rate = measure_ns_per_tick();
  const reading start = read_both(monotonic_);
  start_ticks_ = start.ticks;
  start_ns_ = start.ns;
  ns_per_tick_ = rate;
}
#else
tsc_clock::tsc_clock() noexcept = default;
#endif

}  // namespace spillway
