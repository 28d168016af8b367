// A pipeline from start to end: the ways to run it, to stop it, to give it up, and what its counts say meanwhile and afterwards.
#include "spillway/runtime/pipeline.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"odd", int> odd{};
inline constexpr sw::output_tag<"never", int> never_read{};

auto split_odd() {
  return sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int n) { n % 2 != 0 ? ctx.output(odd, n) : ctx.emit(n); });
}

const sw::edge_report& edge_to(const std::vector<sw::edge_report>& all, std::string_view to) {
  for (const auto& e : all) {
    if (e.to == to) return e;
  }
  throw std::out_of_range("no such edge");
}

TEST(pipeline, run_returns_when_everything_has_arrived) {
  std::int64_t sum = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(10'000) | sw::map([](int n) { return n * 2; }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::sink([&](int n) { sum += n; }));
  sw::pipeline p(std::move(a), std::move(b));
  p.run();
  EXPECT_EQ(sum, 99'990'000);
}

TEST(pipeline, a_pipeline_runs_once) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(3) | sw::discard());
  sw::pipeline p(std::move(a));
  p.run_inline();
  EXPECT_THROW(p.run(), std::logic_error);
  EXPECT_THROW(p.run_inline(), std::logic_error);
  EXPECT_THROW(p.start(), std::logic_error);
}

TEST(pipeline, join_and_abort_before_the_start_do_nothing) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(3) | sw::discard());
  sw::pipeline p(std::move(a));
  p.join();
  p.abort();
  EXPECT_TRUE(p.drain(0ns));
}

TEST(pipeline, stages_may_be_given_in_any_order) {
  int seen = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(3));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::sink([&](int) { ++seen; }));
  sw::pipeline p(std::move(b), std::move(a));
  p.run_inline();
  EXPECT_EQ(seen, 3);
}

TEST(pipeline, stop_ends_the_sources_and_what_they_gave_arrives) {
  std::atomic<std::uint64_t> seen{0};
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 64}) | sw::sink([&](int) { ++seen; }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  ASSERT_TRUE(eventually([&] { return seen > 1000; }));
  p.stop();
  p.join();
  const auto edges = p.edges();
  EXPECT_EQ(edges[0].counts.consumed, seen.load());
  EXPECT_EQ(edges[0].counts.pushed, seen.load());
  EXPECT_EQ(edges[0].counts.left, 0u);
  EXPECT_EQ(p.stages()[0].counts.records_in, seen.load());
  EXPECT_EQ(p.stages()[1].counts.records_in, seen.load());
  EXPECT_EQ(p.stages()[1].counts.watermark, sw::timestamp::maximum());
}

TEST(pipeline, drain_says_whether_everything_arrived_in_time) {
  std::atomic<bool> release{false};
  std::atomic<int> seen{0};
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 8}) | sw::sink([&](int) {
                                           ++seen;
                                           while (!release) std::this_thread::yield();
                                         }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  ASSERT_TRUE(eventually([&] { return seen == 1; }));
  EXPECT_FALSE(p.drain(10ms));
  EXPECT_FALSE(p.wait_for(0ns));
  release = true;
  EXPECT_TRUE(p.drain(std::chrono::nanoseconds::max()));
  p.join();
  EXPECT_EQ(p.edges()[0].counts.left, 0u);
}

TEST(pipeline, abort_after_a_drain_that_came_too_late_tells_what_was_left) {
  std::atomic<bool> release{false};
  std::atomic<std::uint64_t> seen{0};
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 8}) | sw::sink([&](int) {
                                           ++seen;
                                           while (!release) std::this_thread::yield();
                                         }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  ASSERT_TRUE(eventually([&] { return p.edges()[0].counts.pushed >= 8; }));
  EXPECT_FALSE(p.drain(5ms));
  std::jthread later([&] {
    std::this_thread::sleep_for(20ms);
    release = true;
  });
  p.abort();
  const auto e = p.edges()[0].counts;
  EXPECT_TRUE(e.balanced());
  EXPECT_EQ(e.consumed, seen.load());
  EXPECT_EQ(e.pushed, p.stages()[0].counts.records_in);
  EXPECT_EQ(e.left, e.pushed - e.consumed);
  EXPECT_GE(e.blocked_ns, 1'000'000u);
}

TEST(pipeline, the_destructor_of_a_running_pipeline_ends_its_threads) {
  const std::size_t before = thread_names().size();
  {
    auto a = sw::stage<"endless">(sw::any_cpu{}, count_for_ever());
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 1}) | sw::discard());
    sw::pipeline p(std::move(a), std::move(b));
    p.start();
  }
  EXPECT_TRUE(threads_settle_at(before));
}

TEST(pipeline, a_pipeline_that_never_started_goes_away_quietly) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever() | split_odd());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::discard());
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(odd) | sw::discard());
  const sw::pipeline p(std::move(a), std::move(b), std::move(c));
  EXPECT_EQ(p.edges().size(), 2u);
  EXPECT_EQ(p.edges()[0].counts.pushed, 0u);
}

