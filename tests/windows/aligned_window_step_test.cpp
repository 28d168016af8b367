#include "spillway/windows/aligned_window_step.hpp"

#include <gtest/gtest.h>

#include "window_fixture.hpp"

namespace {

using namespace window_test;
using namespace std::chrono_literals;
using with_tag = driven<sw::aligned_window_step<item, std::uint32_t, late_tag, ids>>;
using without_tag = driven<sw::aligned_window_step<item, std::uint32_t, sw::no_tag, ids>>;
constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();

TEST(aligned_window_step, a_window_fires_when_the_watermark_reaches_its_last_instant_and_before_the_watermark_goes_on) {
  with_tag w(sw::tumbling(10ns), sw::window_options{}, ids{});
  w.record(1, 0, 1);
  w.record(1, 9, 2);
  w.record(1, 10, 3);
  w.watermark(8);
  EXPECT_EQ(w.take(), (lines{"wm 8"}));
  w.watermark(9);
  EXPECT_EQ(w.take(), (lines{"1 [0,10) {1 2} @9", "wm 9"}));
  w.watermark(18);
  EXPECT_EQ(w.take(), (lines{"wm 18"}));
  w.end();
  EXPECT_EQ(w.take(), (lines{"1 [10,20) {3} @19", "wm " + at(top)}));
}

TEST(aligned_window_step, one_watermark_fires_windows_in_order_of_end_and_keys_in_order_of_first_arrival_without_empty_windows) {
  with_tag w(sw::tumbling(10ns), sw::window_options{}, ids{});
  w.record(3, 45, 1);
  w.record(2, 5, 2);
  w.record(3, 3, 3);
  w.record(1, 5, 4);
  w.record(2, 1, 5);
  w.watermark(100);
  EXPECT_EQ(w.take(), (lines{"2 [0,10) {2 5} @9", "3 [0,10) {3} @9", "1 [0,10) {4} @9", "3 [40,50) {1} @49", "wm 100"}));
}

TEST(aligned_window_step, a_record_behind_the_watermark_is_not_late_while_its_window_is_open) {
  with_tag w(sw::tumbling(10ns), sw::window_options{}, ids{});
  w.watermark(8);
  w.record(1, 2, 1);
  w.watermark(9);
  EXPECT_EQ(w.take(), (lines{"wm 8", "1 [0,10) {1} @9", "wm 9"}));
}

TEST(aligned_window_step, a_late_record_goes_to_the_late_tag_unchanged_and_counts_as_late_but_not_as_dropped) {
  with_tag w(sw::tumbling(10ns), sw::window_options{}, ids{});
  w.watermark(9);
  w.record(1, 2, 7);
  EXPECT_EQ(w.take(), (lines{"wm 9", "late 7 @2"}));
  EXPECT_EQ(w.step.counts().late().get(), 1u);
  EXPECT_EQ(w.step.counts().late_dropped().get(), 0u);
  EXPECT_EQ(w.step.counts().open_keys().get(), 0u);
}

TEST(aligned_window_step, without_a_late_tag_a_late_record_is_counted_as_dropped) {
  without_tag w(sw::tumbling(10ns), sw::window_options{}, ids{});
  w.watermark(9);
  w.record(1, 2, 7);
  EXPECT_EQ(w.take(), (lines{"wm 9"}));
  EXPECT_EQ(w.step.counts().late_dropped().get(), 1u);
}

TEST(aligned_window_step, a_record_within_the_lateness_fires_its_window_again_at_once_with_everything_so_far) {
  with_tag w(sw::tumbling(10ns), {.allowed_lateness = 5ns}, ids{});
  w.record(1, 1, 1);
  w.watermark(9);
  w.record(1, 2, 2);
  w.watermark(13);
  w.record(1, 3, 3);
  w.record(2, 4, 4);
  w.watermark(14);
  w.record(1, 4, 5);
  EXPECT_EQ(w.take(), (lines{"1 [0,10) {1} @9", "wm 9", "1 [0,10) {1 2} @9", "wm 13", "1 [0,10) {1 2 3} @9", "2 [0,10) {4} @9",
                             "wm 14", "late 5 @4"}));
}

TEST(aligned_window_step, one_watermark_over_firing_and_clean_up_fires_once) {
  with_tag w(sw::tumbling(10ns), {.allowed_lateness = 5ns}, ids{});
  w.record(1, 1, 1);
  w.watermark(100);
  EXPECT_EQ(w.take(), (lines{"1 [0,10) {1} @9", "wm 100"}));
  EXPECT_EQ(w.step.counts().open_windows().get(), 0u);
  EXPECT_EQ(w.step.counts().open_keys().get(), 0u);
}

TEST(aligned_window_step, endless_lateness_keeps_windows_for_ever) {
  with_tag w(sw::tumbling(10ns), {.allowed_lateness = nanoseconds::max()}, ids{});
  w.record(1, 5, 1);
  w.watermark(1'000'000'000'000);
  w.record(1, 6, 2);
  EXPECT_EQ(w.take(), (lines{"1 [0,10) {1} @9", "wm 1000000000000", "1 [0,10) {1 2} @9"}));
}

TEST(aligned_window_step, a_sliding_record_is_late_only_when_all_its_windows_are_gone_and_losing_some_leaves_no_trace) {
  with_tag w(sw::sliding(10ns, 5ns), sw::window_options{}, ids{});
  w.watermark(9);
  w.record(1, 7, 1);
  w.watermark(14);
  w.record(1, 8, 2);
  EXPECT_EQ(w.take(), (lines{"wm 9", "1 [5,15) {1} @14", "wm 14", "late 2 @8"}));
  EXPECT_EQ(w.step.counts().late().get(), 1u);
}

TEST(aligned_window_step, a_late_record_fires_its_sliding_windows_again_newest_first) {
  with_tag w(sw::sliding(15ns, 5ns), {.allowed_lateness = 100ns}, ids{});
  w.record(1, 12, 1);
  w.watermark(19);
  w.take();
  w.record(1, 11, 2);
  EXPECT_EQ(w.take(), (lines{"1 [5,20) {1 2} @19", "1 [0,15) {1 2} @14"}));
}

TEST(aligned_window_step, a_record_in_a_gap_is_dropped_without_a_trace_unless_it_is_late_by_itself) {
  with_tag w(sw::sliding(2ns, 5ns), {.allowed_lateness = 3ns}, ids{});
  w.record(1, 3, 1);
  EXPECT_EQ(w.step.counts().no_window().get(), 1u);
  w.watermark(5);
  w.record(1, 3, 2);
  w.watermark(6);
  w.record(1, 3, 3);
  EXPECT_EQ(w.take(), (lines{"wm 5", "wm 6", "late 3 @3"}));
  EXPECT_EQ(w.step.counts().no_window().get(), 2u);
}

TEST(aligned_window_step, nothing_is_late_before_the_first_watermark) {
  with_tag w(sw::tumbling(10ns), sw::window_options{}, ids{});
  w.record(1, -top, 1);
  w.end();
  EXPECT_EQ(w.take().front(), "1 [" + at(-top - 1) + "," + at(-top + 7) + ") {1} @" + at(-top + 6));
}

TEST(aligned_window_step, a_record_at_the_end_of_time_stays_in_a_window_that_fires_at_the_last_watermark) {
  with_tag w(sw::tumbling(1000ns), sw::window_options{}, ids{});
  w.watermark(0);
  w.record(1, top, 1);
  w.watermark(top - 1);
  EXPECT_EQ(w.take(), (lines{"wm 0", "wm " + at(top - 1)}));
  w.end();
  EXPECT_EQ(w.take(), (lines{"1 [9223372036854775000," + at(top) + ") {1} @" + at(top), "wm " + at(top)}));
}

TEST(aligned_window_step, a_record_without_a_timestamp_is_refused_and_a_negative_lateness_too) {
  with_tag w(sw::tumbling(10ns), sw::window_options{}, ids{});
  EXPECT_THROW(w.record(1, sw::no_timestamp.ns, 1), std::invalid_argument);
  EXPECT_THROW(with_tag(sw::tumbling(10ns), sw::window_options{.allowed_lateness = -1ns}, ids{}), std::invalid_argument);
}

TEST(aligned_window_step, a_firing_stops_at_a_full_edge_goes_on_in_resume_and_holds_the_watermark_back) {
  with_tag w(sw::tumbling(10ns), sw::window_options{}, ids{});
  for (std::uint32_t key = 1; key <= 3; ++key) w.record(key, 1, static_cast<int>(key));
  std::size_t room = 1;
  w.out.is_held = [&] { return w.out.lines.size() >= room; };
  w.watermark(20);
  EXPECT_EQ(w.out.lines, (lines{"1 [0,10) {1} @9"}));
  EXPECT_FALSE(w.step.resume(w.out));
  room = 2;
  EXPECT_FALSE(w.step.resume(w.out));
  EXPECT_EQ(w.out.lines, (lines{"1 [0,10) {1} @9", "2 [0,10) {2} @9"}));
  room = 10;
  EXPECT_TRUE(w.step.resume(w.out));
  EXPECT_EQ(w.out.lines, (lines{"1 [0,10) {1} @9", "2 [0,10) {2} @9", "3 [0,10) {3} @9", "wm 20"}));
  EXPECT_TRUE(w.step.resume(w.out));
}

TEST(aligned_window_step, a_record_or_watermark_that_meets_an_unfinished_firing_completes_it_first) {
  with_tag w(sw::tumbling(10ns), sw::window_options{}, ids{});
  for (std::uint32_t key = 1; key <= 2; ++key) w.record(key, 1, static_cast<int>(key));
  w.record(1, 25, 3);
  w.out.is_held = [] { return true; };
  w.watermark(20);
  EXPECT_TRUE(w.out.lines.empty());
  w.record(1, 5, 4);
  EXPECT_EQ(w.take(), (lines{"1 [0,10) {1} @9", "2 [0,10) {2} @9", "wm 20", "late 4 @5"}));
  w.watermark(29);
  w.watermark(30);
  EXPECT_EQ(w.take(), (lines{"1 [20,30) {3} @29", "wm 29", "wm 30"}));
}

TEST(aligned_window_step, a_stream_without_keys_has_one_group) {
  driven<sw::aligned_window_step<item, sw::no_key, late_tag, id_sum>> w(sw::tumbling(10ns), sw::window_options{}, id_sum{});
  w.record(1, 1);
  w.record(2, 2);
  w.record(12, 4);
  w.watermark(9);
  w.record(3, 8);
  w.end();
  EXPECT_EQ(w.take(), (lines{"[0,10) 3 @9", "wm 9", "late 8 @3", "[10,20) 4 @19", "wm " + at(top)}));
}

TEST(aligned_window_step, a_key_of_text_is_kept_beyond_the_record_it_came_with) {
  driven<sw::aligned_window_step<item, sw::text_ref, late_tag, id_sum>> w(sw::tumbling(10ns), sw::window_options{}, id_sum{});
  for (const char* name : {"b", "a key that is too long to be held in place", "b"}) {
    std::string text = name;
    w.step.on_record(w.out, item{0, 1, 1}, sw::timestamp{1}, sw::text_ref{std::string_view{text}});
    text.assign(text.size(), '?');
  }
  w.watermark(9);
  EXPECT_EQ(w.take(), (lines{"b [0,10) 2 @9", "a key that is too long to be held in place [0,10) 1 @9", "wm 9"}));
}

TEST(aligned_window_step, memory_does_not_grow_with_time_when_the_load_stays_the_same) {
  driven<sw::aligned_window_step<item, std::uint32_t, late_tag, id_sum>> w(sw::sliding(100ns, 10ns), {.allowed_lateness = 30ns},
                                                                           id_sum{});
  std::uint64_t growth = 0;
  for (std::int64_t t = 0; t < 60000; ++t) {
    w.record(static_cast<std::uint32_t>(t % 50 + t / 3000), t - t % 7, 1);
    if (t % 5 == 0) w.watermark(t - 20);
    if (t == 20000) growth = w.stage.memory().growth_events();
    w.out.lines.clear();
  }
  EXPECT_EQ(w.stage.memory().growth_events(), growth);
  w.end();
  EXPECT_EQ(w.step.counts().open_windows().get(), 0u);
  EXPECT_EQ(w.step.counts().open_keys().get(), 0u);
}

}  // namespace
