// Records pushed into a chain that runs on the pushing thread.
#include "spillway/runtime/push_source.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/failure_fixture.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace failure_test;
using namespace std::chrono_literals;

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

/// A push source whose chain ends right behind it.
template <class T, class F>
sw::pipeline pushed_into(sw::push_source<T>& in, F f) {
  auto s = sw::stage<"in">(sw::host_polled{}, in.source() | sw::sink(std::move(f)));
  return sw::pipeline(std::move(s));
}

/// A push source, and behind a ring of two records a stage that takes them when the test polls it.
template <class T, class F>
sw::pipeline pushed_over(sw::push_source<T>& in, F f) {
  auto a = sw::stage<"in">(sw::host_polled{}, in.source());
  auto b = sw::stage<"out">(sw::host_polled{}, sw::from(a, {.capacity = 2}) | sw::sink(std::move(f)));
  return sw::pipeline(std::move(a), std::move(b));
}

TEST(push_source, a_push_runs_the_chain_on_the_calling_thread_before_it_returns) {
  sw::push_source<int> in;
  std::vector<int> seen;
  std::thread::id ran_in;
  auto s = sw::stage<"in">(sw::host_polled{}, in.source() | sw::filter([](int n) { return n % 2 == 0; }) | sw::sink([&](int n) {
                                                seen.push_back(n);
                                                ran_in = std::this_thread::get_id();
                                              }));
  sw::pipeline p(std::move(s));
  p.start();
  EXPECT_TRUE(in.try_push(1));
  EXPECT_TRUE(seen.empty());
  EXPECT_TRUE(in.try_push(2));
  EXPECT_EQ(seen, std::vector<int>({2}));
  EXPECT_TRUE(in.push(4));
  EXPECT_EQ(seen, std::vector<int>({2, 4}));
  EXPECT_EQ(ran_in, std::this_thread::get_id());
  EXPECT_EQ(p.stages()[0].counts.records_in, 3u);
  EXPECT_FALSE(in.ended());
  in.close();
  p.join();
  EXPECT_TRUE(in.ended());
  EXPECT_FALSE(in.try_push(6));
  EXPECT_EQ(seen, std::vector<int>({2, 4}));
}

TEST(push_source, what_was_pushed_is_visible_behind_an_edge_at_once) {
  sw::push_source<int> in;
  std::vector<int> seen;
  sw::pipeline p = pushed_over(in, [&](int n) { seen.push_back(n); });
  p.start();
  EXPECT_TRUE(in.try_push(7));
  p.polled("out").poll();
  EXPECT_EQ(seen, std::vector<int>({7}));
  in.close();
  while (!p.done()) p.poll();
  p.join();
}

TEST(push_source, a_push_that_finds_a_full_edge_takes_nothing) {
  sw::push_source<std::unique_ptr<int>> in;
  std::vector<int> seen;
  sw::pipeline p = pushed_over(in, [&](const std::unique_ptr<int>& n) { seen.push_back(*n); });
  p.start();
  int pushed = 0;
  while (in.try_push(std::make_unique<int>(pushed))) ++pushed;
  ASSERT_LT(pushed, 10);
  auto kept = std::make_unique<int>(pushed);
  EXPECT_FALSE(in.try_push(std::move(kept)));
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(in.flush(), 0u);
  EXPECT_FALSE(in.ended());
  p.polled("out").poll();
  in.flush();
  EXPECT_TRUE(in.try_push(std::move(kept)));
  EXPECT_EQ(kept, nullptr);
  in.close();
  while (!p.done()) p.poll();
  p.join();
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(pushed) + 1);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<int>(i));
  EXPECT_EQ(p.edges()[0].counts.pushed, seen.size());
}

