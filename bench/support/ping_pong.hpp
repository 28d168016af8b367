// How far apart two CPUs are at the moment: virtual ones move between the host's cores, and with them every figure of two threads.
//
// A probe bounces one cache line a thousand times between two pinned threads. Its round trip says which class a sample belongs to: S, two threads of one
// core; C, cores that share a cache; X, others. Only samples of one class are compared.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "bench/support/pin.hpp"
#include "spillway/core/cpu_relax.hpp"

namespace bench {

/// Nanoseconds of one round trip between the first two CPUs; 0 where there is only one.
inline double round_trip_ns() {
  if (cpus().size() < 2) return 0;
  constexpr int rounds = 1000;
  alignas(128) std::atomic<int> ball{0};
  std::thread other([&] {
    pin(1);
    for (int i = 1; i <= rounds; ++i) {
      while (ball.load(std::memory_order_acquire) != 2 * i - 1) spillway::cpu_relax();
      ball.store(2 * i, std::memory_order_release);
    }
  });
  pin(0);
  std::chrono::steady_clock::time_point began;
  for (int i = 1; i <= rounds; ++i) {
    if (i == rounds / 4) began = std::chrono::steady_clock::now();
    ball.store(2 * i - 1, std::memory_order_release);
    while (ball.load(std::memory_order_acquire) != 2 * i) spillway::cpu_relax();
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
  other.join();
  return took.count() / (rounds - rounds / 4);
}

/// 'S', 'C' or 'X'; '1' for a host with one CPU. The limits are those at which the round trips of a virtual Zen 3 fall apart.
inline char core_class(double round_trip) {
  if (round_trip == 0) return '1';
  if (round_trip < 42) return 'S';
  return round_trip < 200 ? 'C' : 'X';
}

}  // namespace bench
