#include "spillway/graph/stage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "graph_fixture.hpp"
#include "spillway/operators/map.hpp"

namespace {

using namespace graph_test;

TEST(stage, has_a_name_and_a_place) {
  const auto ingest = sw::stage<"ingest">(sw::cpu{3}, sw::source(sw::elements{1}));
  EXPECT_EQ(ingest.name, "ingest");
  EXPECT_EQ(ingest.where.where, sw::placement::kind::cpu);
  EXPECT_EQ(ingest.where.number, 3);
  EXPECT_LT(ingest.where.thread, 0);
}

TEST(stage, may_be_placed_by_number_among_the_allowed_cpus_or_on_a_shared_thread) {
  const sw::placement nth = sw::nth_allowed_cpu{1};
  EXPECT_EQ(nth.where, sw::placement::kind::nth_allowed);
  EXPECT_EQ(nth.number, 1);
  const sw::placement any = sw::any_cpu{};
  EXPECT_EQ(any.where, sw::placement::kind::any);
  const sw::placement shared = sw::shared_thread{2, sw::cpu{1}};
  EXPECT_EQ(shared.thread, 2);
  EXPECT_EQ(shared.where, sw::placement::kind::cpu);
  EXPECT_EQ(shared.number, 1);
}

TEST(stage, is_a_value_that_several_pipelines_may_run_copies_of) {
  lines log;
  auto all = sw::stage<"all">(sw::any_cpu{}, sw::source(sw::elements{1, 2}) | trace(log));
  sw::pipeline(all).run_inline();
  sw::pipeline(all).run_inline();
  EXPECT_EQ(log, (lines{"1@none", "2@none", "wm max", "end", "1@none", "2@none", "wm max", "end"}));
}

TEST(stage, may_hold_operators_that_only_move) {
  int seen = 0;
  auto all =
      sw::stage<"all">(sw::any_cpu{}, sw::source(sw::elements{1, 2}) |
                                          sw::sink([&seen, total = std::make_unique<int>()](int n) { seen = *total += n; }));
  sw::pipeline p(std::move(all));
  p.run_inline();
  EXPECT_EQ(seen, 3);
}

TEST(stage, shows_its_readers_a_type_that_does_not_grow_with_its_chain) {
  auto one = sw::map([](int n) { return n; });
  auto few = sw::stage<"a">(sw::any_cpu{}, sw::source(sw::elements{1}) | one);
  auto many = sw::stage<"a">(sw::any_cpu{}, sw::source(sw::elements{1}) | one | one | one | one);
  static_assert(std::is_same_v<decltype(sw::from(few)), decltype(sw::from(many))>);
  SUCCEED();
}

TEST(stage, pipelines_name_their_stages_in_the_order_given_and_edges_by_reader) {
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(sw::elements{1, 2}));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 3}) | sw::map([](int n) { return n; }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b) | sw::discard());
  sw::pipeline p(std::move(c), std::move(a), std::move(b));
  p.run_inline();
  const std::vector<sw::stage_report> stages = p.stages();
  ASSERT_EQ(stages.size(), 3u);
  EXPECT_EQ(stages[0].name, "c");
  EXPECT_EQ(stages[1].name, "a");
  EXPECT_EQ(stages[2].name, "b");
  EXPECT_EQ(stages[0].counts.records_in, 2u);
  EXPECT_EQ(edge_of(p, "a", "", "b").capacity, 4u);
  EXPECT_EQ(edge_of(p, "a", "", "b").counts.consumed, 2u);
  EXPECT_EQ(edge_of(p, "b", "", "c").policy, sw::overflow::block);
}

TEST(overflow_policy, says_what_it_was_given) {
  EXPECT_EQ(sw::block.lowered().kind, sw::overflow::block);
  EXPECT_EQ(sw::drop_newest.lowered().kind, sw::overflow::drop_newest);
  EXPECT_EQ(sw::spill.lowered().kind, sw::overflow::spill);
  EXPECT_EQ(sw::spill.lowered().limit_bytes, std::size_t{4} << 20);
  EXPECT_EQ(sw::spill.up_to(100).lowered().limit_bytes, 100u);
  EXPECT_EQ((sw::any_policy{sw::spill.up_to(7).lowered()}.lowered().limit_bytes), 7u);
  static_assert(sw::block.lossless && !sw::spill.lossless && !sw::drop_newest.lossless);
}

TEST(overflow_policy, may_be_chosen_at_run_time) {
  for (const sw::overflow kind : {sw::overflow::block, sw::overflow::spill, sw::overflow::drop_newest}) {
    auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(sw::elements{1, 2}));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, sw::any_policy{{.kind = kind, .limit_bytes = 1000}}) | sw::discard());
    sw::pipeline p(std::move(a), std::move(b));
    p.run_inline();
    EXPECT_EQ(edge_of(p, "a", "", "b").policy, kind);
    EXPECT_EQ(edge_of(p, "a", "", "b").counts.consumed, 2u);
  }
}

}  // namespace