TEST(push_source, a_push_waits_for_a_slow_stage_and_loses_nothing) {
  sw::push_source<int> in;
  std::atomic<std::int64_t> sum{0};
  auto a = sw::stage<"in">(sw::host_polled{}, in.source());
  auto b = sw::stage<"out">(sw::any_cpu{}, sw::from(a, {.capacity = 2}) | sw::sink([&](int n) { sum += n; }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(in.push(i));
  in.close();
  p.join();
  EXPECT_EQ(sum, 499'500);
}

TEST(push_source, a_batch_is_taken_as_far_as_there_is_room) {
  sw::push_source<int> in;
  std::vector<int> seen;
  sw::pipeline p = pushed_over(in, [&](int n) { seen.push_back(n); });
  p.start();
  const std::vector<int> batch{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::size_t done = in.try_push(std::span(batch));
  EXPECT_GE(done, 2u);
  EXPECT_LT(done, 10u);
  while (done < batch.size()) {
    p.polled("out").poll();
    done += in.try_push(std::span(batch).subspan(done));
  }
  in.close();
  while (!p.done()) p.poll();
  p.join();
  EXPECT_EQ(seen, batch);
}

TEST(push_source, a_whole_batch_is_pushed_and_moved_from) {
  sw::push_source<std::string> in;
  std::vector<std::string> seen;
  auto a = sw::stage<"in">(sw::host_polled{}, in.source());
  auto b = sw::stage<"out">(sw::any_cpu{}, sw::from(a, {.capacity = 16}) | sw::sink([&](std::string s) { seen.push_back(s); }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  std::vector<std::string> batch;
  for (int i = 0; i < 1'500; ++i) batch.push_back("a text that is too long to be kept in place " + std::to_string(i));
  const std::vector<std::string> copies = batch;
  EXPECT_EQ(in.push(std::span(copies)), 1'500u);
  EXPECT_EQ(in.push(std::span(batch)), 1'500u);
  in.close();
  p.join();
  ASSERT_EQ(seen.size(), 3'000u);
  EXPECT_EQ(seen[1'499], copies.back());
  EXPECT_EQ(seen[2'999], copies.back());
  EXPECT_TRUE(batch.front().empty());
}

TEST(push_source, an_exception_in_the_chain_ends_the_pipeline_and_the_push_returns_false) {
  sw::push_source<int> in;
  life sink;
  auto s = sw::stage<"in">(sw::host_polled{}, in.source() | sw::sink(living_sink(sink, {.fail_at = 2})));
  sw::pipeline p(std::move(s));
  p.start();
  EXPECT_TRUE(in.push(0));
  EXPECT_TRUE(in.push(1));
  EXPECT_FALSE(in.push(2));
  EXPECT_TRUE(in.ended());
  EXPECT_FALSE(in.push(3));
  EXPECT_FALSE(in.try_push(3));
  EXPECT_EQ(sink.closed, 1);
  EXPECT_EQ(error_of([&] { p.join(); }), "spillway: stage 'in', operator 1 (sink): cannot write");
  EXPECT_EQ(p.stages()[0].counts.records_in, 3u);
}

TEST(push_source, a_batch_ends_at_the_record_that_fails) {
  sw::push_source<int> in;
  life sink;
  auto s = sw::stage<"in">(sw::host_polled{}, in.source() | sw::sink(living_sink(sink, {.fail_at = 2})));
  sw::pipeline p(std::move(s));
  p.start();
  std::vector<int> batch{0, 1, 2, 3, 4};
  EXPECT_EQ(in.push(std::span(batch)), 2u);
  EXPECT_THROW(p.join(), sw::pipeline_error);
}

TEST(push_source, a_failure_of_another_stage_ends_a_push_that_waits) {
  sw::push_source<int> in;
  life sink;
  auto a = sw::stage<"in">(sw::host_polled{}, in.source());
  auto b = sw::stage<"out">(sw::any_cpu{}, sw::from(a, {.capacity = 2}) | sw::sink(living_sink(sink, {.fail_at = 50})));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  int pushed = 0;
  while (in.push(pushed)) ++pushed;
  EXPECT_GE(pushed, 50);
  EXPECT_THROW(p.join(), sw::pipeline_error);
  EXPECT_TRUE(p.edges()[0].counts.balanced());
}

TEST(push_source, stop_wakes_a_push_that_waits_and_what_was_taken_arrives) {
  sw::push_source<int> in;
  std::atomic<bool> release{false};
  std::atomic<int> seen{0};
  auto a = sw::stage<"in">(sw::host_polled{}, in.source());
  auto b = sw::stage<"out">(sw::any_cpu{}, sw::from(a, {.capacity = 2}) | sw::sink([&](int) {
                                             while (!release) std::this_thread::yield();
                                             ++seen;
                                           }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  std::jthread stopper([&] {
    std::this_thread::sleep_for(20ms);
    p.stop();
  });
  int pushed = 0;
  while (in.push(pushed)) ++pushed;
  EXPECT_TRUE(in.ended());
  release = true;
  p.join();
  EXPECT_EQ(seen, pushed);
  EXPECT_EQ(p.edges()[0].counts.pushed, static_cast<std::uint64_t>(pushed));
}

TEST(push_source, abort_wakes_a_push_that_waits) {
  sw::push_source<int> in;
  auto a = sw::stage<"in">(sw::host_polled{}, in.source());
  auto b = sw::stage<"out">(sw::host_polled{}, sw::from(a, {.capacity = 2}) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  std::jthread host([&] {
    int pushed = 0;
    while (in.push(pushed)) ++pushed;
  });
  std::this_thread::sleep_for(10ms);
  p.abort();
  host.join();
  EXPECT_TRUE(in.ended());
  EXPECT_TRUE(p.edges()[0].counts.balanced());
}

TEST(push_source, an_event_loop_polls_the_other_stages_between_pushes) {
  sw::push_source<int> in;
  std::vector<int> seen;
  auto a = sw::stage<"in">(sw::any_cpu{}, in.source() | sw::map([](int n) { return n * 10; }));
  auto b = sw::stage<"out">(sw::any_cpu{}, sw::from(a) | sw::sink([&](int n) { seen.push_back(n); }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start({.host_polled = true});
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(in.try_push(i));
    p.poll();
  }
  EXPECT_EQ(seen, std::vector<int>({0, 10, 20, 30, 40}));
  in.close();
  while (!p.done()) p.poll();
  p.join();
}

struct reading {
  int key = 0;
  sw::timestamp at;
};

TEST(push_source, windows_behind_it_fire_as_time_comes_with_the_records_and_at_the_end) {
  sw::push_source<reading> in;
  std::vector<std::uint64_t> counts;
  auto s = sw::stage<"in">(sw::host_polled{},
                           in.source() | sw::watermarks(sw::ascending(), &reading::at) | sw::key_by(&reading::key) |
                               sw::window(sw::tumbling(100ns)) | sw::aggregate(sw::count()) |
                               sw::sink([&](const auto& r) { counts.push_back(static_cast<std::uint64_t>(r.value)); }));
  sw::pipeline p(std::move(s));
  p.start();
  for (int i = 0; i < 250; ++i) ASSERT_TRUE(in.push({1, sw::timestamp(i)}));
  EXPECT_EQ(counts, std::vector<std::uint64_t>({100, 100}));
  in.close();
  p.join();
  EXPECT_EQ(counts, std::vector<std::uint64_t>({100, 100, 50}));
}

// --- misuse and ends ----------------------------------------------------------------------------------------------------------------------

TEST(push_source, a_push_before_the_start_says_what_to_do) {
  sw::push_source<int> in;
  const std::string text =
      "spillway: push: no pipeline of this push_source is running; place its stage host_polled{} and start() the pipeline first";
  EXPECT_EQ(error_of([&] { in.try_push(1); }), text);
  sw::pipeline p = pushed_into(in, [](int) {});
  EXPECT_EQ(error_of([&] { in.push(1); }), text);
  EXPECT_EQ(error_of([&] { in.flush(); }), text);
}

TEST(push_source, a_stage_with_a_thread_of_its_own_is_refused_when_it_starts) {
  sw::push_source<int> in;
  auto s = sw::stage<"in">(sw::any_cpu{}, in.source() | sw::discard());
  sw::pipeline p(std::move(s));
  EXPECT_EQ(
      error_of([&] { p.run(); }),
      "spillway: stage 'in', operator 0 (source): spillway: stage 'in' begins with a push_source; place it host_polled{}, and "
      "start() the pipeline instead of running it");
}

TEST(push_source, it_is_the_head_of_one_stage_only) {
  sw::push_source<int> in;
  sw::pipeline p = pushed_into(in, [](int) {});
  EXPECT_THROW(in.source(), std::logic_error);
}

TEST(push_source, a_handle_that_goes_away_ends_the_source) {
  int seen = 0;
  auto in = std::make_unique<sw::push_source<int>>();
  sw::pipeline p = pushed_into(*in, [&](int) { ++seen; });
  p.start();
  EXPECT_TRUE(in->push(1));
  in.reset();
  p.join();
  EXPECT_EQ(seen, 1);
}

TEST(push_source, a_handle_that_outlives_its_pipeline_takes_nothing_more) {
  sw::push_source<int> in;
  {
    sw::pipeline p = pushed_into(in, [](int) {});
    p.start();
    EXPECT_TRUE(in.push(1));
  }
  EXPECT_TRUE(in.ended());
  EXPECT_FALSE(in.try_push(2));
  EXPECT_FALSE(in.push(2));
  in.close();
}

}  // namespace
