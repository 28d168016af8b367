// Which thread runs what: CPUs are checked before a thread starts, threads bear the names of their stages, groups share one.
#include "spillway/graph/placement.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include "spillway/runtime/affinity.hpp"
#include "spillway/runtime/idle_strategy.hpp"
#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace std::chrono_literals;

template <class Placement>
sw::pipeline placed(Placement where, std::atomic<int>& ran_on) {
  auto a = sw::stage<"placed">(where, count_for_ever() | sw::sink([&](int) { ran_on = sched_getcpu(); }));
  return sw::pipeline(std::move(a));
}

std::string refusal(sw::pipeline& p, sw::run_options options = {}) {
  const std::size_t threads = thread_names().size();
  std::string text;
  try {
    p.start(options);
  } catch (const std::invalid_argument& e) {
    text = e.what();
  }
  EXPECT_TRUE(threads_settle_at(threads));
  return text;
}

TEST(placement, a_cpu_that_the_process_may_not_use_is_refused_before_a_thread_starts) {
  std::atomic<int> ran_on{-1};
  sw::pipeline p = placed(sw::cpu{100'000}, ran_on);
  const std::string text = refusal(p);
  EXPECT_NE(text.find("spillway: stage 'placed' asks for CPU 100000, but the process may use only "), std::string::npos) << text;
  EXPECT_EQ(ran_on, -1);
}

TEST(placement, an_allowed_cpu_that_does_not_exist_is_refused_before_a_thread_starts) {
  std::atomic<int> ran_on{-1};
  for (const int n : {-1, 100'000}) {
    sw::pipeline p = placed(sw::nth_allowed_cpu{n}, ran_on);
    EXPECT_NE(refusal(p).find("nth_allowed_cpu{" + std::to_string(n) + "}"), std::string::npos);
  }
  EXPECT_EQ(ran_on, -1);
}

TEST(placement, one_bad_stage_keeps_all_others_from_starting) {
  std::atomic<bool> started{false};
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever() | sw::map([&](int n) {
                                           started = true;
                                           return n;
                                         }));
  auto b = sw::stage<"b">(sw::cpu{100'000}, sw::from(a) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  EXPECT_NE(refusal(p).find("stage 'b'"), std::string::npos);
  EXPECT_FALSE(started);
}

TEST(placement, a_stage_runs_on_the_cpu_it_names) {
  const std::vector<int> allowed = sw::allowed_cpus();
  ASSERT_FALSE(allowed.empty());
  for (std::size_t i = 0; i < allowed.size() && i < 2; ++i) {
    for (const bool by_number : {true, false}) {
      std::atomic<int> ran_on{-1};
      sw::pipeline p = by_number ? placed(sw::cpu{allowed[i]}, ran_on) : placed(sw::nth_allowed_cpu{static_cast<int>(i)}, ran_on);
      p.start();
      ASSERT_TRUE(eventually([&] { return ran_on != -1; }));
      EXPECT_EQ(ran_on, allowed[i]);
      p.abort();
    }
  }
}

TEST(placement, each_stage_has_a_thread_of_its_name) {
  auto a = sw::stage<"ingest">(sw::any_cpu{}, count_for_ever());
  auto b = sw::stage<"a-name-longer-than-fifteen">(sw::any_cpu{}, sw::from(a) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  EXPECT_TRUE(eventually([] { return threads_named("ingest") == 1 && threads_named("a-name-longer-t") == 1; }));
  p.stop();
  p.join();
  EXPECT_EQ(threads_named("ingest"), 0u);
  EXPECT_EQ(threads_named("a-name-longer-t"), 0u);
}

TEST(placement, stages_of_one_number_share_a_thread) {
  const std::size_t before = thread_names().size();
  std::atomic<int> seen{0};
  auto a = sw::stage<"a">(sw::shared_thread{3}, count_for_ever());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 2}) | sw::map([](int n) { return n; }));
  auto c = sw::stage<"c">(sw::shared_thread{3}, sw::from(b, {.capacity = 2}) | sw::sink([&](int) { ++seen; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.start();
  EXPECT_TRUE(eventually([&] { return threads_named("a+c") == 1 && threads_named("b") == 1 && seen > 100; }));
  EXPECT_TRUE(threads_settle_at(before + 2));
  p.stop();
  p.join();
  EXPECT_EQ(p.edges()[1].counts.consumed, static_cast<std::uint64_t>(seen));
}

TEST(placement, the_first_of_a_group_says_where_its_thread_runs) {
  const int last = sw::allowed_cpus().back();
  std::atomic<int> ran_on{-1};
  auto a = sw::stage<"a">(sw::shared_thread{0, sw::cpu{last}}, count_for_ever());
  auto b = sw::stage<"b">(sw::shared_thread{0}, sw::from(a) | sw::sink([&](int) { ran_on = sched_getcpu(); }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  EXPECT_TRUE(eventually([&] { return ran_on == last; }));
  p.abort();
}

TEST(placement, one_thread_runs_all_stages_and_forgets_their_placements) {
  const std::size_t before = thread_names().size();
  std::atomic<int> seen{0};
  auto a = sw::stage<"a">(sw::cpu{100'000}, count_for_ever());
  auto b = sw::stage<"b">(sw::shared_thread{1}, sw::from(a, {.capacity = 1}) | sw::sink([&](int) { ++seen; }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start({.one_thread = true});
  EXPECT_TRUE(eventually([&] { return seen > 100; }));
  EXPECT_TRUE(threads_settle_at(before + 1));
  EXPECT_EQ(threads_named("a+b"), 1u);
  p.stop();
  p.join();
}

TEST(placement, spinning_with_more_threads_than_cpus_is_refused_with_the_reason) {
  for (const auto idle : {sw::idle_strategy::busy_spin, sw::idle_strategy::spin}) {
    auto source = sw::stage<"s">(sw::any_cpu{}, count_to(1));
    auto a = sw::stage<"a">(sw::any_cpu{}, sw::from(source) | sw::map([](int n) { return n; }));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::discard());
    sw::pipeline p(std::move(source), std::move(a), std::move(b));
    cpu_set_t saved;
    ASSERT_EQ(sched_getaffinity(0, sizeof saved, &saved), 0);
    sw::pin_this_thread(sw::allowed_cpus().front());
    const std::string text = refusal(p, {.idle = idle});
    ASSERT_EQ(sched_setaffinity(0, sizeof saved, &saved), 0);
    EXPECT_NE(text.find("spillway: idle strategy '" + std::string(sw::name_of(idle)) + "' with 3 threads on 1 CPUs"),
              std::string::npos)
        << text;
  }
}

TEST(placement, spinning_threads_that_are_tied_to_one_cpu_are_refused) {
  const int first = sw::allowed_cpus().front();
  auto a = sw::stage<"a">(sw::cpu{first}, count_to(1));
  auto b = sw::stage<"b">(sw::nth_allowed_cpu{0}, sw::from(a) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  EXPECT_NE(refusal(p, {.idle = sw::idle_strategy::spin}).find("CPU " + std::to_string(first)), std::string::npos);
}

TEST(placement, allowed_cpus_are_ascending_and_a_quota_is_not_negative) {
  const std::vector<int> cpus = sw::allowed_cpus();
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
  EXPECT_GE(sw::cpu_quota(), 0);
  EXPECT_THROW(sw::pin_this_thread(1023), std::system_error);
}

// --- idle strategies ----------------------------------------------------------------------------------------------------------------------

constexpr sw::idle_strategy all_strategies[] = {sw::idle_strategy::busy_spin, sw::idle_strategy::spin, sw::idle_strategy::yield,
                                                sw::idle_strategy::backoff, sw::idle_strategy::sleep};

TEST(idle_strategy, every_strategy_has_a_name_that_leads_back_to_it) {
  for (const auto s : all_strategies) EXPECT_EQ(sw::idle_strategy_named(sw::name_of(s)), s);
  EXPECT_EQ(sw::idle_strategy_named("doze"), std::nullopt);
}

TEST(idle_strategy, backing_off_begins_quickly_sleeps_briefly_and_starts_again_after_work) {
  using clock = std::chrono::steady_clock;
  sw::idler idle(sw::idle_strategy::backoff);
  const auto begin = clock::now();
  for (int i = 0; i < 300; ++i) idle(0);
  EXPECT_LT(clock::now() - begin, 2s);
  for (int i = 0; i < 200; ++i) idle(0);
  const auto late = clock::now();
  idle(0);
  EXPECT_GE(clock::now() - late, 900us);
  idle(1);
  const auto again = clock::now();
  idle(0);
  EXPECT_LT(clock::now() - again, 900us);
}

TEST(idle_strategy, work_never_idles) {
  for (const auto s : all_strategies) {
    sw::idler idle(s);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 100'000; ++i) idle(1);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  }
}

TEST(idle_strategy, a_pipeline_ends_with_every_strategy_and_gives_the_same) {
  for (const auto s : all_strategies) {
    if (sw::allowed_cpus().size() < 2 && (s == sw::idle_strategy::spin || s == sw::idle_strategy::busy_spin)) continue;
    std::int64_t sum = 0;
    auto a = sw::stage<"a">(sw::any_cpu{}, count_to(300));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | sw::sink([&](int n) { sum += n; }));
    sw::pipeline p(std::move(a), std::move(b));
    p.run({.idle = s});
    EXPECT_EQ(sum, 44'850) << sw::name_of(s);
  }
}

}  // namespace
