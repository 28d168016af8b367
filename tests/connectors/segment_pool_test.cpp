#include "spillway/connectors/segment_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace {

using spillway::input_segment;
using spillway::segment_pool;

struct held_tracker final : spillway::release_tracker {
  std::uint64_t sealed = 0;
  std::uint64_t released_up_to = 0;
  std::uint64_t seal() override { return ++sealed; }
  bool released(std::uint64_t token) override { return token <= released_up_to; }
};

TEST(segment_pool, grows_to_its_limit_and_then_refuses) {
  held_tracker tracker;
  segment_pool pool(tracker, {.segment_bytes = 100, .max_segments = 2});
  input_segment* first = pool.acquire();
  input_segment* second = pool.acquire();
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(pool.acquire(), nullptr);
  pool.leave(*first);
  EXPECT_EQ(pool.acquire(), nullptr);
  EXPECT_EQ(pool.segments(), 2u);
  EXPECT_EQ(pool.growths(), 2u);
}

TEST(segment_pool, reuses_what_was_released_and_the_latest_first) {
  held_tracker tracker;
  segment_pool pool(tracker, {.segment_bytes = 100, .max_segments = 3});
  input_segment* first = pool.acquire();
  input_segment* second = pool.acquire();
  input_segment* third = pool.acquire();
  pool.leave(*first);
  pool.leave(*second);
  pool.leave(*third);
  tracker.released_up_to = 2;
  EXPECT_EQ(pool.acquire(), second);
  EXPECT_EQ(pool.acquire(), first);
  EXPECT_EQ(pool.acquire(), nullptr);
  tracker.released_up_to = 3;
  EXPECT_EQ(pool.acquire(), third);
  EXPECT_EQ(pool.growths(), 3u);
}

TEST(segment_pool, has_readable_padding_behind_each_segment) {
  held_tracker tracker;
  segment_pool pool(tracker, {.segment_bytes = 10, .max_segments = 1});
  input_segment* segment = pool.acquire();
  std::memset(segment->data(), 'x', segment->capacity() + spillway::segment_padding);
  EXPECT_EQ(segment->data()[10 + spillway::segment_padding - 1], 'x');
}

TEST(segment_pool, refuses_options_that_make_no_sense) {
  held_tracker tracker;
  EXPECT_THROW(segment_pool(tracker, {.segment_bytes = 0, .max_segments = 1}), std::invalid_argument);
  EXPECT_THROW(segment_pool(tracker, {.segment_bytes = 1, .max_segments = 0}), std::invalid_argument);
}

TEST(text_scratch, keeps_texts_in_place_and_its_blocks_for_reuse) {
  spillway::counter growths;
  spillway::text_scratch scratch(growths);
  for (int round = 0; round < 3; ++round) {
    std::vector<char*> texts;
    for (int i = 0; i < 300; ++i) {
      texts.push_back(scratch.allocate(1000));
      std::memset(texts.back(), 'a' + i % 26, 1000);
    }
    char* big = scratch.allocate(200'000);
    std::memset(big, '!', 200'000);
    for (int i = 0; i < 300; ++i)
      ASSERT_EQ(std::string_view(texts[static_cast<std::size_t>(i)], 1000), std::string(1000, static_cast<char>('a' + i % 26)));
    scratch.reset();
    EXPECT_EQ(growths.get(), 6u) << "round " << round;
  }
}

TEST(text_scratch, takes_back_the_tail_of_the_latest_text) {
  spillway::counter growths;
  spillway::text_scratch scratch(growths);
  char* first = scratch.allocate(100);
  scratch.give_back(60);
  EXPECT_EQ(scratch.allocate(10), first + 40);
}

}  // namespace
