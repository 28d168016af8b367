#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "spillway/time/clock.hpp"

namespace {

using namespace spillway;
using namespace std::chrono_literals;

timestamp system_now() { return timestamp{std::chrono::system_clock::now()}; }

template <class Clock>
void expect_the_date_and_never_back() {
  const Clock clock;
  EXPECT_LT(std::chrono::abs(clock.now() - system_now()), 1s);
  timestamp before = clock.now();
  for (int i = 0; i < 100000; ++i) {
    const timestamp t = clock.now();
    ASSERT_GE(t, before);
    before = t;
  }
}

TEST(clock, monotonic_shows_the_date_and_never_goes_back) { expect_the_date_and_never_back<monotonic_clock>(); }
TEST(clock, tsc_shows_the_date_and_never_goes_back) { expect_the_date_and_never_back<tsc_clock>(); }

TEST(clock, tsc_runs_at_the_rate_of_the_monotonic_clock) {
  const tsc_clock tsc;
  const monotonic_clock steady;
  const timestamp tsc_start = tsc.now();
  const timestamp steady_start = steady.now();
  std::this_thread::sleep_for(50ms);
  const nanoseconds by_tsc = tsc.now() - tsc_start;
  const nanoseconds by_steady = steady.now() - steady_start;
  // Wide, because the thread may lose its CPU between the two readings.
  EXPECT_LT(std::chrono::abs(by_tsc - by_steady), 20ms);
}

TEST(clock, manual_shows_what_was_set_and_adds_up_what_threads_advance) {
  manual_clock clock;
  EXPECT_EQ(clock.now(), timestamp{0});
  clock.set(timestamp{100});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) clock.advance(2ns);
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(clock.now(), timestamp{8100});
  clock.advance(nanoseconds::max());
  EXPECT_EQ(clock.now(), timestamp::maximum());
}

TEST(clock, manual_publishes_what_was_written_before_it_was_set) {
  manual_clock clock;
  int written = 0;
  std::thread setter([&] {
    written = 42;
    clock.set(timestamp{1});
  });
  while (clock.now() < timestamp{1}) std::this_thread::yield();
  EXPECT_EQ(written, 42);
  setter.join();
}

}  // namespace
