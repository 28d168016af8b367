// Records taken by the application in its own thread.
#include "spillway/runtime/outlet.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace std::chrono_literals;

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

/// Polls until the outlet is done; lets others have the CPU when there is nothing. Returns how many records came.
template <class T, class F>
std::size_t take_all(sw::outlet<T>& out, F&& f, std::size_t limit = sw::outlet<T>::no_limit) {
  sw::idler idle(sw::idle_strategy::yield);
  std::size_t given = 0;
  while (!out.done()) {
    const std::size_t n = out.poll(f, limit);
    given += n;
    idle(n);
  }
  return given;
}

/// Numbers from 0 to n - 1, behind an edge of the given policy, for the outlet to take.
template <class Policy = sw::block_policy>
sw::pipeline numbers_for(sw::outlet<int>& out, int n, std::size_t capacity = 64, Policy policy = sw::block) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(n));
  auto b = sw::stage<"b">(sw::host_polled{}, sw::from(a, policy, {.capacity = capacity}) | out.sink());
  return sw::pipeline(std::move(a), std::move(b));
}

TEST(outlet, the_application_takes_every_record_in_order_in_its_own_thread) {
  sw::outlet<int> out;
  sw::pipeline p = numbers_for(out, 10'000);
  EXPECT_FALSE(out.done());
  p.start();
  int next = 0;
  const std::size_t given = take_all(out, [&](int n) { next += n == next ? 1 : 0; });
  p.join();
  EXPECT_EQ(next, 10'000);
  EXPECT_EQ(given, 10'000u);
  EXPECT_EQ(out.poll([](int) { FAIL(); }), 0u);
}

TEST(outlet, a_poll_hands_over_no_more_than_its_limit_and_the_next_ones_go_on_from_there) {
  sw::outlet<int> out;
  sw::pipeline p = numbers_for(out, 50);
  p.start();
  ASSERT_TRUE(eventually([&] { return p.edges()[0].counts.pushed == 50; }));
  std::vector<int> seen;
  const auto see = [&](int n) { seen.push_back(n); };
  EXPECT_EQ(out.poll(see, 0), 0u);
  EXPECT_EQ(p.edges()[0].counts.consumed, 0u);
  EXPECT_EQ(out.poll(see, 3), 3u);
  EXPECT_EQ(out.left(), 47u);
  EXPECT_EQ(out.poll(see, 20), 20u);
  EXPECT_EQ(out.poll(see, 27), 27u);
  EXPECT_EQ(out.left(), 0u);
  while (!out.done()) EXPECT_EQ(out.poll(see), 0u);
  p.join();
  ASSERT_EQ(seen.size(), 50u);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<int>(i));
}

TEST(outlet, it_is_not_done_before_what_it_keeps_was_handed_over) {
  sw::outlet<int> out;
  sw::pipeline p = numbers_for(out, 5);
  p.start();
  const auto ignore = [](int) {};
  while (out.left() == 0) out.poll(ignore, 1);
  while (!p.polled("b").done()) {
    EXPECT_FALSE(out.done());
    out.poll(ignore, 1);
  }
  while (out.left() > 0) {
    EXPECT_FALSE(out.done());
    EXPECT_EQ(out.poll(ignore, 1), 1u);
  }
  EXPECT_TRUE(out.done());
  p.join();
}

TEST(outlet, polled_by_others_it_keeps_one_cycles_records_and_then_holds_the_edge_up) {
  sw::outlet<int> out;
  sw::pipeline p = numbers_for(out, 20'000, 16);
  p.start();
  ASSERT_TRUE(eventually([&] {
    p.poll();
    return out.left() > 0;
  }));
  const std::size_t kept = out.left();
  EXPECT_LE(kept, 1024u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(p.poll(), 0u);
  EXPECT_EQ(out.left(), kept);
  int seen = 0;
  take_all(out, [&](int n) { seen += n == seen ? 1 : 0; });
  EXPECT_EQ(seen, 20'000);
  p.join();
}

TEST(outlet, its_memory_grows_a_few_times_at_most_however_many_records_come) {
  sw::outlet<int> out;
  sw::pipeline p = numbers_for(out, 100'000, 1024);
  p.start();
  take_all(out, [](int) {}, 10);
  p.join();
  EXPECT_LE(out.growth_events(), 11u);  // 1, 2, 4 and so on up to the records of one cycle
}

TEST(outlet, the_policy_of_its_edge_says_what_a_slow_application_loses) {
  sw::outlet<int> out;
  sw::pipeline p = numbers_for(out, 10'000, 16, sw::drop_newest);
  p.start();
  ASSERT_TRUE(eventually([&] { return p.edges()[0].counts.pushed == 10'000; }));
  std::uint64_t seen = 0;
  take_all(out, [&](int) { ++seen; });
  p.join();
  const auto counts = p.edges()[0].counts;
  EXPECT_EQ(counts.consumed, seen);
  EXPECT_EQ(counts.dropped() + seen, 10'000u);
  EXPECT_GT(counts.dropped(), 0u);
}

TEST(outlet, what_the_function_throws_comes_out_of_poll_and_the_pipeline_goes_on) {
  sw::outlet<int> out;
  sw::pipeline p = numbers_for(out, 100);
  p.start();
  ASSERT_TRUE(eventually([&] { return p.edges()[0].counts.pushed >= 64; }));
  std::vector<int> seen;
  int thrown = 0;
  while (!out.done()) {
    try {
      out.poll(
          [&](int n) {
            seen.push_back(n);
            if (n % 10 == 5) throw std::runtime_error("five");
          },
          7);
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  }
  p.join();
  EXPECT_EQ(thrown, 10);
  ASSERT_EQ(seen.size(), 100u);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<int>(i));
}

TEST(outlet, what_an_operator_before_it_throws_comes_out_of_join) {
  sw::outlet<int> out;
  auto s = sw::stage<"s">(sw::host_polled{}, count_to(100) | sw::map([](int n) {
                                               if (n == 50) throw std::runtime_error("fifty");
                                               return n;
                                             }) | out.sink());
  sw::pipeline p(std::move(s));
  p.start();
  int seen = 0;
  take_all(out, [&](int) { ++seen; }, 20);
  EXPECT_EQ(seen, 50);
  EXPECT_EQ(error_of([&] { p.join(); }), "spillway: stage 's', operator 1 (map): fifty");
}

struct reading {
  int key = 0;
  sw::timestamp at;
};

TEST(outlet, records_come_with_their_timestamps_where_the_function_asks_for_them) {
  sw::outlet<reading> out;
  auto s = sw::stage<"s">(sw::host_polled{}, count_to(10) | sw::map([](int n) { return reading{n, sw::timestamp(n * 100)}; }) |
                                                 sw::watermarks(sw::ascending(), &reading::at) | out.sink());
  sw::pipeline p(std::move(s));
  p.start();
  int seen = 0;
  while (!out.done()) {
    out.poll(
        [&](const reading& r, sw::timestamp t) {
          EXPECT_EQ(t, r.at);
          ++seen;
        },
        3);
  }
  p.join();
  EXPECT_EQ(seen, 10);
}

TEST(outlet, records_that_only_move_are_handed_over) {
  sw::outlet<std::unique_ptr<int>> out;
  auto s = sw::stage<"s">(sw::host_polled{}, count_to(10) | sw::map([](int n) { return std::make_unique<int>(n); }) | out.sink());
  sw::pipeline p(std::move(s));
  p.start();
  std::vector<std::unique_ptr<int>> seen;
  while (!out.done()) out.poll([&](std::unique_ptr<int> n) { seen.push_back(std::move(n)); }, 4);
  p.join();
  ASSERT_EQ(seen.size(), 10u);
  EXPECT_EQ(*seen[9], 9);
}

TEST(outlet, after_an_abort_what_it_keeps_can_still_be_taken) {
  sw::outlet<int> out;
  std::vector<int> seen;
  const auto see = [&](int n) { seen.push_back(n); };
  {
    sw::pipeline p = numbers_for(out, 50);
    p.start();
    ASSERT_TRUE(eventually([&] { return p.edges()[0].counts.pushed == 50; }));
    EXPECT_EQ(out.poll(see, 10), 10u);
    p.abort();
    EXPECT_TRUE(p.edges()[0].counts.balanced());
    EXPECT_EQ(p.edges()[0].counts.consumed, 10u + out.left());
  }
  EXPECT_FALSE(out.done());
  EXPECT_EQ(out.poll(see), 40u);
  EXPECT_TRUE(out.done());
  EXPECT_EQ(seen.size(), 50u);
}

TEST(outlet, a_stage_with_a_thread_of_its_own_is_refused_when_it_starts) {
  sw::outlet<int> out;
  auto s = sw::stage<"s">(sw::any_cpu{}, count_to(10) | out.sink());
  sw::pipeline p(std::move(s));
  EXPECT_NE(error_of([&] { p.run(); }).find("place that stage host_polled{}"), std::string::npos);
}

TEST(outlet, it_is_the_sink_of_one_stage_only) {
  sw::outlet<int> out;
  const auto first = out.sink();
  EXPECT_THROW(out.sink(), std::logic_error);
}

TEST(outlet, two_of_them_take_from_one_pipeline_in_two_threads) {
  sw::outlet<int> evens;
  sw::outlet<int> all;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(10'000));
  auto b = sw::stage<"b">(sw::host_polled{}, sw::from(a) | sw::filter([](int n) { return n % 2 == 0; }) | evens.sink());
  auto c = sw::stage<"c">(sw::host_polled{}, sw::from(a) | all.sink());
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.start();
  std::size_t even = 0;
  std::size_t any = 0;
  std::thread other([&] { even = take_all(evens, [](int) {}, 100); });
  any = take_all(all, [](int) {}, 100);
  other.join();
  p.join();
  EXPECT_EQ(even, 5'000u);
  EXPECT_EQ(any, 10'000u);
}

}  // namespace
