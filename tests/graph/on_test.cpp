#include "spillway/operators/on.hpp"

#include <gtest/gtest.h>

#include "graph_fixture.hpp"
#include "spillway/operators/count_by.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/map.hpp"

namespace {

using namespace graph_test;

inline constexpr sw::output_tag<"odd", int> odd{};
inline constexpr sw::output_tag<"three", int> three{};
inline constexpr sw::output_tag<"text", std::string> text{};

/// Sends each number on, and odd ones to `odd` in between.
auto mark_odd() {
  return sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int n) {
    ctx.emit(10 * n);
    if (n % 2) ctx.output(odd, n);
    ctx.emit(10 * n + 1);
  });
}
auto mark_three() {
  return sw::process<int>(sw::emits<three>{}, [](auto& ctx, int n) {
    if (n % 3 == 0) ctx.output(three, n);
    ctx.emit(n);
  });
}
auto numbers() { return sw::source(script{}.number(1, 10).watermark(9).number(2, 20).number(3, 30).watermark(30)); }

TEST(on, is_fed_inside_the_call_that_emits) {
  lines log;
  sw::pipeline p(sw::stage<"all">(sw::any_cpu{}, numbers() | mark_odd() | sw::on(odd, trace(log, "odd ")) | trace(log)));
  p.run_inline();
  EXPECT_EQ(log, (lines{"10@10", "odd 1@10", "11@10", "odd wm 9", "wm 9", "20@20", "21@20", "30@30", "odd 3@30", "31@30",
                        "odd wm 30", "wm 30", "odd wm max", "wm max", "odd end", "end"}));
}

TEST(on, may_follow_itself_and_each_reader_gets_every_record_in_the_order_written) {
  lines log;
  sw::pipeline p(sw::stage<"all">(sw::any_cpu{},
                                  sw::source(script{}.number(1, 10).number(3, 30)) | mark_odd() | sw::on(odd, trace(log, "a ")) |
                                      sw::on(odd, sw::filter([](int n) { return n > 1; }) | trace(log, "b ")) | sw::discard()));
  p.run_inline();
  EXPECT_EQ(log, (lines{"a 1@10", "a 3@30", "b 3@30", "a wm max", "b wm max", "a end", "b end"}));
}

TEST(on, takes_nothing_away_from_the_stages_that_read_the_tag) {
  lines fused;
  lines elsewhere;
  auto split = sw::stage<"split">(sw::any_cpu{}, numbers() | mark_odd() | sw::on(odd, trace(fused)) | sw::discard());
  auto reader = sw::stage<"reader">(sw::any_cpu{}, sw::from(odd) | trace(elsewhere));
  sw::pipeline p(std::move(split), std::move(reader));
  p.run_inline();
  EXPECT_EQ(fused, (lines{"1@10", "wm 9", "3@30", "wm 30", "wm max", "end"}));
  EXPECT_EQ(settled(elsewhere), settled(fused));
}

TEST(on, takes_a_chain_of_operators_and_may_stand_inside_another_one) {
  lines log;
  auto by_three = mark_three() | sw::on(three, sw::map([](int n) { return -n; }) | trace(log, "three ")) | trace(log, "odd ");
  sw::pipeline p(sw::stage<"all">(sw::any_cpu{}, sw::source(script{}.number(1, 1).number(3, 3)) | mark_odd() |
                                                     sw::on(odd, std::move(by_three)) | trace(log)));
  p.run_inline();
  EXPECT_EQ(log, (lines{"10@1", "odd 1@1", "11@1", "30@3", "three -3@3", "odd 3@3", "31@3", "three wm max", "odd wm max",
                        "wm max", "three end", "odd end", "end"}));
}

TEST(on, may_emit_tags_that_other_stages_read) {
  lines log;
  auto words =
      sw::process<sw::no_record>(sw::emits<text>{}, [](auto& ctx, int n) { ctx.output(text, "odd " + std::to_string(n)); });
  auto split = sw::stage<"split">(sw::any_cpu{}, numbers() | mark_odd() | sw::on(odd, words) | sw::discard());
  auto reader = sw::stage<"reader">(sw::any_cpu{}, sw::from(text) | trace(log));
  sw::pipeline p(std::move(split), std::move(reader));
  p.run_inline();
  EXPECT_EQ(settled(log), (lines{"odd 1@10", "wm 9", "odd 3@30", "wm max", "end"}));
}

TEST(on, reads_the_operator_right_before_it_and_not_an_earlier_one_that_emits_the_same_tag) {
  lines fused;
  lines elsewhere;
  auto again = sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int n) { ctx.output(odd, 100 + n); });
  auto split = sw::stage<"split">(
      sw::any_cpu{}, sw::source(script{}.number(1, 1)) | mark_odd() | again | sw::on(odd, trace(fused)) | sw::discard());
  auto reader = sw::stage<"reader">(sw::any_cpu{}, sw::from(odd) | trace(elsewhere));
  sw::pipeline p(std::move(split), std::move(reader));
  p.run_inline();
  EXPECT_EQ(fused, (lines{"110@1", "111@1", "wm max", "end"}));
  EXPECT_EQ(elsewhere, (lines{"110@1", "1@1", "111@1", "wm max", "end"}));
}

TEST(on, adds_counters_to_its_stage) {
  sw::pipeline p(sw::stage<"all">(
      sw::any_cpu{}, numbers() | mark_odd() | sw::on(odd, sw::count_by([](int n) { return n; }, "odd ")) | sw::discard()));
  p.run_inline();
  const std::vector<sw::named_count> added = p.stages().at(0).added;
  lines counts;
  for (const sw::named_count& c : added) counts.push_back(c.name + " " + std::to_string(c.value));
  EXPECT_EQ(counts, (lines{"odd 1 1", "odd 3 1", "odd other 0"}));
}

TEST(on, lets_an_exception_stop_the_pipeline_with_the_operator_named) {
  sw::pipeline p(sw::stage<"all">(sw::any_cpu{}, numbers() | mark_odd() | sw::on(odd, sw::sink([](int n) {
                                                                                   if (n == 3) throw std::runtime_error("three");
                                                                                 })) |
                                                     sw::discard()));
  try {
    p.run_inline();
    FAIL() << "no error";
  } catch (const sw::pipeline_error& e) {
    EXPECT_EQ(e.stage(), "all");
    EXPECT_EQ(e.operator_kind(), "sink");
  }
}

}  // namespace
