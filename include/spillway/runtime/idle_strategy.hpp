// What a thread does when a duty cycle of its agents found nothing to do.
//
// One `idler` belongs to one thread.
// 1. A producer never makes a system call to wake a consumer: parking is a sleep of bounded length.
// 2. `spin` and `busy_spin` never give the CPU away, so the runner refuses them where threads outnumber CPUs.
// 3. Any work found resets a strategy to its first, quickest step.
//
//     std::atomic<int> work{0};
//     std::thread other([&] { work = 7; });
//     sw::idler idle(sw::idle_strategy::backoff);
//     while (work == 0) idle(0);                      // nothing found: spins, then yields, then sleeps
//     idle(7);                                        // work found: spins again the next time
//     other.join();
//     assert(sw::idle_strategy_named("yield") == sw::idle_strategy::yield);
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <thread>

#include "spillway/core/cpu_relax.hpp"

namespace spillway {

enum class idle_strategy {
  busy_spin,  // poll again at once
  spin,       // one pause instruction between polls
  yield,      // let other threads run
  backoff,    // spin, then yield, then sleep up to 1 ms
  sleep,      // sleep 50 us at once
};

constexpr std::string_view name_of(idle_strategy s) noexcept {
  switch (s) {
    case idle_strategy::busy_spin:
      return "busy-spin";
    case idle_strategy::spin:
      return "spin";
    case idle_strategy::yield:
      return "yield";
    case idle_strategy::backoff:
      return "backoff";
    case idle_strategy::sleep:
      return "sleep";
  }
  return "?";
}

/// The strategy of that name, if there is one.
constexpr std::optional<idle_strategy> idle_strategy_named(std::string_view name) noexcept {
  for (const idle_strategy s :
       {idle_strategy::busy_spin, idle_strategy::spin, idle_strategy::yield, idle_strategy::backoff, idle_strategy::sleep}) {
    if (name == name_of(s)) return s;
  }
  return std::nullopt;
}

class idler {
 public:
  /// `crowded`: more threads than CPUs; waiting then always gives the CPU away.
  explicit idler(idle_strategy strategy, bool crowded = false) noexcept : strategy_(strategy), crowded_(crowded) {}

  void operator()(std::size_t work) {
    if (work > 0) {
      rounds_ = 0;
      return;
    }
    ++rounds_;
    switch (strategy_) {
      case idle_strategy::busy_spin:
        break;
      case idle_strategy::spin:
        cpu_relax();
        break;
      case idle_strategy::yield:
        std::this_thread::yield();
        break;
      case idle_strategy::sleep:
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        break;
      case idle_strategy::backoff:
        back_off();
        break;
    }
  }

 private:
  void back_off() {
    if (rounds_ <= spins && !crowded_) {
      cpu_relax();
    } else if (rounds_ <= spins + yields) {
      std::this_thread::yield();
    } else {
      const std::size_t doublings = (rounds_ - spins - yields) / 16;
      std::this_thread::sleep_for(std::chrono::microseconds(doublings >= 5 ? 1000 : std::size_t{50} << doublings));
    }
  }

  static constexpr std::size_t spins = 200;
  static constexpr std::size_t yields = 100;

  idle_strategy strategy_;
  bool crowded_;
  std::size_t rounds_ = 0;
};

}  // namespace spillway
