// What each overflow policy does with a record that finds no room: nothing is lost without a count, and the account balances.
#include <gtest/gtest.h>

#include <memory>

#include "spillway/runtime/edge.hpp"
#include "tests/runtime/edge_fixture.hpp"

namespace {

using namespace edge_test;

void push_many(edge_bench<plain>& b, int n) {
  for (int i = 0; i < n; ++i) b.push(i);
}

TEST(edge_policies, block_keeps_what_finds_no_room_and_holds_the_emitter_until_it_fits) {
  edge_bench<plain> b(block, {.capacity = 2});
  push_many(b, 2);
  EXPECT_FALSE(b.held());
  b.push(2);
  EXPECT_TRUE(b.held());
  b.push(3);
  b.flush();
  EXPECT_TRUE(b.held());
  EXPECT_EQ(b.edge.counts().left, 4u);
  EXPECT_EQ(b.read(), "0 1");
  b.flush();
  EXPECT_FALSE(b.held());
  EXPECT_GT(b.edge.counts().blocked_ns, 0u);
  EXPECT_EQ(b.read(), "2 3");
  EXPECT_EQ(b.edge.counts().pushed, 4u);
  EXPECT_EQ(b.edge.counts().consumed, 4u);
  EXPECT_EQ(b.edge.counts().dropped(), 0u);
  EXPECT_TRUE(b.reports.empty());
}

TEST(edge_policies, a_record_does_not_overtake_the_backlog_when_the_ring_has_room_again) {
  for (const auto& policy : {block, spill_up_to(1 << 16)}) {
    edge_bench<plain> b(policy, {.capacity = 2});
    push_many(b, 3);
    b.flush();
    EXPECT_EQ(b.read(), "0 1");
    b.push(3);
    EXPECT_EQ(b.read(), "");
    EXPECT_EQ(b.read_all(), "2 3");
  }
}

TEST(edge_policies, a_watermark_behind_the_backlog_waits_for_it) {
  for (const auto& policy : {block, spill_up_to(1 << 16)}) {
    edge_bench<plain> b(policy, {.capacity = 1});
    push_many(b, 3);
    b.watermark(9);
    b.flush();
    b.push(3);
    EXPECT_EQ(b.read_all(), "0 1 2 w9 3");
  }
}

TEST(edge_policies, the_end_is_delivered_behind_the_backlog) {
  for (const auto& policy : {block, spill_up_to(1 << 16)}) {
    edge_bench<plain> b(policy, {.capacity = 1});
    push_many(b, 3);
    b.end();
    EXPECT_FALSE(b.edge.delivered());
    EXPECT_EQ(b.read_all(), "0 1 2 end");
    EXPECT_TRUE(b.edge.delivered());
  }
}

TEST(edge_policies, spill_holds_nobody_and_counts_what_went_through_memory) {
  edge_bench<plain> b(spill_up_to(1 << 16), {.capacity = 4});
  push_many(b, 10);
  EXPECT_FALSE(b.held());
  EXPECT_EQ(b.edge.counts().spilled, 6u);
  EXPECT_EQ(b.edge.counts().growth_events, 0u);
  EXPECT_EQ(b.read_all(), "0 1 2 3 4 5 6 7 8 9");
  EXPECT_EQ(b.edge.counts().dropped(), 0u);
  EXPECT_TRUE(b.edge.counts().balanced());
}

TEST(edge_policies, spill_past_its_limit_drops_counts_and_reports_once) {
  edge_bench<plain> b(spill_up_to(5 * sizeof(int)), {.capacity = 4});
  push_many(b, 20);
  EXPECT_EQ(b.edge.counts().spilled, 5u);
  EXPECT_EQ(b.edge.counts().dropped_limit, 11u);
  EXPECT_EQ(b.edge.counts().left, 9u);
  EXPECT_EQ(b.edge.counts().pushed, 20u);
  b.flush();
  ASSERT_EQ(b.reports.size(), 1u);
  EXPECT_EQ(b.reports[0], "spillway: edge 'emit' -> 'read' loses records: the spill limit is reached");
  EXPECT_EQ(b.read_all(), "0 1 2 3 4 5 6 7 8");
  EXPECT_TRUE(b.edge.counts().balanced());
}

TEST(edge_policies, spill_uses_the_whole_ring_when_time_moves_with_each_record) {
  edge_bench<plain> b(spill_up_to(64), {.capacity = 4096});
  for (int i = 0; i < 4096; ++i) {
    b.push(i);
    b.watermark(i);
  }
  EXPECT_EQ(b.edge.counts().spilled, 0u);
  EXPECT_EQ(b.edge.counts().dropped(), 0u);
  b.flush();
  EXPECT_EQ(b.edge.counts().left, 4096u);
}

TEST(edge_policies, spill_takes_records_again_once_there_is_room) {
  edge_bench<plain> b(spill_up_to(sizeof(int)), {.capacity = 1});
  push_many(b, 4);
  EXPECT_EQ(b.read_all(), "0 1");
  b.push(7);
  b.flush();
  EXPECT_EQ(b.read_all(), "7");
  EXPECT_EQ(b.edge.counts().dropped_limit, 2u);
}

TEST(edge_policies, a_spill_limit_of_nothing_drops_at_once_and_keeps_time_moving) {
  edge_bench<plain> b(spill_up_to(0), {.capacity = 1});
  push_many(b, 3);
  b.watermark(5);
  b.push(3);
  b.flush();
  EXPECT_EQ(b.read_all(), "0 w5");
  EXPECT_EQ(b.edge.counts().dropped_limit, 3u);
}

TEST(edge_policies, watermarks_on_a_spilling_edge_that_nobody_reads_take_no_more_memory_than_its_records) {
  edge_bench<plain> b(spill_up_to(1 << 16), {.capacity = 4});
  for (int i = 0; i < 200'000; ++i) {
    b.watermark(i);
    b.flush();
  }
  EXPECT_EQ(b.edge.counts().growth_events, 0u);
  b.push(1);
  const std::string all = b.read_all();
  EXPECT_EQ(all.substr(all.size() - 9), "w199999 1");
}

TEST(edge_policies, watermarks_between_dropped_records_take_no_memory_either) {
  edge_bench<plain> b(spill_up_to(64), {.capacity = 4});
  for (int i = 0; i < 200'000; ++i) {
    b.push(i);
    b.watermark(i);
  }
  EXPECT_EQ(b.edge.counts().growth_events, 0u);
  EXPECT_TRUE(b.edge.counts().balanced());
  const std::string all = b.read_all();
  EXPECT_EQ(all.substr(all.size() - 7), "w199999");
}

TEST(edge_policies, drop_newest_drops_what_finds_the_ring_full_and_reports_once) {
  edge_bench<plain> b(drop_newest, {.capacity = 4});
  push_many(b, 10);
  EXPECT_FALSE(b.held());
  EXPECT_EQ(b.edge.counts().dropped_full, 6u);
  EXPECT_EQ(b.edge.counts().pushed, 10u);
  b.flush();
  ASSERT_EQ(b.reports.size(), 1u);
  EXPECT_EQ(b.reports[0], "spillway: edge 'emit' -> 'read' loses records: the ring is full");
  EXPECT_EQ(b.read_all(), "0 1 2 3");
  b.push(77);
  EXPECT_EQ(b.read_all(), "77");
  EXPECT_TRUE(b.edge.counts().balanced());
}

TEST(edge_policies, on_a_lossy_edge_with_a_full_lane_the_watermark_waits_and_coalesces) {
  edge_bench<plain> b(drop_newest, {.capacity = 16});
  for (int i = 0; i < 100; ++i) {
    b.watermark(i);
    b.flush();
  }
  EXPECT_FALSE(b.edge.delivered());
  b.push(1);
  EXPECT_EQ(b.read().substr(0, 8), "w0 w1 w2");
  // It was held back past record 1, which is allowed, and comes with the latest value.
  EXPECT_EQ(b.read_all(), "1 w99");
  EXPECT_TRUE(b.edge.delivered());
}

TEST(edge_policies, the_end_of_a_lossy_edge_waits_for_room_in_the_lane) {
  edge_bench<plain> b(drop_newest, {.capacity = 4});
  for (int i = 0; i < 8; ++i) {
    b.watermark(i);
    b.flush();
  }
  b.end();
  EXPECT_FALSE(b.edge.ended());
  EXPECT_FALSE(b.edge.delivered());
  EXPECT_EQ(b.read_all(), "w0 w1 w2 w3 w7 end");
  EXPECT_TRUE(b.edge.ended());
  EXPECT_TRUE(b.edge.delivered());
}

TEST(edge_policies, an_edge_without_a_report_hook_drops_silently_but_counts) {
  sw::edge_of<plain> edge("a", "", "b", drop_newest, {.capacity = 1}, nullptr);
  edge.open_writer();
  edge.push(edge.writer(), 1);
  edge.push(edge.writer(), 2);
  edge.close_writer();
  EXPECT_EQ(edge.counts().dropped_full, 1u);
}

TEST(edge_policies, the_report_names_a_side_output) {
  edge_bench<edge_test::stamped> b(drop_newest, {.capacity = 1});
  b.push({1, sw::timestamp(1)});
  b.push({2, sw::timestamp(2)});
  b.flush();
  ASSERT_EQ(b.reports.size(), 1u);
  EXPECT_EQ(b.reports[0], "spillway: edge 'emit.tag' -> 'read' loses records: the ring is full");
}

// --- records with a destructor ----------------------------------------------------------------------------------------------------------

struct owned {
  std::unique_ptr<int> value;
  std::shared_ptr<int> alive;
};
std::string show(const owned& o) { return std::to_string(*o.value); }
using owning = sw::stream<owned>;

TEST(edge_policies, slots_that_can_only_be_moved_cross_ring_and_backlog) {
  const auto alive = std::make_shared<int>(0);
  edge_bench<owning> b(block, {.capacity = 2});
  for (int i = 0; i < 7; ++i) b.push({std::make_unique<int>(i), alive});
  std::string all;
  for (int round = 0; round < 7; ++round) {
    b.flush();
    b.edge.poll(1, [&](owned& o) { all += show(o); }, [](const sw::marker&) {}, [] { return false; });
  }
  EXPECT_EQ(all, "0123456");
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(edge_policies, what_nobody_read_is_destroyed_with_the_edge) {
  const auto alive = std::make_shared<int>(0);
  for (const auto& policy : {block, spill_up_to(3 * sizeof(owned)), drop_newest}) {
    {
      edge_bench<owning> b(policy, {.capacity = 4});
      for (int i = 0; i < 20; ++i) b.push({std::make_unique<int>(i), alive});
      b.watermark(1);
      b.flush();
      b.edge.poll(2, [](owned&) {}, [](const sw::marker&) {}, [] { return false; });
      b.flush();
      EXPECT_GT(alive.use_count(), 1);
      EXPECT_TRUE(b.edge.counts().balanced());
      EXPECT_EQ(b.edge.counts().left, static_cast<std::uint64_t>(alive.use_count() - 1));
    }
    EXPECT_EQ(alive.use_count(), 1);
  }
}

}  // namespace
