#include "spillway/windows/session_window_step.hpp"

#include <gtest/gtest.h>

#include "window_fixture.hpp"

namespace {

using namespace window_test;
using namespace std::chrono_literals;
using sessions = driven<sw::session_window_step<item, std::uint32_t, late_tag, ids>>;
constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();

TEST(session_window_step, a_session_ends_one_gap_after_its_last_record_and_a_record_exactly_one_gap_later_still_joins) {
  sessions s(sw::session(5ns), sw::window_options{}, ids{});
  s.record(1, 0, 1);
  s.record(1, 5, 2);
  s.record(1, 11, 3);
  s.record(2, 3, 4);
  s.watermark(9);
  EXPECT_EQ(s.take(), (lines{"2 [3,8) {4} @7", "1 [0,10) {1 2} @9", "wm 9"}));
  s.end();
  EXPECT_EQ(s.take(), (lines{"1 [11,16) {3} @15", "wm " + at(top)}));
}

TEST(session_window_step, a_record_between_two_sessions_unites_them) {
  sessions s(sw::session(5ns), sw::window_options{}, ids{});
  s.record(1, 10, 1);
  s.record(1, 0, 2);
  s.record(1, 5, 3);
  EXPECT_EQ(s.step.counts().open_windows().get(), 1u);
  s.watermark(20);
  EXPECT_EQ(s.take(), (lines{"1 [0,15) {1 2 3} @14", "wm 20"}));
}

TEST(session_window_step, sessions_that_end_together_come_in_order_of_start_then_of_first_arrival) {
  sessions s(sw::session(5ns), sw::window_options{}, ids{});
  s.record(3, 10, 1);
  s.record(1, 10, 2);
  s.record(2, 10, 3);
  s.record(2, 8, 4);
  s.record(1, 6, 5);
  s.record(4, 10, 6);
  s.watermark(14);
  EXPECT_EQ(s.take(), (lines{"1 [6,15) {2 5} @14", "2 [8,15) {3 4} @14", "3 [10,15) {1} @14", "4 [10,15) {6} @14", "wm 14"}));
}

TEST(session_window_step, a_record_whose_own_session_is_over_is_late_and_late_records_do_not_meet) {
  sessions s(sw::session(5ns), sw::window_options{}, ids{});
  s.watermark(20);
  s.record(1, 10, 1);
  s.record(1, 14, 2);
  EXPECT_EQ(s.take(), (lines{"wm 20", "late 1 @10", "late 2 @14"}));
  EXPECT_EQ(s.step.counts().open_keys().get(), 0u);
}

TEST(session_window_step, a_record_that_would_be_late_alone_is_taken_when_it_touches_a_live_session) {
  sessions s(sw::session(5ns), sw::window_options{}, ids{});
  s.record(1, 20, 1);
  s.watermark(20);
  s.record(1, 15, 2);
  s.watermark(24);
  EXPECT_EQ(s.take(), (lines{"wm 20", "1 [15,25) {1 2} @24", "wm 24"}));
}

TEST(session_window_step,
     a_late_record_that_prolongs_a_fired_session_fires_at_once_if_the_new_end_has_passed_else_at_the_new_end) {
  sessions s(sw::session(5ns), {.allowed_lateness = 10ns}, ids{});
  s.record(1, 0, 1);
  s.watermark(8);
  EXPECT_EQ(s.take(), (lines{"1 [0,5) {1} @4", "wm 8"}));
  s.record(1, 2, 2);
  EXPECT_EQ(s.take(), (lines{"1 [0,7) {1 2} @6"}));
  s.record(1, 7, 3);
  EXPECT_EQ(s.take(), lines{});
  s.watermark(11);
  EXPECT_EQ(s.take(), (lines{"1 [0,12) {1 2 3} @11", "wm 11"}));
}

TEST(session_window_step, a_late_record_bridges_two_fired_sessions) {
  sessions s(sw::session(5ns), {.allowed_lateness = 100ns}, ids{});
  s.record(1, 0, 1);
  s.record(1, 8, 2);
  s.watermark(30);
  s.take();
  s.record(1, 4, 3);
  EXPECT_EQ(s.take(), (lines{"1 [0,13) {1 2 3} @12"}));
  EXPECT_EQ(s.step.counts().open_windows().get(), 1u);
}

TEST(session_window_step, a_session_is_live_up_to_the_lateness_after_its_end) {
  sessions s(sw::session(5ns), {.allowed_lateness = 3ns}, ids{});
  s.record(1, 0, 1);
  s.watermark(6);
  s.record(1, 0, 2);
  s.watermark(7);
  s.record(1, 0, 3);
  EXPECT_EQ(s.take(), (lines{"1 [0,5) {1} @4", "wm 6", "1 [0,5) {1 2} @4", "wm 7", "late 3 @0"}));
}

TEST(session_window_step, the_old_end_of_a_prolonged_session_fires_nothing) {
  sessions s(sw::session(5ns), sw::window_options{}, ids{});
  s.record(1, 0, 1);
  s.record(1, 4, 2);
  s.watermark(4);
  EXPECT_EQ(s.take(), (lines{"wm 4"}));
  s.watermark(8);
  EXPECT_EQ(s.take(), (lines{"1 [0,9) {1 2} @8", "wm 8"}));
}

TEST(session_window_step, a_session_at_the_end_of_time_fires_at_the_last_watermark) {
  sessions s(sw::session(1000ns), sw::window_options{}, ids{});
  s.record(1, top - 5, 1);
  s.record(1, top, 2);
  s.watermark(top - 1);
  EXPECT_EQ(s.take(), (lines{"wm " + at(top - 1)}));
  s.end();
  EXPECT_EQ(s.take(), (lines{"1 [" + at(top - 5) + "," + at(top) + ") {1 2} @" + at(top), "wm " + at(top)}));
}

TEST(session_window_step, a_record_without_a_timestamp_is_refused) {
  sessions s(sw::session(5ns), sw::window_options{}, ids{});
  EXPECT_THROW(s.record(1, sw::no_timestamp.ns, 1), std::invalid_argument);
}

TEST(session_window_step, a_stream_without_keys_has_one_group) {
  driven<sw::session_window_step<item, sw::no_key, late_tag, id_sum>> s(sw::session(5ns), sw::window_options{}, id_sum{});
  s.record(0, 1);
  s.record(3, 2);
  s.watermark(7);
  s.record(10, 4);
  s.end();
  EXPECT_EQ(s.take(), (lines{"[0,8) 3 @7", "wm 7", "[10,15) 4 @14", "wm " + at(top)}));
}

TEST(session_window_step, a_firing_of_many_sessions_is_resumable) {
  sessions s(sw::session(5ns), sw::window_options{}, ids{});
  for (int i = 0; i < 1000; ++i) s.record(static_cast<std::uint32_t>(i), i % 7, i);
  std::size_t room = 0;
  s.out.is_held = [&] { return s.out.lines.size() >= room; };
  s.watermark(50);
  for (room = 10; !s.step.resume(s.out); room += 10) ASSERT_EQ(s.out.lines.size(), room);
  EXPECT_EQ(s.out.lines.size(), 1001u);
  EXPECT_EQ(s.out.lines.back(), "wm 50");
}

TEST(session_window_step, memory_does_not_grow_with_time_when_the_load_stays_the_same) {
  driven<sw::session_window_step<item, std::uint32_t, late_tag, id_sum>> s(sw::session(20ns), {.allowed_lateness = 30ns},
                                                                           id_sum{});
  std::uint64_t growth = 0;
  for (std::int64_t t = 0; t < 60000; ++t) {
    s.record(static_cast<std::uint32_t>(t % 50 + t / 300 * 17), t - t % 7, 1);
    if (t % 5 == 0) s.watermark(t - 20);
    if (t == 20000) growth = s.stage.memory().growth_events();
    s.out.lines.clear();
  }
  EXPECT_EQ(s.stage.memory().growth_events(), growth);
  s.end();
  EXPECT_EQ(s.step.counts().open_windows().get(), 0u);
  EXPECT_EQ(s.step.counts().open_keys().get(), 0u);
}

}  // namespace
