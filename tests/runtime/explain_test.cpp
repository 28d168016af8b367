// What `explain` says before a pipeline runs and while it does.
#include <gtest/gtest.h>

#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"odd", int> odd{};

bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

auto split_odd() {
  return sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int n) {
    if (n % 2) ctx.output(odd, n);
    ctx.emit(n);
  });
}

TEST(explain, lists_threads_cpus_edges_policies_and_bytes_before_the_start) {
  auto a = sw::stage<"a">(sw::nth_allowed_cpu{0}, count_to(10) | split_odd());
  auto b = sw::stage<"b">(sw::shared_thread{1}, sw::from(a, {.capacity = 100}) | sw::discard());
  auto c = sw::stage<"c">(sw::shared_thread{1}, sw::from(odd, sw::spill.up_to(1 << 20)) | sw::discard());
  auto d = sw::stage<"d">(sw::any_cpu{}, sw::from(odd, sw::drop_newest, {.capacity = 64}) | sw::discard());
  const sw::pipeline p(std::move(a), std::move(b), std::move(c), std::move(d));
  const std::string text = p.explain();
  EXPECT_TRUE(says(text, "a    CPU " + std::to_string(sw::allowed_cpus()[0]))) << text;
  EXPECT_TRUE(says(text, "b+c  any CPU  b, c")) << text;
  EXPECT_TRUE(says(text, "a -> b      block                capacity 128")) << text;
  EXPECT_TRUE(says(text, "a.odd -> c  spill up to 1.0 MiB  capacity 1024")) << text;
  EXPECT_TRUE(says(text, "a.odd -> d  drop_newest          capacity 64")) << text;
  EXPECT_TRUE(says(text, "rings take ")) << text;
  EXPECT_FALSE(says(text, "now")) << text;
}

TEST(explain, counts_the_bytes_that_a_ring_takes) {
  const auto bytes_of = [](std::size_t capacity) {
    auto a = sw::stage<"a">(sw::any_cpu{}, count_to(10));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = capacity}) | sw::discard());
    sw::pipeline p(std::move(a), std::move(b));
    return p.lowered().edges()[0]->memory_bytes();
  };
  EXPECT_EQ(bytes_of(65536) - bytes_of(32768), 32768u * sizeof(int));
}

TEST(explain, shows_the_watchdog_and_one_thread_where_they_are_asked_for) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(10));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::discard());
  const sw::pipeline p(std::move(a), std::move(b));
  const std::string text = p.explain({.one_thread = true, .watchdog = 1s});
  EXPECT_TRUE(says(text, "a+b")) << text;
  EXPECT_TRUE(says(text, "watchdog")) << text;
}

TEST(explain, names_the_stage_at_which_backpressure_begins) {
  std::atomic<bool> open{false};
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | sw::map([](int n) { return n; }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, {.capacity = 4}) | sw::sink([&](int) {
                                           while (!open) std::this_thread::sleep_for(1ms);
                                         }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.start();
  EXPECT_TRUE(eventually([&] { return p.standing().backpressure_from == std::vector<std::string>{"c"}; }));
  EXPECT_TRUE(says(p.explain(), "backpressure begins at c")) << p.explain();
  open = true;
  p.stop();
  p.join();
  EXPECT_TRUE(p.standing().backpressure_from.empty());
  EXPECT_TRUE(says(p.explain(), "nothing is held up, nothing was lost")) << p.explain();
}

/// Gives records with time up to `reach`, then nothing until it is told to end.
struct held_feed {
  using record = int;
  static constexpr bool has_timestamps = true;
  int reach;
  const std::atomic<bool>* end;
  int next = 0;

  template <class Out>
  sw::source_status poll(Out& out, std::size_t) {
    if (next < reach) {
      out.emit(next, sw::timestamp(next));
      out.watermark(sw::timestamp(next));
      ++next;
      return sw::source_status::active;
    }
    return *end ? sw::source_status::ended : sw::source_status::idle;
  }
};

TEST(explain, names_the_stage_that_holds_the_watermark) {
  std::atomic<bool> end{false};
  auto fast = sw::stage<"fast">(sw::any_cpu{}, sw::source(held_feed{100, &end}));
  auto slow = sw::stage<"slow">(sw::any_cpu{}, sw::source(held_feed{5, &end}));
  auto relay = sw::stage<"relay">(sw::any_cpu{}, sw::from(slow) | sw::map([](int n) { return n; }));
  auto both = sw::stage<"both">(sw::any_cpu{}, sw::from(fast, relay) | sw::discard());
  sw::pipeline p(std::move(fast), std::move(slow), std::move(relay), std::move(both));
  p.start();
  EXPECT_TRUE(eventually([&] {
    const sw::standing s = p.standing();
    return s.watermark_holder == "slow" && s.watermark == sw::timestamp(4);
  }));
  EXPECT_TRUE(says(p.explain(), "watermark 4 ns, held by 'slow'")) << p.explain();
  end = true;
  p.join();
  EXPECT_EQ(p.standing().watermark_holder, "");
}

TEST(explain, says_which_edge_loses_how_many_and_why) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(1000) | split_odd() | sw::discard());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(odd, sw::drop_newest, {.capacity = 4}) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  p.run_inline();
  EXPECT_EQ(p.standing().losing_edges, (std::vector<std::size_t>{0}));
  EXPECT_TRUE(says(p.explain(), "a.odd -> b lost 496 of 500: 496 dropped, ring full")) << p.explain();
}

