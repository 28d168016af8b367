// What the host's timing is like at the moment: how late sleepers wake, how often a spinning thread is interrupted, how far apart CPUs are.
//
// Each call starts threads of its own and returns when they have ended; the caller's own CPUs stay as they are.
// 1. Every call ends soon after its time is up, even where threads share a CPU or cannot be tied to one.
// 2. A round trip is the least of several batches, so that interruptions do not count; the other figures are about nothing but interruptions.
//
//     latency_matrix m = measure_latency(allowed_cpus(), 1s);      // m.at(0, 1): nanoseconds; 0: not measured
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace spillway::tool {

/// How late a thread wakes that asked to sleep until a moment 200 us away.
struct sleep_jitter {
  std::size_t samples = 0;
  std::chrono::nanoseconds median{0};
  std::chrono::nanoseconds p99{0};
  std::chrono::nanoseconds worst{0};
};
sleep_jitter measure_sleep(std::chrono::nanoseconds budget);

/// Gaps of more than 5 us between readings of the clock by a thread that does nothing else.
struct spin_jitter {
  std::size_t gaps = 0;
  std::chrono::nanoseconds worst{0};
  double lost_percent = 0;  // time in gaps, of all
};
spin_jitter measure_spin(std::chrono::nanoseconds budget);

/// Round trips of one cache line, in nanoseconds, between each two of some CPUs.
struct latency_matrix {
  std::vector<int> cpus;
  std::vector<double> round_trips;  // row by row; 0: not measured, or the same CPU

  double at(std::size_t row, std::size_t column) const { return round_trips[row * cpus.size() + column]; }
};
latency_matrix measure_latency(std::vector<int> cpus, std::chrono::nanoseconds budget);

}  // namespace spillway::tool
