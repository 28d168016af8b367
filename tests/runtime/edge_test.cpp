// Order on an edge: records and markers come out as they went in, through ring and backlog, whatever the policy and the capacity.
#include "spillway/runtime/edge.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/runtime/edge_fixture.hpp"

namespace {

using namespace edge_test;

TEST(edge, records_and_watermarks_come_out_in_the_order_they_went_in) {
  edge_bench<plain> b(block, {.capacity = 8});
  b.watermark(1);
  b.push(10);
  b.push(11);
  b.watermark(5);
  b.push(12);
  b.watermark(6);
  b.flush();
  EXPECT_EQ(b.read(), "w1 10 11 w5 12 w6");
}

TEST(edge, nothing_waits_on_the_emitting_side_after_a_flush) {
  edge_bench<plain> b(block, {.capacity = 64});
  b.push(1);
  EXPECT_EQ(b.read(), "");
  b.flush();
  EXPECT_EQ(b.read(), "1");
  EXPECT_TRUE(b.edge.delivered());
}

TEST(edge, an_edge_that_publishes_each_record_needs_no_flush) {
  edge_bench<plain> b(block, {.capacity = 64, .publish_each = true});
  b.push(1);
  EXPECT_EQ(b.read(), "1");
}

TEST(edge, watermarks_between_two_records_are_one_marker_the_latest) {
  edge_bench<plain> b(block, {.capacity = 8});
  b.push(1);
  b.watermark(3);
  b.watermark(4);
  b.watermark(9);
  b.push(2);
  b.flush();
  EXPECT_EQ(b.read(), "1 w9 2");
}

TEST(edge, a_watermark_that_goes_back_or_stands_still_is_not_sent) {
  edge_bench<plain> b(block, {.capacity = 8});
  b.watermark(5);
  b.flush();
  b.watermark(5);
  b.watermark(2);
  b.push(1);
  b.flush();
  EXPECT_EQ(b.read(), "w5 1");
}

TEST(edge, a_watermark_alone_reaches_the_reader_with_the_flush) {
  edge_bench<plain> b(block, {.capacity = 8});
  b.watermark(5);
  EXPECT_FALSE(b.edge.delivered());
  b.flush();
  EXPECT_TRUE(b.edge.delivered());
  EXPECT_EQ(b.read(), "w5");
}

TEST(edge, the_end_comes_last_and_once) {
  edge_bench<plain> b(block, {.capacity = 4});
  b.push(1);
  b.watermark(7);
  EXPECT_FALSE(b.edge.ended());
  b.end();
  b.end();
  EXPECT_TRUE(b.edge.ended());
  EXPECT_EQ(b.read(), "1 w7 end");
  EXPECT_EQ(b.read_all(), "");
}

TEST(edge, poll_takes_no_more_records_than_asked_and_keeps_the_rest_in_order) {
  edge_bench<plain> b(block, {.capacity = 8});
  for (int i = 0; i < 6; ++i) {
    b.push(i);
    b.watermark(i);
  }
  b.flush();
  EXPECT_EQ(b.read(2), "0 w0 1");
  EXPECT_EQ(b.read(1), "w1 2");
  EXPECT_EQ(b.read(), "w2 3 w3 4 w4 5 w5");
}

TEST(edge, poll_stops_where_the_reader_is_held) {
  edge_bench<plain> b(block, {.capacity = 8});
  for (int i = 0; i < 4; ++i) b.push(i);
  b.flush();
  int taken = 0;
  const auto take = [&](int&) { ++taken; };
  const auto ignore = [](const sw::marker&) {};
  EXPECT_EQ(b.edge.poll(100, take, ignore, [&] { return taken == 2; }), 2u);
  EXPECT_EQ(b.read(), "2 3");
}

TEST(edge, a_record_whose_reader_throws_counts_as_consumed) {
  edge_bench<plain> b(block, {.capacity = 8});
  b.push(1);
  b.push(2);
  b.flush();
  const auto fail = [](int&) { throw std::runtime_error("no"); };
  EXPECT_THROW(b.edge.poll(100, fail, [](const sw::marker&) {}, [] { return false; }), std::runtime_error);
  EXPECT_EQ(b.edge.counts().consumed, 1u);
  EXPECT_EQ(b.read(), "2");
}

TEST(edge, a_record_that_was_stamped_keeps_its_timestamp) {
  edge_bench<stamped> b(block, {.capacity = 2});
  for (int i = 0; i < 5; ++i) b.push({i, sw::timestamp(100 + i)});
  EXPECT_EQ(b.read_all(), "0@100 1@101 2@102 3@103 4@104");
}

TEST(edge, watermarks_alone_behind_a_full_lane_hold_nobody_up_and_the_last_one_arrives) {
  edge_bench<plain> b(block, {.capacity = 4});
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    b.watermark(i);
    b.flush();
    expected += (i == 0 ? "w" : " w") + std::to_string(i);
  }
  EXPECT_FALSE(b.held());
  EXPECT_FALSE(b.edge.delivered());
  const std::string all = b.read_all();
  // What waited in the backlog may have been put together; what came out never goes back and ends with the last one.
  EXPECT_EQ(all.substr(0, 11), expected.substr(0, 11));
  EXPECT_EQ(all.substr(all.size() - 3), "w19");
}

// What was pushed, as the reader must see it: all records in order, and before each record at least the watermark that preceded it, and
// nothing that came after it.
struct expectation {
  std::vector<std::int64_t> watermark_before;  // of record i
  std::int64_t last = -1;
};

class any_capacity : public ::testing::TestWithParam<std::size_t> {};

TEST_P(any_capacity, random_traffic_over_a_lossless_edge_keeps_every_record_and_every_watermark_in_place) {
  for (const auto& policy : {block, spill_up_to(1 << 20)}) {
    for (unsigned seed = 0; seed < 30; ++seed) {
      std::mt19937 random(seed);
      edge_bench<plain> b(policy, {.capacity = GetParam()});
      expectation expected;
      std::int64_t time = -1;
      std::int64_t seen_time = -1;
      int read = 0;
      const auto poll = [&](std::size_t limit) {
        b.edge.poll(
            limit,
            [&](int& record) {
              ASSERT_EQ(record, read);
              ASSERT_EQ(seen_time, expected.watermark_before[static_cast<std::size_t>(read)]);
              ++read;
            },
            [&](const sw::marker& m) {
              ASSERT_EQ(m.kind, sw::marker_kind::watermark);
              ASSERT_GT(m.value.ns, seen_time);
              seen_time = m.value.ns;
            },
            [] { return false; });
      };
      int next = 0;
      for (int step = 0; step < 400; ++step) {
        switch (random() % 8) {
          case 0:
            b.flush();
            break;
          case 1:
            poll(random() % 4);
            break;
          case 2:
            poll(1000);
            break;
          case 3:
            b.watermark(++time);
            break;
          default:
            expected.watermark_before.push_back(time);
            b.push(next++);
            break;
        }
        ASSERT_FALSE(HasFatalFailure());
      }
      for (int round = 0; round < 1000 && (read < next || seen_time < time); ++round) {
        b.flush();
        poll(1000);
      }
      ASSERT_EQ(read, next);
      ASSERT_EQ(seen_time, time);
      ASSERT_TRUE(b.edge.counts().balanced());
      ASSERT_EQ(b.edge.counts().consumed, static_cast<std::uint64_t>(next));
      ASSERT_EQ(b.edge.counts().pushed, static_cast<std::uint64_t>(next));
      ASSERT_EQ(b.edge.counts().left, 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(edge, any_capacity, ::testing::Values(1, 2, 3, 4, 8, 1024));

}  // namespace
