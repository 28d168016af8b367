#include "spillway/windows/aligned_windows.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "spillway/windows/count_windows.hpp"
#include "spillway/windows/session_windows.hpp"
#include "spillway/windows/window_options.hpp"

namespace {

using namespace spillway;
using namespace std::chrono_literals;
constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();

time_window tumbling_at(std::int64_t size, std::int64_t offset, std::int64_t t) {
  const aligned_windows w = tumbling(nanoseconds{size}, {nanoseconds{offset}});
  const auto pane = w.pane_at(timestamp{t});
  EXPECT_EQ(pane.oldest, pane.newest);
  EXPECT_EQ(w.window(pane.newest), (time_window{pane.start, pane.end}));
  return w.window(pane.newest);
}
time_window span(std::int64_t start, std::int64_t end) { return {timestamp{start}, timestamp{end}}; }

std::vector<time_window> sliding_at(std::int64_t size, std::int64_t slide, std::int64_t offset, std::int64_t t) {
  const aligned_windows w = sliding(nanoseconds{size}, nanoseconds{slide}, {nanoseconds{offset}});
  const auto pane = w.pane_at(timestamp{t});
  EXPECT_LE(pane.start, timestamp{t});
  EXPECT_LT(timestamp{t}, pane.end);
  std::vector<time_window> all;
  for (auto n = pane.newest; n >= pane.oldest; --n) all.push_back(w.window(n));
  return all;
}

TEST(aligned_windows, negative_times_round_down_and_not_toward_zero) {
  EXPECT_EQ(tumbling_at(7, 0, -8), span(-14, -7));
  EXPECT_EQ(tumbling_at(7, 0, -7), span(-7, 0));
  EXPECT_EQ(tumbling_at(7, 0, -1), span(-7, 0));
  EXPECT_EQ(tumbling_at(7, 0, 0), span(0, 7));
  EXPECT_EQ(tumbling_at(7, 0, 6), span(0, 7));
  EXPECT_EQ(tumbling_at(7, 0, 7), span(7, 14));
}

TEST(aligned_windows, an_offset_shifts_every_window_either_way) {
  EXPECT_EQ(tumbling_at(7, 3, -5), span(-11, -4));
  EXPECT_EQ(tumbling_at(7, 3, 2), span(-4, 3));
  EXPECT_EQ(tumbling_at(7, 3, 3), span(3, 10));
  EXPECT_EQ(tumbling_at(7, -2, -3), span(-9, -2));
  EXPECT_EQ(tumbling_at(7, -2, 4), span(-2, 5));
  EXPECT_EQ(tumbling_at(7, -2, 5), span(5, 12));
}

TEST(aligned_windows, a_record_is_in_every_sliding_window_that_covers_it_newest_first) {
  EXPECT_EQ(sliding_at(10, 5, 0, 12), (std::vector{span(10, 20), span(5, 15)}));
  EXPECT_EQ(sliding_at(10, 5, 0, -1), (std::vector{span(-5, 5), span(-10, 0)}));
  EXPECT_EQ(sliding_at(10, 5, 2, 12), (std::vector{span(12, 22), span(7, 17)}));
}

TEST(aligned_windows, a_size_that_is_no_multiple_of_the_slide_makes_two_panes_per_slide) {
  EXPECT_EQ(sliding(5ns, 2ns).panes_per_window(), 5);
  EXPECT_EQ(sliding_at(5, 2, 0, 4), (std::vector{span(4, 9), span(2, 7), span(0, 5)}));
  EXPECT_EQ(sliding_at(5, 2, 0, 5), (std::vector{span(4, 9), span(2, 7)}));
  EXPECT_EQ(sliding(6ns, 2ns).panes_per_window(), 3);
  EXPECT_EQ(tumbling(6ns).panes_per_window(), 1);
}

TEST(aligned_windows, a_slide_larger_than_the_size_leaves_gaps) {
  const aligned_windows w = sliding(2ns, 5ns);
  EXPECT_FALSE(w.pane_at(timestamp{6}).in_no_window());
  EXPECT_TRUE(w.pane_at(timestamp{7}).in_no_window());
  EXPECT_TRUE(w.pane_at(timestamp{-1}).in_no_window());
  EXPECT_EQ(w.panes_per_window(), 1);
}

TEST(aligned_windows, a_window_at_an_end_of_time_is_held_there) {
  EXPECT_EQ(tumbling_at(1000, 0, top - 3).end, timestamp::maximum());
  const aligned_windows w = tumbling(1000ns);
  EXPECT_EQ(w.last_of(w.pane_at(timestamp{top}).newest), timestamp::maximum());
  EXPECT_EQ(tumbling_at(1000, 0, -top).start, timestamp::minimum());
  EXPECT_EQ(tumbling_at(1000, 999, -top).start, timestamp::minimum());
  EXPECT_EQ(tumbling_at(1000, -999, top).end, timestamp::maximum());
}

TEST(aligned_windows, sizes_slides_and_offsets_that_make_no_sense_are_refused) {
  EXPECT_THROW(tumbling(0ns), std::invalid_argument);
  EXPECT_THROW(tumbling(-1s), std::invalid_argument);
  EXPECT_THROW(tumbling(10s, {.offset = 10s}), std::invalid_argument);
  EXPECT_THROW(tumbling(10s, {.offset = -10s}), std::invalid_argument);
  EXPECT_NO_THROW(tumbling(10s, {.offset = -9s}));
  EXPECT_THROW(sliding(0ns, 1ns), std::invalid_argument);
  EXPECT_THROW(sliding(1s, 0ns), std::invalid_argument);
  EXPECT_THROW(sliding(1s, -1s), std::invalid_argument);
  EXPECT_THROW(sliding(20s, 10s, {.offset = 10s}), std::invalid_argument);
  EXPECT_THROW(sliding(10'000'001ns, 1ns), std::invalid_argument);
  EXPECT_NO_THROW(sliding(10'000'000ns, 1ns));
  EXPECT_THROW(tumbling(1s, {nanoseconds::min()}), std::invalid_argument);
}

TEST(session_windows, a_gap_must_be_longer_than_nothing_and_a_session_ends_one_gap_after_its_record) {
  EXPECT_THROW(session(0ns), std::invalid_argument);
  EXPECT_THROW(session(-1ns), std::invalid_argument);
  EXPECT_EQ(session(5ns).window_at(timestamp{3}), span(3, 8));
  EXPECT_EQ(session(5ns).window_at(timestamp{top - 2}).end, timestamp::maximum());
}

TEST(count_windows, a_window_needs_at_least_one_record) {
  EXPECT_THROW(count_of(0), std::invalid_argument);
  EXPECT_THROW(count_of(-1), std::invalid_argument);
  EXPECT_EQ(count_of(3).records(), 3);
}

TEST(window_options, a_negative_lateness_is_refused) {
  EXPECT_THROW(checked({.allowed_lateness = -1ns}), std::invalid_argument);
  EXPECT_NO_THROW(checked({.allowed_lateness = 0ns}));
}

}  // namespace
