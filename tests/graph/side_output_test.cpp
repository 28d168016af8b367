// What reaches the readers of side outputs, and in which order with the watermarks.
#include <gtest/gtest.h>

#include <random>

#include "graph_fixture.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/windows/window.hpp"

namespace {

using namespace graph_test;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"late", int> late{};
inline constexpr sw::output_tag<"even", int> even{};
inline constexpr sw::output_tag<"odd", int> odd{};
inline constexpr sw::output_tag<"large", int> large{};

auto split() {
  return sw::process<sw::no_record>(sw::emits<even, odd>{},
                                    [](auto& ctx, int n) { n % 2 ? ctx.output(odd, n) : ctx.output(even, n); });
}

/// Sends the records of each window on, and those above 10 aside as well.
struct pass_on {
  using main = int;
  using emits = sw::emits<large>;
  void on_window(auto& ctx, const sw::time_window&, auto elements) {
    for (const int n : elements) {
      ctx.emit(n);
      if (n > 10) ctx.output(large, n);
    }
  }
};

TEST(side_output, may_be_all_that_a_stage_has) {
  lines evens;
  lines odds;
  auto routes =
      sw::stage<"routes">(sw::any_cpu{}, sw::source(script{}.number(1, 10).number(2, 20).number(3, 30).number(4, 40)) | split());
  auto first = sw::stage<"first">(sw::any_cpu{}, sw::from(even) | trace(evens));
  auto second = sw::stage<"second">(sw::any_cpu{}, sw::from(odd) | trace(odds));
  sw::pipeline p(std::move(routes), std::move(first), std::move(second));
  p.run_inline();
  EXPECT_EQ(evens, (lines{"2@20", "4@40", "wm max", "end"}));
  EXPECT_EQ(odds, (lines{"1@10", "3@30", "wm max", "end"}));
}

TEST(side_output, that_is_discarded_has_no_edge_and_is_counted) {
  lines odds;
  auto routes = sw::stage<"routes">(sw::any_cpu{}, sw::source(script{}.number(1, 10).number(2, 20).number(4, 40)) | split());
  auto reader = sw::stage<"reader">(sw::any_cpu{}, sw::from(odd) | trace(odds));
  sw::pipeline p(std::move(routes), sw::discard(even), std::move(reader));
  p.run_inline();
  EXPECT_EQ(odds, (lines{"1@10", "wm max", "end"}));
  EXPECT_EQ(p.edges().size(), 1u);
  EXPECT_EQ(unread(p, "routes", "even"), 2u);
  EXPECT_EQ(unread(p, "routes", "odd"), 0u);
}

TEST(side_output, has_no_time_where_its_stage_has_none) {
  lines odds;
  auto routes = sw::stage<"routes">(sw::any_cpu{}, sw::source(sw::elements{1, 2, 3}) | split());
  auto reader = sw::stage<"reader">(sw::any_cpu{}, sw::from(odd) | trace(odds));
  sw::pipeline p(std::move(routes), sw::discard(even), std::move(reader));
  p.run_inline();
  EXPECT_EQ(odds, (lines{"1@none", "3@none", "wm max", "end"}));
}

TEST(side_output, ends_even_where_nothing_was_ever_sent) {
  lines odds;
  auto routes = sw::stage<"routes">(sw::any_cpu{}, sw::source(script{}) | split());
  auto reader = sw::stage<"reader">(sw::any_cpu{}, sw::from(odd) | trace(odds));
  sw::pipeline p(std::move(routes), sw::discard(even), std::move(reader));
  p.run_inline();
  EXPECT_EQ(odds, (lines{"wm max", "end"}));
}

TEST(side_output, of_a_firing_comes_before_the_watermark_that_fired_it) {
  lines log;
  auto numbers =
      sw::source(script{}.number(1, 1).number(11, 2).watermark(5).watermark(12).number(12, 13).watermark(25).number(13, 27));
  auto windows = sw::stage<"windows">(
      sw::any_cpu{}, std::move(numbers) | sw::window(sw::tumbling(10ns)) | sw::window_process(pass_on{}) | sw::discard());
  auto reader = sw::stage<"reader">(sw::any_cpu{}, sw::from(large) | trace(log));
  sw::pipeline p(std::move(windows), std::move(reader));
  p.run_inline();
  EXPECT_EQ(settled(log), (lines{"wm 5", "11@9", "wm 12", "12@19", "wm 25", "13@29", "wm max", "end"}));
}

TEST(side_output, is_shared_by_two_windows_of_a_stage_that_name_the_same_late_tag) {
  lines main;
  lines lates;
  // 2 is late for the first window but allowed, so the window fires again; by then it is late for the second. 3 is late for the first.
  auto numbers = sw::source(script{}.number(1, 5).watermark(25).number(2, 6).watermark(200).number(3, 7));
  auto windows =
      sw::stage<"windows">(sw::any_cpu{}, std::move(numbers) | sw::window(sw::tumbling(10ns), {.allowed_lateness = 100ns}, late) |
                                              sw::window_process(pass_on{}) | sw::window(sw::tumbling(20ns), late) |
                                              sw::window_process(pass_on{}) | trace(main));
  auto reader = sw::stage<"reader">(sw::any_cpu{}, sw::from(late) | trace(lates));
  sw::pipeline p(std::move(windows), std::move(reader), sw::discard(large));
  p.run_inline();
  EXPECT_EQ(settled(main), (lines{"1@19", "wm max", "end"}));
  EXPECT_EQ(settled(lates), (lines{"wm 25", "1@9", "2@9", "wm 200", "3@7", "wm max", "end"}));
}

// --- watermarks beside random records --------------------------------------------------------------------------------------------

/// Numbers in random disorder, with a watermark now and then.
script random_numbers(unsigned seed, int many) {
  std::mt19937 random(seed);
  script s;
  std::int64_t reached = -1;
  for (int i = 0; i < many; ++i) {
    s = std::move(s).number(i, reached + 1 + static_cast<std::int64_t>(random() % 20));
    if (random() % 3 == 0) s = std::move(s).watermark(reached += static_cast<std::int64_t>(random() % 8));
  }
  return s;
}

/// A record that knows the watermark at which it was sent aside.
struct sent {
  sw::timestamp watermark;
  friend std::ostream& operator<<(std::ostream& out, const sent& s) { return out << show_time(s.watermark); }
};
inline constexpr sw::output_tag<"noted", sent> noted{};

auto note_some() {
  return sw::process<int>(sw::emits<noted>{}, [](auto& ctx, int n) {
    if (n % 7 < 3) ctx.output(noted, sent{ctx.watermark()});
    ctx.emit(n);
  });
}

/// Records that came behind a watermark other than the one they were sent at; only those behind a later one where `lossy`.
int misplaced(const lines& log, bool lossy) {
  auto number = [](const std::string& text) {
    return text == "none" ? std::numeric_limits<long>::min() : text == "max" ? std::numeric_limits<long>::max() : std::stol(text);
  };
  long reached = number("none");
  int wrong = 0;
  for (const std::string& line : log) {
    if (line == "end") continue;
    if (line.starts_with("wm ")) {
      reached = number(line.substr(3));
    } else {
      const long sent_at = number(line.substr(0, line.find('@')));
      wrong += lossy ? reached > sent_at : reached != sent_at;
    }
  }
  return wrong;
}

TEST(side_output, is_preceded_by_exactly_the_watermarks_that_passed_before_it_was_sent) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    lines roomy;
    lines tight;
    lines lossy;
    auto ingest = sw::stage<"ingest">(sw::any_cpu{}, sw::source(random_numbers(seed, 2000)) | note_some() |
                                                         sw::filter([](int n) { return n > 0; }) | sw::discard());
    auto first = sw::stage<"first">(sw::any_cpu{}, sw::from(noted) | trace(roomy));
    auto second = sw::stage<"second">(sw::any_cpu{}, sw::from(noted, sw::block, {.capacity = 2}) | trace(tight));
    auto third = sw::stage<"third">(sw::any_cpu{}, sw::from(noted, sw::drop_newest, {.capacity = 2}) | trace(lossy));
    sw::pipeline p(std::move(ingest), std::move(first), std::move(second), std::move(third));
    p.run_inline();
    ASSERT_GT(roomy.size(), 800u);
    ASSERT_EQ(misplaced(roomy, false), 0) << "seed " << seed;
    ASSERT_EQ(settled(tight), settled(roomy)) << "seed " << seed;
    ASSERT_EQ(misplaced(lossy, true), 0) << "seed " << seed;
  }
}

TEST(side_output, keeps_its_order_with_the_watermarks_between_threads) {
  lines alone;
  lines threads;
  for (lines* log : {&alone, &threads}) {
    auto ingest = sw::stage<"ingest">(sw::any_cpu{}, sw::source(random_numbers(1, 20000)) | note_some() | sw::discard());
    auto reader = sw::stage<"reader">(sw::any_cpu{}, sw::from(noted, sw::block, {.capacity = 16}) | trace(*log));
    sw::pipeline p(std::move(ingest), std::move(reader));
    log == &alone ? p.run_inline() : p.run();
  }
  EXPECT_EQ(misplaced(threads, false), 0);
  EXPECT_EQ(settled(threads), settled(alone));
}

}  // namespace
