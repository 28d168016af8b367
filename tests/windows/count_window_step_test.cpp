#include "spillway/windows/count_window_step.hpp"

#include <gtest/gtest.h>

#include "window_fixture.hpp"

namespace {

using namespace window_test;
using counted = driven<sw::count_window_step<item, std::uint32_t, id_sum>>;
constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();

TEST(count_window_step, a_window_fires_at_its_last_record_and_spans_its_smallest_and_largest_time) {
  counted c(sw::count_of(3), sw::window_options{}, id_sum{});
  c.record(1, 50, 1);
  c.record(1, 10, 2);
  c.record(2, 7, 100);
  EXPECT_EQ(c.take(), lines{});
  c.record(1, 30, 4);
  EXPECT_EQ(c.take(), (lines{"1 [10,50) 7 @" + at(top)}));
}

TEST(count_window_step, the_next_window_begins_empty) {
  counted c(sw::count_of(2), sw::window_options{}, id_sum{});
  for (int i = 1; i <= 5; ++i) c.record(1, i, i);
  EXPECT_EQ(c.take(), (lines{"1 [1,2) 3 @" + at(top), "1 [3,4) 7 @" + at(top)}));
}

TEST(count_window_step, what_is_left_at_the_end_never_fires_and_is_counted) {
  counted c(sw::count_of(3), sw::window_options{}, id_sum{});
  for (int i = 0; i < 5; ++i) c.record(1, i, i);
  c.record(2, 9, 9);
  c.take();
  c.end();
  EXPECT_EQ(c.take(), (lines{"wm " + at(top)}));
  EXPECT_EQ(c.step.held_back(), 3u);
  EXPECT_EQ(c.step.counts().open_keys().get(), 2u);
}

TEST(count_window_step, no_record_is_late_whatever_the_watermark) {
  counted c(sw::count_of(1), sw::window_options{}, id_sum{});
  c.watermark(1000);
  c.record(1, 5, 5);
  EXPECT_EQ(c.take(), (lines{"wm 1000", "1 [5,5) 5 @" + at(top)}));
  EXPECT_EQ(c.step.held_back(), 0u);
}

TEST(count_window_step, a_stream_without_keys_has_one_group) {
  driven<sw::count_window_step<item, sw::no_key, id_sum>> c(sw::count_of(2), sw::window_options{}, id_sum{});
  for (int i = 1; i <= 4; ++i) c.record(i, i);
  EXPECT_EQ(c.take(), (lines{"[1,2) 3 @" + at(top), "[3,4) 7 @" + at(top)}));
}

}  // namespace
