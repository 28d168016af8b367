// One stage that reads several outputs.
#include <gtest/gtest.h>

#include <algorithm>

#include "graph_fixture.hpp"

namespace {

using namespace graph_test;

inline constexpr sw::output_tag<"odd", int> odd{};

auto only_odd() {
  return sw::process<sw::no_record>(sw::emits<odd>{}, [](auto& ctx, int n) {
    if (n % 2) ctx.output(odd, n);
  });
}

/// Numbers from `first`, with time that follows right behind.
script counting_from(int first, int many) {
  script s;
  for (int i = 0; i < many; ++i) s = std::move(s).number(first + i, i).watermark(i);
  return s;
}

/// The records of a log that are at least `low` and below `high`, in order.
std::vector<int> between(const lines& log, int low, int high) {
  std::vector<int> found;
  for (const std::string& line : log) {
    if (line.starts_with("wm ") || line == "end") continue;
    const int n = std::stoi(line);
    if (low <= n && n < high) found.push_back(n);
  }
  return found;
}
std::vector<int> numbers(int first, int many) {
  std::vector<int> all;
  for (int i = 0; i < many; ++i) all.push_back(first + i);
  return all;
}

/// No record is behind a watermark of its own time or later.
bool no_record_is_late(const lines& log) {
  long reached = -1;
  for (const std::string& line : log) {
    if (line == "wm max" || line == "end") continue;
    if (line.starts_with("wm ")) {
      reached = std::stol(line.substr(3));
    } else if (std::stol(line.substr(line.find('@') + 1)) <= reached) {
      return false;
    }
  }
  return true;
}

TEST(fan_in, takes_every_record_of_each_input_in_its_order_and_the_smallest_watermark) {
  lines log;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(counting_from(0, 3000)));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::source(counting_from(10000, 500)));
  auto both = sw::stage<"both">(sw::any_cpu{}, sw::from(a, b) | trace(log));
  sw::pipeline p(std::move(a), std::move(b), std::move(both));
  p.run_inline();
  EXPECT_EQ(between(log, 0, 10000), numbers(0, 3000));
  EXPECT_EQ(between(log, 10000, 20000), numbers(10000, 500));
  EXPECT_TRUE(no_record_is_late(log));
  EXPECT_EQ(std::count(log.begin(), log.end(), "wm max"), 1);
  EXPECT_EQ(log.back(), "end");
}

TEST(fan_in, goes_on_with_one_input_when_the_other_has_ended) {
  lines log;
  auto none = sw::stage<"none">(sw::any_cpu{}, sw::source(script{}));
  auto some = sw::stage<"some">(sw::any_cpu{}, sw::source(counting_from(0, 3)));
  auto both = sw::stage<"both">(sw::any_cpu{}, sw::from(none, some) | trace(log));
  sw::pipeline p(std::move(none), std::move(some), std::move(both));
  p.run_inline();
  EXPECT_EQ(settled(log), (lines{"0@0", "wm 0", "1@1", "wm 1", "2@2", "wm max", "end"}));
}

TEST(fan_in, gives_each_input_its_own_policy_and_capacity) {
  lines log;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(counting_from(0, 10)));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::source(counting_from(100, 10)));
  auto both = sw::stage<"both">(
      sw::any_cpu{}, sw::from(sw::edge(a, sw::spill.up_to(1000), {.capacity = 8}), sw::edge(b, {.capacity = 16})) | trace(log));
  sw::pipeline p(std::move(a), std::move(b), std::move(both));
  p.run_inline();
  EXPECT_EQ(edge_of(p, "a", "", "both").policy, sw::overflow::spill);
  EXPECT_EQ(edge_of(p, "a", "", "both").capacity, 8u);
  EXPECT_EQ(edge_of(p, "b", "", "both").policy, sw::overflow::block);
  EXPECT_EQ(edge_of(p, "b", "", "both").capacity, 16u);
  EXPECT_EQ(between(log, 0, 1000).size(), 20u);
}

TEST(fan_in, reads_a_tag_from_every_stage_that_emits_it) {
  lines log;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(counting_from(0, 4)) | only_odd());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::source(counting_from(100, 4)) | only_odd());
  auto reader = sw::stage<"reader">(sw::any_cpu{}, sw::from(odd) | trace(log));
  sw::pipeline p(std::move(a), std::move(b), std::move(reader));
  p.run_inline();
  EXPECT_EQ(between(log, 0, 100), (std::vector{1, 3}));
  EXPECT_EQ(between(log, 100, 200), (std::vector{101, 103}));
  EXPECT_TRUE(no_record_is_late(log));
  EXPECT_EQ(log.back(), "end");
}

TEST(fan_in, reads_a_tag_of_one_stage_alone) {
  lines of_b;
  lines of_both;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(counting_from(0, 4)) | only_odd());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::source(counting_from(100, 4)) | only_odd());
  auto one = sw::stage<"one">(sw::any_cpu{}, sw::from(b.side(odd)) | trace(of_b));
  auto all = sw::stage<"all">(sw::any_cpu{}, sw::from(a.side(odd), b.side(odd)) | trace(of_both));
  sw::pipeline p(std::move(a), std::move(b), std::move(one), std::move(all));
  p.run_inline();
  EXPECT_EQ(settled(of_b), (lines{"wm 0", "101@1", "wm 2", "103@3", "wm max", "end"}));
  EXPECT_EQ(between(of_both, 0, 1000).size(), 4u);
  EXPECT_EQ(p.edges().size(), 3u);
}

TEST(fan_in, joins_a_main_output_and_a_tag_of_one_type) {
  lines log;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(counting_from(0, 4)));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::source(counting_from(100, 4)) | only_odd());
  auto both = sw::stage<"both">(sw::any_cpu{}, sw::from(a, odd) | trace(log));
  sw::pipeline p(std::move(a), std::move(b), std::move(both));
  p.run_inline();
  EXPECT_EQ(between(log, 0, 100), numbers(0, 4));
  EXPECT_EQ(between(log, 100, 200), (std::vector{101, 103}));
}

TEST(fan_in, reads_one_output_twice_where_it_is_named_twice) {
  lines log;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(counting_from(0, 3)));
  auto twice = sw::stage<"twice">(sw::any_cpu{}, sw::from(a, a) | trace(log));
  sw::pipeline p(std::move(a), std::move(twice));
  p.run_inline();
  EXPECT_EQ(between(log, 0, 100).size(), 6u);
  EXPECT_TRUE(no_record_is_late(log));
}

}  // namespace
