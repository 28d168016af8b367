// Several inputs in the order of their time, whoever is faster.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "graph_fixture.hpp"
#include "spillway/graph/merge_by_time.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/bounded_out_of_orderness.hpp"

namespace {

using namespace graph_test;

/// Records of one stream: `step` apart, disordered within `disorder`, watermarks behind them.
script disordered(int first, int many, int step, int disorder, std::uint64_t seed) {
  script s;
  for (int i = 0; i < many; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    s = std::move(s).number(first + i, i * step - static_cast<int>((seed >> 33) % static_cast<unsigned>(disorder)));
    if (i % 3 == 0) s = std::move(s).watermark(i * step - disorder - 1);
  }
  return s;
}

struct layout {
  bool on_threads = false;
  std::size_t capacity = 1024;
  bool first_is_slow = false;
  sw::idle_strategy idle = sw::idle_strategy::backoff;
};

lines merged(const layout& l, std::uint64_t seed) {
  lines log;
  auto a =
      sw::stage<"a">(sw::any_cpu{}, sw::source(disordered(0, 300, 7, 20, seed)) | sw::filter([slow = l.first_is_slow](int n) {
                                      if (slow && n % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
                                      return true;
                                    }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::source(disordered(1000, 200, 11, 5, seed + 1)));
  auto both = sw::stage<"both">(
      sw::any_cpu{},
      sw::merge_by_time(sw::edge(a, {.capacity = l.capacity}), sw::edge(b, {.capacity = l.capacity})) | trace(log));
  sw::pipeline p(std::move(a), std::move(b), std::move(both));
  l.on_threads ? p.run({.idle = l.idle}) : p.run_inline();
  return log;
}

TEST(merge_by_time, gives_one_order_for_any_threads_capacities_and_speeds) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const lines one = merged({}, seed);
    EXPECT_EQ(std::count_if(one.begin(), one.end(), [](const std::string& s) { return s.find('@') != std::string::npos; }), 500);
    for (const layout& l : {layout{false, 1}, layout{false, 2}, layout{true, 1}, layout{true, 1024}, layout{true, 16, true},
                            layout{true, 2, false, sw::idle_strategy::yield}}) {
      EXPECT_EQ(merged(l, seed), one) << "seed " << seed << " capacity " << l.capacity;
    }
  }
}

TEST(merge_by_time, orders_records_by_time_and_equal_times_by_input) {
  lines log;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(script{}.number(1, 30).number(2, 10).number(3, 20)));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::source(script{}.number(4, 20).number(5, 5).number(6, 30)));
  auto both = sw::stage<"both">(sw::any_cpu{}, sw::merge_by_time(a, b) | trace(log));
  sw::pipeline p(std::move(a), std::move(b), std::move(both));
  p.run_inline();
  EXPECT_EQ(log, (lines{"5@5", "2@10", "3@20", "4@20", "1@30", "6@30", "wm max", "end"}));
}

TEST(merge_by_time, keeps_a_late_record_behind_the_watermark_that_made_it_late) {
  lines log;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(script{}.number(1, 30).watermark(29).number(2, 10).watermark(40)));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::source(script{}.number(3, 15).watermark(50)));
  auto both = sw::stage<"both">(sw::any_cpu{}, sw::merge_by_time(a, b) | trace(log));
  sw::pipeline p(std::move(a), std::move(b), std::move(both));
  p.run_inline();
  // Input a's watermark 29 has gone by when its record of time 10 comes, so that one is placed at 29, behind the watermark.
  EXPECT_EQ(log, (lines{"3@15", "2@10", "1@30", "wm max", "end"}));
}

TEST(merge_by_time, sends_on_the_smallest_watermark_once_both_inputs_went_past_it) {
  lines log;
  auto a =
      sw::stage<"a">(sw::any_cpu{}, sw::source(script{}.number(1, 10).watermark(9).number(2, 20).watermark(19).number(3, 30)));
  auto b =
      sw::stage<"b">(sw::any_cpu{}, sw::source(script{}.number(4, 11).watermark(10).number(5, 12).watermark(25).number(6, 40)));
  auto both = sw::stage<"both">(sw::any_cpu{}, sw::merge_by_time(a, b) | trace(log));
  sw::pipeline p(std::move(a), std::move(b), std::move(both));
  p.run_inline();
  EXPECT_EQ(log, (lines{"1@10", "wm 9", "4@11", "5@12", "wm 10", "2@20", "wm 19", "3@30", "6@40", "wm 25", "wm max", "end"}));
}

TEST(merge_by_time, reads_streams_whose_time_is_in_the_record) {
  struct reading {
    int id;
    sw::timestamp at;
  };
  const auto readings = [](int first, int step) {
    return sw::source([i = 0, first, step]() mutable -> std::optional<reading> {
             if (i == 100) return std::nullopt;
             ++i;
             return reading{first + i, sw::timestamp(i * step)};
           }) |
           sw::watermarks(sw::bounded_out_of_orderness(std::chrono::nanoseconds(5)), &reading::at);
  };
  const auto run = [&](bool threads) {
    std::vector<std::int64_t> times;
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(0, 3));
    auto b = sw::stage<"b">(sw::any_cpu{}, readings(1000, 5));
    auto both = sw::stage<"both">(sw::any_cpu{}, sw::merge_by_time(a, b));
    auto out = sw::stage<"out">(sw::any_cpu{}, sw::from(both) | sw::sink([&](const reading& r) { times.push_back(r.at.ns); }));
    sw::pipeline p(std::move(a), std::move(b), std::move(both), std::move(out));
    threads ? p.run() : p.run_inline();
    return times;
  };
  const auto times = run(false);
  EXPECT_EQ(times.size(), 200u);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_EQ(run(true), times);
}

TEST(merge_by_time, past_its_limit_stops_the_pipeline_and_says_which_input_ran_ahead) {
  auto a = sw::stage<"ahead">(sw::any_cpu{}, sw::source(disordered(0, 100'000, 7, 20, 1)));
  auto b = sw::stage<"silent">(
      sw::any_cpu{},
      sw::source([i = 0]() mutable { return std::optional(i++); }) | sw::filter([](int) { return false; }) |
          sw::watermarks(sw::bounded_out_of_orderness(std::chrono::nanoseconds(1)), [](int n) { return sw::timestamp(n); }));
  lines log;
  auto both = sw::stage<"both">(sw::any_cpu{}, sw::merge_by_time({.limit_bytes = 100'000}, a, b) | trace(log));
  sw::pipeline p(std::move(a), std::move(b), std::move(both));
  try {
    p.run_inline();
    FAIL();
  } catch (const sw::pipeline_error& e) {
    EXPECT_EQ(e.stage(), "both");
    EXPECT_EQ(e.operator_kind(), "merge_by_time");
    EXPECT_NE(std::string(e.what()).find("'ahead'"), std::string::npos);
  }
}

}  // namespace
