#include "spillway/windows/window_process_step.hpp"

#include <gtest/gtest.h>

#include "window_fixture.hpp"

namespace {

using namespace window_test;
using namespace std::chrono_literals;
constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();

inline constexpr sw::output_tag<"large", std::string> large{};

struct list_all {
  using main = std::string;
  using emits = sw::emits<large>;
  int* opened = nullptr;
  int* closed = nullptr;

  void open() {
    if (opened != nullptr) ++*opened;
  }
  void close() {
    if (closed != nullptr) ++*closed;
  }
  void on_window(auto& ctx, std::uint32_t key, const sw::time_window& w, auto elements) {
    std::string text = std::to_string(key) + " " + span(w) + " at " + at(ctx.watermark().ns) + ":";
    for (auto e = elements.begin(); e != elements.end(); ++e) text += " " + std::to_string(e->id) + "/" + at(e.time().ns);
    ctx.emit(text);
    if (elements.size() >= 3) ctx.output(large, std::to_string(key));
  }
};
struct list_all_unkeyed {
  using main = std::string;
  using emits = sw::emits<>;
  void on_window(auto& ctx, const sw::time_window& w, auto elements) {
    ctx.emit(span(w) + " " + std::to_string(elements.size()));
  }
};

template <class Windows, class Function = list_all, class Key = std::uint32_t>
using process = driven<sw::window_process_step<item, Key, late_tag, Windows, Function>>;

TEST(window_process_step, the_function_sees_all_records_in_order_of_arrival_and_emits_at_the_last_instant_of_the_window) {
  process<sw::aligned_windows> p(sw::tumbling(10ns), sw::window_options{}, list_all{});
  p.record(1, 7, 1);
  p.record(1, 3, 2);
  p.record(2, 4, 3);
  p.record(1, 9, 4);
  p.watermark(12);
  EXPECT_EQ(p.take(), (lines{"1 [0,10) at 12: 1/7 2/3 4/9 @9", "large 1 @9", "2 [0,10) at 12: 3/4 @9", "wm 12"}));
}

TEST(window_process_step, a_record_is_in_each_of_its_sliding_windows_and_late_ones_fire_again_newest_first) {
  process<sw::aligned_windows> p(sw::sliding(10ns, 5ns), {.allowed_lateness = 20ns}, list_all{});
  p.record(1, 7, 1);
  p.watermark(14);
  p.record(1, 8, 2);
  p.watermark(30);
  p.record(1, 9, 3);
  EXPECT_EQ(p.take(), (lines{"1 [0,10) at 14: 1/7 @9", "1 [5,15) at 14: 1/7 @14", "wm 14", "1 [5,15) at 14: 1/7 2/8 @14",
                             "1 [0,10) at 14: 1/7 2/8 @9", "wm 30", "1 [5,15) at 30: 1/7 2/8 3/9 @14", "large 1 @14"}));
}

TEST(window_process_step, united_sessions_hand_over_their_records_in_order_of_arrival) {
  process<sw::session_windows> p(sw::session(5ns), sw::window_options{}, list_all{});
  p.record(1, 10, 1);
  p.record(1, 0, 2);
  p.record(1, 11, 3);
  p.record(1, 1, 4);
  p.record(1, 6, 5);
  p.watermark(15);
  EXPECT_EQ(p.take(), (lines{"1 [0,16) at 15: 1/10 2/0 3/11 4/1 5/6 @15", "large 1 @15", "wm 15"}));
}

TEST(window_process_step, a_count_window_hands_over_its_records_at_the_end_of_time) {
  process<sw::count_windows> p(sw::count_of(2), sw::window_options{}, list_all{});
  p.watermark(3);
  p.record(1, 7, 1);
  p.record(1, 5, 2);
  EXPECT_EQ(p.take(), (lines{"wm 3", "1 [5,7) at 3: 1/7 2/5 @" + at(top)}));
}

TEST(window_process_step, late_records_and_records_in_gaps_are_told_apart) {
  process<sw::aligned_windows> p(sw::sliding(2ns, 5ns), sw::window_options{}, list_all{});
  p.record(1, 3, 1);
  p.watermark(4);
  p.record(1, 3, 2);
  p.record(1, 1, 3);
  EXPECT_EQ(p.take(), (lines{"wm 4", "late 2 @3", "late 3 @1"}));
  EXPECT_EQ(p.step.counts().no_window().get(), 1u);
}

TEST(window_process_step, a_stream_without_keys_has_one_group_and_its_function_takes_no_key) {
  process<sw::aligned_windows, list_all_unkeyed, sw::no_key> p(sw::tumbling(10ns), sw::window_options{}, list_all_unkeyed{});
  p.record(1, 1);
  p.record(2, 2);
  p.end();
  EXPECT_EQ(p.take(), (lines{"[0,10) 2 @9", "wm " + at(top)}));
}

TEST(window_process_step, the_function_is_opened_and_closed_once) {
  int opened = 0;
  int closed = 0;
  { process<sw::aligned_windows> p(sw::tumbling(10ns), sw::window_options{}, list_all{&opened, &closed}); }
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(closed, 1);
}

struct line {
  sw::text_ref text;
};
sw::text_ref& text_of(line& l) { return l.text; }

struct join_lines {
  using main = std::string;
  using emits = sw::emits<>;
  void on_window(auto& ctx, std::uint32_t, const sw::time_window&, auto elements) {
    std::string all;
    for (const line& l : elements) all += std::string(l.text.view()) + ";";
    ctx.emit(all);
  }
};

TEST(window_process_step, text_that_belongs_to_the_source_is_kept_with_the_record) {
  driven<sw::window_process_step<line, std::uint32_t, sw::no_tag, sw::aligned_windows, join_lines>> p(
      sw::sliding(10ns, 5ns), sw::window_options{}, join_lines{});
  for (const char* words : {"one", "", "three and more"}) {
    std::string source = words;
    p.step.on_record(p.out, line{sw::text_ref{std::string_view{source}}}, sw::timestamp{7}, 1u);
    source.assign(source.size(), '?');
  }
  p.watermark(9);
  p.watermark(14);
  EXPECT_EQ(p.take(), (lines{"one;;three and more; @9", "wm 9", "one;;three and more; @14", "wm 14"}));
}

struct owner {
  std::string text;
};
struct count_owners {
  using main = std::string;
  using emits = sw::emits<>;
  void on_window(auto& ctx, std::uint32_t, const sw::time_window&, auto elements) { ctx.emit(elements.begin()->text); }
};

TEST(window_process_step, records_with_destructors_are_destroyed_when_the_window_goes_and_when_the_step_closes) {
  driven<sw::window_process_step<owner, std::uint32_t, sw::no_tag, sw::aligned_windows, count_owners>> p(
      sw::sliding(10ns, 5ns), sw::window_options{}, count_owners{});
  const std::string far_too_long_to_be_held_in_place(100, 'x');
  for (int t = 0; t < 100; ++t)
    p.step.on_record(p.out, owner{far_too_long_to_be_held_in_place}, sw::timestamp{t}, static_cast<std::uint32_t>(t % 3));
  p.watermark(50);
  EXPECT_EQ(p.out.lines.front(), far_too_long_to_be_held_in_place + " @4");
}

TEST(window_process_step, a_firing_of_many_windows_is_resumable) {
  process<sw::aligned_windows> p(sw::tumbling(10ns), sw::window_options{}, list_all{});
  for (int i = 0; i < 300; ++i) p.record(static_cast<std::uint32_t>(i), i % 30, i);
  p.out.is_held = [&] { return p.out.lines.size() % 5 == 4; };
  p.watermark(50);
  EXPECT_EQ(p.out.lines.size(), 4u);
  EXPECT_FALSE(p.step.resume(p.out));
  p.record(1, 60, 1000);
  EXPECT_EQ(p.out.lines.size(), 301u);
  EXPECT_EQ(p.out.lines.back(), "wm 50");
}

}  // namespace