TEST(pipeline, a_running_pipeline_may_be_moved) {
  std::atomic<int> seen{0};
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::sink([&](int) { ++seen; }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  sw::pipeline q(std::move(p));
  ASSERT_TRUE(eventually([&] { return seen > 10; }));
  q.stop();
  q.join();
  EXPECT_TRUE(q.edges()[0].counts.balanced());
}

TEST(pipeline, counts_can_be_read_while_it_runs_and_never_go_back) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever() | split_odd());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 16}) | sw::discard());
  auto c =
      sw::stage<"c">(sw::any_cpu{}, sw::from(odd, sw::drop_newest, {.capacity = 16}) | sw::count_by([](int n) { return n % 3; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.start();
  std::uint64_t consumed = 0;
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;
  for (int i = 0; i < 200 || consumed == 0; ++i) {
    const auto edges = p.edges();
    const auto stages = p.stages();
    EXPECT_GE(edges[0].counts.consumed, consumed);
    EXPECT_GE(edges[1].counts.dropped(), dropped);
    EXPECT_GE(stages[0].counts.records_in, records);
    EXPECT_GE(stages[0].counts.duty_cycles, stages[0].counts.idle_cycles);
    EXPECT_LE(edges[0].counts.left, 16u + 256u);
    consumed = edges[0].counts.consumed;
    dropped = edges[1].counts.dropped();
    records = stages[0].counts.records_in;
  }
  p.stop();
  p.join();
  for (const auto& e : p.edges()) {
    EXPECT_TRUE(e.counts.balanced());
    EXPECT_EQ(e.counts.left, 0u);
  }
  const auto stages = p.stages();
  EXPECT_EQ(edge_to(p.edges(), "b").counts.pushed + edge_to(p.edges(), "c").counts.pushed, stages[0].counts.records_in);
  std::uint64_t by_value = 0;
  for (const auto& count : stages[2].added) by_value += count.value;
  EXPECT_EQ(by_value, edge_to(p.edges(), "c").counts.consumed);
}

TEST(pipeline, the_account_of_each_policy_balances_with_what_the_reader_saw) {
  std::uint64_t main_seen = 0;
  std::uint64_t spilled_seen = 0;
  std::uint64_t limited_seen = 0;
  std::uint64_t dropped_seen = 0;
  std::uint64_t blocked_seen = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(10'000) | split_odd());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | sw::sink([&](int) { ++main_seen; }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(odd, sw::spill, {.capacity = 4}) | sw::sink([&](int) { ++spilled_seen; }));
  auto d = sw::stage<"d">(sw::any_cpu{},
                          sw::from(odd, sw::spill.up_to(160), {.capacity = 4}) | sw::sink([&](int) { ++limited_seen; }));
  auto e =
      sw::stage<"e">(sw::any_cpu{}, sw::from(odd, sw::drop_newest, {.capacity = 4}) | sw::sink([&](int) { ++dropped_seen; }));
  auto f = sw::stage<"f">(sw::any_cpu{}, sw::from(odd, sw::block, {.capacity = 4}) | sw::sink([&](int) { ++blocked_seen; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c), std::move(d), std::move(e), std::move(f));
  p.run();
  const auto edges = p.edges();
  const auto check = [&](std::string_view to, std::uint64_t seen, bool lossless) {
    const auto& counts = edge_to(edges, to).counts;
    EXPECT_EQ(counts.pushed, 5'000u) << to;
    EXPECT_EQ(counts.consumed, seen) << to;
    EXPECT_EQ(counts.consumed + counts.dropped(), 5'000u) << to;
    EXPECT_EQ(counts.left, 0u) << to;
    if (lossless) {
      EXPECT_EQ(counts.dropped(), 0u) << to;
    }
  };
  check("b", main_seen, true);
  check("c", spilled_seen, true);
  check("d", limited_seen, false);
  check("e", dropped_seen, false);
  check("f", blocked_seen, true);
}

TEST(pipeline, what_a_discarded_tag_got_is_counted_as_unread) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(10) | sw::process<int>(sw::emits<never_read>{}, [](auto& ctx, int n) {
                                           ctx.output(never_read, n);
                                         }) | sw::discard());
  sw::pipeline p(std::move(a), sw::discard(never_read));
  p.run_inline();
  ASSERT_TRUE(p.edges().empty());
  std::uint64_t unread = 0;
  for (sw::output_port* port : p.lowered().agents()[0]->ports()) unread += port->unread();
  EXPECT_EQ(unread, 10u);
}

TEST(pipeline, the_first_loss_of_an_edge_is_reported_once_from_the_emitting_thread) {
  std::mutex mutex;
  std::vector<std::string> reports;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(20'000) | split_odd() | sw::discard());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(odd, sw::drop_newest, {.capacity = 1}) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  p.on_report([&](std::string_view text) {
    const std::lock_guard lock(mutex);
    reports.emplace_back(text);
  });
  p.run_inline();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0], "spillway: edge 'a.odd' -> 'b' loses records: the ring is full");
}

TEST(pipeline, one_input_record_that_makes_very_many_arrives_over_a_tiny_ring) {
  int seen = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(1) | sw::flat_map<int>([](int, auto& out) {
                                           for (int i = 0; i < 20'000; ++i) out(i);
                                         }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 1}) | sw::sink([&](int n) { seen += n == seen ? 1 : 0; }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  EXPECT_TRUE(p.wait_for(60s));
  p.abort();
  EXPECT_EQ(seen, 20'000);
}

}  // namespace
