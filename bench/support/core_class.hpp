// One sample of two jobs on two pinned CPUs, with the class of the distance between them at the time.
//
// Starts two threads and returns when both have ended.
// 1. Both jobs run once to warm up, untimed; then a ping-pong before and one after the timed run say how far apart the CPUs are. A sample whose class
//    changed, or during which either thread lost its CPU, is spoilt.
// 2. Where it is permitted, both threads run ahead of other work for the few milliseconds of the sample.
// 3. The time is from the moment when both are ready until the later one has ended.
//
//     sample s = on_two_cpus([&](bool warm) { produce(warm); }, [&](bool warm) { consume(warm); });
#pragma once

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bench/support/pin.hpp"
#include "bench/support/ping_pong.hpp"
#include "spillway/core/cpu_relax.hpp"

namespace bench {

struct sample {
  double seconds = 0;
  char where = '?';  // S, C, X or 1
  bool spoilt = false;
  bool right = true;
};

namespace detail {

using clock = std::chrono::steady_clock;

inline long lost_cpu() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nivcsw;
}

inline void run_ahead() {
  if (cpus().size() < 2) return;
  sched_param first{};
  first.sched_priority = 1;
  (void)sched_setscheduler(0, SCHED_FIFO, &first);
}

/// The line that both threads bounce; each meeting also makes what came before it visible to the other.
struct table {
  alignas(128) std::atomic<int> ball{0};

  void await(int value) const {
    // Acquire pairs with the other side's release store.
    for (unsigned polls = 1; ball.load(std::memory_order_acquire) != value; ++polls) {
      spillway::cpu_relax();
      if (polls % 4096 == 0) std::this_thread::yield();
    }
  }
  void hit(int value) { ball.store(value, std::memory_order_release); }
};

constexpr int rallies = 10;
constexpr int rally = 100;

/// Nanoseconds of the least round trip of several rallies, so that an interruption does not count. Starts from ball == base.
inline double serve(table& t, int base) {
  double least = 1e18;
  for (int r = 0; r < rallies; ++r) {
    const auto began = clock::now();
    for (int i = 0; i < rally; ++i) {
      t.hit(++base);
      t.await(++base);
    }
    least = std::min(least, std::chrono::duration<double, std::nano>(clock::now() - began).count() / rally);
  }
  return least;
}
inline void answer(table& t, int base) {
  for (int i = 0; i < rallies * rally; ++i, base += 2) {
    t.await(base + 1);
    t.hit(base + 2);
  }
}

}  // namespace detail

template <class First, class Second>
sample on_two_cpus(First&& first, Second&& second) {
  using namespace detail;
  constexpr int after_probe = 2 * rallies * rally;
  table t;
  clock::time_point ends[2];
  long lost[2] = {0, 0};
  std::thread other([&] {
    pin(1);
    run_ahead();
    second(true);
    answer(t, 0);
    const long before = lost_cpu();
    t.await(after_probe + 1);
    second(false);
    ends[1] = clock::now();
    lost[1] = lost_cpu() - before;
    answer(t, after_probe + 1);
  });
  sample s;
  double distance[2] = {0, 0};
  std::thread one([&] {
    pin(0);
    run_ahead();
    first(true);
    distance[0] = serve(t, 0);
    const long before = lost_cpu();
    const auto began = clock::now();
    t.hit(after_probe + 1);
    first(false);
    ends[0] = clock::now();
    lost[0] = lost_cpu() - before;
    distance[1] = serve(t, after_probe + 1);
    s.seconds = std::chrono::duration<double>(ends[0] - began).count();
  });
  one.join();
  other.join();
  s.seconds = std::max(s.seconds, s.seconds + std::chrono::duration<double>(ends[1] - ends[0]).count());
  s.where = cpus().size() < 2 ? '1' : core_class(distance[0]);
  s.spoilt = cpus().size() >= 2 && (s.where != core_class(distance[1]) || lost[0] + lost[1] != 0);
  return s;
}

}  // namespace bench