TEST(watchdog, reports_a_stage_that_is_stuck_in_an_operator_once) {
  std::atomic<bool> open{false};
  std::mutex mutex;
  std::vector<std::string> told;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever());
  auto stuck = sw::stage<"stuck">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | sw::sink([&](int) {
                                                   while (!open) std::this_thread::sleep_for(1ms);
                                                 }));
  sw::pipeline p(std::move(a), std::move(stuck));
  p.on_report([&](std::string_view text) {
    const std::lock_guard lock(mutex);
    told.emplace_back(text);
  });
  p.start({.watchdog = 20ms});
  EXPECT_EQ(threads_named("watchdog"), 1u);
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return !told.empty();
  }));
  std::this_thread::sleep_for(100ms);
  open = true;
  p.stop();
  p.join();
  EXPECT_EQ(threads_named("watchdog"), 0u);
  ASSERT_EQ(told.size(), 1u);  // not of `a`, which only waits for room
  EXPECT_TRUE(says(told[0], "stage 'stuck' has made no progress for ")) << told[0];
  EXPECT_TRUE(says(told[0], "inside an operator")) << told[0];
}

TEST(progress_watch, does_not_report_a_stage_that_has_nothing_to_do) {
  std::atomic<bool> end{false};
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(held_feed{3, &end}));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  sw::progress_watch watch(p.lowered());
  auto now = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(watch.stalled(now, 35s).empty());
    now += 10s;
    const auto cycles = p.stages()[0].counts.duty_cycles;
    const auto cycles_b = p.stages()[1].counts.duty_cycles;
    EXPECT_TRUE(
        eventually([&] { return p.stages()[0].counts.duty_cycles > cycles && p.stages()[1].counts.duty_cycles > cycles_b; }));
  }
  end = true;
  p.join();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(watch.stalled(now += 10s, 35s).empty());
}

TEST(progress_watch, reports_a_stage_that_nobody_polls_and_again_after_it_moved) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  const auto& agents = p.lowered().agents();
  for (const auto& each : agents) each->start();
  sw::progress_watch watch(p.lowered());
  auto now = std::chrono::steady_clock::now();
  const auto told = [&] {
    std::string names;
    for (int i = 0; i < 4; ++i) {
      for (const auto& s : watch.stalled(now += 10s, 25s)) names += s.stage + " " + std::to_string(s.records_waiting) + " ";
      agents[0]->do_work();
    }
    return names;
  };
  EXPECT_EQ(told(), "b 5 ");
  EXPECT_EQ(told(), "");
  agents[1]->do_work();
  EXPECT_EQ(told(), "b 5 ");
  for (const auto& each : agents) each->close();
}

}  // namespace
