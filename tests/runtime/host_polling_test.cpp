// Stages without threads: the host polls them, each from a thread of its own or all from its event loop.
#include <gtest/gtest.h>

#include "spillway/runtime/pipeline.hpp"
#include "spillway/runtime/polled_agent.hpp"
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

/// Polls until all is done; lets others have the CPU when there is nothing to do. For a pipeline or one of its stages.
template <class Polled>
std::size_t poll_to_the_end(Polled& p) {
  sw::idler idle(sw::idle_strategy::yield);
  std::size_t work = 0;
  while (!p.done()) {
    const std::size_t now = p.poll();
    work += now;
    idle(now);
  }
  return work;
}

template <class Sink>
sw::pipeline source_and_polled_sink(int records, Sink sink) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(records));
  auto b = sw::stage<"b">(sw::host_polled{}, sw::from(a, {.capacity = 16}) | sw::sink(std::move(sink)));
  return sw::pipeline(std::move(a), std::move(b));
}

TEST(host_polling, a_polled_stage_gets_no_thread_and_runs_in_the_thread_that_polls_it) {
  const std::size_t before = thread_names().size();
  std::uint64_t seen = 0;
  std::thread::id ran_in;
  sw::pipeline p = source_and_polled_sink(10'000, [&](int) {
    ++seen;
    ran_in = std::this_thread::get_id();
  });
  p.start();
  EXPECT_TRUE(eventually([] { return threads_named("a") == 1; }));
  EXPECT_TRUE(threads_settle_at(before + 1));
  sw::polled_agent& b = p.polled("b");
  EXPECT_EQ(b.name(), "b");
  poll_to_the_end(b);
  p.join();
  EXPECT_EQ(seen, 10'000u);
  EXPECT_EQ(ran_in, std::this_thread::get_id());
  EXPECT_EQ(b.poll(), 0u);
  EXPECT_TRUE(p.done());
  EXPECT_EQ(p.edges()[0].counts.consumed, 10'000u);
}

TEST(host_polling, the_first_poll_opens_the_operators_and_the_last_one_closes_them) {
  life sink;
  sw::pipeline p = source_and_polled_sink(5, living_sink(sink));
  p.start();
  ASSERT_TRUE(eventually([&] { return p.edges()[0].counts.pushed == 5; }));
  EXPECT_EQ(sink.opened, 0);
  EXPECT_GE(p.polled("b").poll(), 5u);
  EXPECT_EQ(sink.opened, 1);
  EXPECT_EQ(sink.closed, 0);
  poll_to_the_end(p.polled("b"));
  EXPECT_EQ(sink.closed, 1);
  p.join();
  EXPECT_EQ(sink.closed, 1);
}

TEST(host_polling, a_stage_that_is_not_polled_is_named_with_those_that_are) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(1));
  auto b = sw::stage<"b">(sw::host_polled{}, sw::from(a) | sw::map([](int n) { return n; }));
  auto c = sw::stage<"c">(sw::host_polled{}, sw::from(b) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  EXPECT_EQ(error_of([&] { p.polled("b"); }), "spillway: start the pipeline before its stages are polled");
  EXPECT_THROW(p.poll(), std::logic_error);
  EXPECT_FALSE(p.done());
  p.start();
  EXPECT_THROW(p.polled("a"), std::invalid_argument);
  EXPECT_EQ(error_of([&] { p.polled("a"); }), "spillway: no stage 'a' is polled by the host; those are: b, c");
  p.abort();
}

TEST(host_polling, a_pipeline_without_polled_stages_says_how_to_have_one) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(1) | sw::discard());
  sw::pipeline p(std::move(a));
  p.start();
  EXPECT_EQ(error_of([&] { p.polled("a"); }),
            "spillway: no stage 'a' is polled by the host; none is, unless placed host_polled{}");
  EXPECT_EQ(p.poll(), 0u);
  p.join();
}

TEST(host_polling, run_is_refused_and_says_what_to_use) {
  sw::pipeline p = source_and_polled_sink(5, [](int) {});
  const std::string text =
      "spillway: run() polls no stage, but 'b' is left to the host; use start(), poll() until done(), and join()";
  EXPECT_EQ(error_of([&] { p.run(); }), text);
  p.start();  // the refusal did not use the pipeline up
  p.abort();

  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(1) | sw::discard());
  sw::pipeline q(std::move(a));
  EXPECT_THROW(q.run({.host_polled = true}), std::logic_error);
  q.run();
}

TEST(host_polling, run_inline_runs_polled_stages_too) {
  int seen = 0;
  sw::pipeline p = source_and_polled_sink(100, [&](int) { ++seen; });
  p.run_inline();
  EXPECT_EQ(seen, 100);
}

TEST(host_polling, an_event_loop_runs_a_whole_pipeline_without_any_thread) {
  const std::size_t before = thread_names().size();
  std::vector<int> seen;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(5'000));
  auto b = sw::stage<"b">(sw::cpu{100'000}, sw::from(a, {.capacity = 4}) | sw::filter([](int n) { return n % 2 == 0; }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, {.capacity = 4}) | sw::sink([&](int n) { seen.push_back(n); }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.start({.host_polled = true});
  EXPECT_EQ(thread_names().size(), before);
  const std::size_t work = poll_to_the_end(p);
  p.join();
  EXPECT_GE(work, 5'000u);
  ASSERT_EQ(seen.size(), 2'500u);
  EXPECT_EQ(seen.back(), 4'998);
  EXPECT_EQ(p.poll(), 0u);
}

TEST(host_polling, each_polled_stage_may_have_a_thread_of_the_host) {
  std::int64_t sum = 0;
  auto a = sw::stage<"a">(sw::host_polled{}, count_to(20'000));
  auto b = sw::stage<"b">(sw::host_polled{}, sw::from(a, {.capacity = 8}) | sw::map([](int n) { return n * 2; }));
  auto c = sw::stage<"c">(sw::host_polled{}, sw::from(b, {.capacity = 8}) | sw::sink([&](int n) { sum += n; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.start();
  std::vector<std::jthread> threads;
  for (const char* name : {"a", "b", "c"}) {
    threads.emplace_back([&agent = p.polled(name)] { poll_to_the_end(agent); });
  }
  p.join();
  EXPECT_EQ(sum, 399'980'000);
}

TEST(host_polling, replicas_are_polled_by_their_number) {
  std::atomic<int> seen{0};
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(100));
  auto b = sw::stage<"b">(sw::replicas(2, {sw::host_polled{}}), sw::from(a, sw::round_robin) | sw::sink([&](int) { ++seen; }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  EXPECT_EQ(error_of([&] { p.polled("b"); }), "spillway: no stage 'b' is polled by the host; those are: b[0], b[1]");
  poll_to_the_end(p);
  EXPECT_TRUE(p.polled("b[0]").done() && p.polled("b[1]").done());
  p.join();
  EXPECT_EQ(seen, 100);
}

TEST(host_polling, explain_says_which_stages_the_host_runs) {
  sw::pipeline p = source_and_polled_sink(5, [](int) {});
  EXPECT_NE(p.explain().find("the host"), std::string::npos) << p.explain();
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(1) | sw::discard());
  sw::pipeline q(std::move(a));
  EXPECT_NE(q.explain({.host_polled = true}).find("the host"), std::string::npos);
  EXPECT_EQ(q.explain().find("the host"), std::string::npos);
}

// --- waiting in the thread that polls -------------------------------------------------------------------------------------------------------

TEST(host_polling, join_in_the_polling_thread_polls_to_the_end) {
  int seen = 0;
  sw::pipeline p = source_and_polled_sink(10'000, [&](int) { ++seen; });
  p.start();
  p.polled("b").poll();
  p.join();
  EXPECT_EQ(seen, 10'000);
}

TEST(host_polling, join_elsewhere_waits_for_the_polling_thread) {
  std::atomic<int> seen{0};
  std::atomic<bool> joined{false};
  sw::pipeline p = source_and_polled_sink(1'000, [&](int) { ++seen; });
  p.start();
  std::thread host([&, &b = p.polled("b")] {
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(joined);
    poll_to_the_end(b);
  });
  EXPECT_FALSE(p.wait_for(1ms));
  p.join();
  joined = true;
  EXPECT_EQ(seen, 1'000);
  host.join();
}

TEST(host_polling, drain_in_the_event_loop_polls_meanwhile) {
  std::uint64_t seen = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 64}) | sw::sink([&](int) { ++seen; }));
  sw::pipeline p(std::move(a), std::move(b));
  p.start({.host_polled = true});
  for (int i = 0; i < 100; ++i) p.poll();
  EXPECT_TRUE(p.drain(10s));
  p.join();
  EXPECT_GT(seen, 0u);
  EXPECT_EQ(p.edges()[0].counts.left, 0u);
}

TEST(host_polling, drain_comes_back_in_time_when_another_stage_is_not_polled) {
  auto a = sw::stage<"a">(sw::host_polled{}, count_for_ever());
  auto b = sw::stage<"b">(sw::host_polled{}, sw::from(a, {.capacity = 4}) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  for (int i = 0; i < 10; ++i) p.polled("a").poll();
  EXPECT_FALSE(p.drain(5ms));
  p.abort();
  const auto counts = p.edges()[0].counts;
  EXPECT_TRUE(counts.balanced());
  EXPECT_EQ(counts.consumed, 0u);
  EXPECT_GE(counts.left, 4u);
  EXPECT_EQ(counts.left, counts.pushed);
}

// --- errors and ends ------------------------------------------------------------------------------------------------------------------------

TEST(host_polling, an_operator_that_throws_ends_the_pipeline_and_comes_out_of_join_not_of_poll) {
  life source;
  life sink;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(living_source(source, -2)));
  auto b = sw::stage<"b">(sw::host_polled{}, sw::from(a, {.capacity = 16}) | sw::sink(living_sink(sink, {.fail_at = 700})));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  poll_to_the_end(p);
  EXPECT_TRUE(p.polled("b").done());
  try {
    p.join();
    ADD_FAILURE() << "join did not throw";
  } catch (const sw::pipeline_error& e) {
    EXPECT_STREQ(e.what(), "spillway: stage 'b', operator 1 (sink): cannot write");
  }
  EXPECT_EQ(source.closed, 1);
  EXPECT_EQ(sink.closed, 1);
  EXPECT_TRUE(p.edges()[0].counts.balanced());
  EXPECT_EQ(p.edges()[0].counts.consumed, 701u);
}

TEST(host_polling, an_open_that_throws_is_told_by_join_too) {
  life sink;
  sw::pipeline p = source_and_polled_sink(10, living_sink(sink, {.fail_open = true}));
  p.start();
  EXPECT_EQ(p.poll(), 0u);
  EXPECT_TRUE(p.polled("b").done());
  EXPECT_THROW(p.join(), sw::pipeline_error);
  EXPECT_EQ(sink.closed, 1);
}

TEST(host_polling, a_close_that_throws_is_told_by_join_too) {
  life sink;
  sw::pipeline p = source_and_polled_sink(10, living_sink(sink, {.fail_close = true}));
  p.start();
  poll_to_the_end(p);
  EXPECT_THROW(p.join(), sw::pipeline_error);
  EXPECT_EQ(sink.closed, 1);
}

TEST(host_polling, a_failure_elsewhere_closes_a_polled_stage_at_its_next_poll_and_one_never_polled_at_once) {
  life polled;
  life never_polled;
  std::atomic<bool> fail{false};
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever() | sw::map([&](int n) {
                                           if (fail) throw std::runtime_error("failed");
                                           return n;
                                         }));
  auto b = sw::stage<"b">(sw::host_polled{}, sw::from(a) | sw::map([](int n) { return n; }) | sw::sink(living_sink(polled)));
  auto c = sw::stage<"c">(sw::host_polled{}, sw::from(a, sw::drop_newest, {.capacity = 2}) | sw::sink(living_sink(never_polled)));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.start();
  sw::polled_agent& b_agent = p.polled("b");
  b_agent.poll();
  fail = true;
  ASSERT_TRUE(eventually([&] {
    b_agent.poll();
    return p.polled("c").done();
  }));
  EXPECT_EQ(b_agent.poll(), 0u);
  EXPECT_TRUE(b_agent.done());
  EXPECT_THROW(p.join(), sw::pipeline_error);
  EXPECT_EQ(polled.opened, 1);
  EXPECT_EQ(polled.closed, 1);
  EXPECT_EQ(never_polled.opened, 0);
  EXPECT_EQ(never_polled.closed, 0);
}

TEST(host_polling, abort_closes_the_stages_of_the_calling_thread) {
  life source;
  life sink;
  auto a = sw::stage<"a">(sw::host_polled{}, sw::source(living_source(source, -2)));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 16}) | sw::sink(living_sink(sink)));
  sw::pipeline p(std::move(a), std::move(b));
  p.start({.host_polled = true});
  for (int i = 0; i < 3; ++i) p.poll();
  p.abort();
  EXPECT_TRUE(p.done());
  EXPECT_EQ(source.closed, 1);
  EXPECT_EQ(sink.closed, 1);
  EXPECT_TRUE(p.edges()[0].counts.balanced());
}

TEST(host_polling, the_destructor_closes_what_the_host_left_unfinished_whichever_thread_polled_it) {
  life source;
  life sink;
  for (const bool other_thread : {false, true}) {
    auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(living_source(source, -2)));
    auto b = sw::stage<"b">(sw::host_polled{}, sw::from(a, {.capacity = 16}) | sw::sink(living_sink(sink)));
    sw::pipeline p(std::move(a), std::move(b));
    p.start();
    const auto poll_some = [&] {
      for (int i = 0; i < 10; ++i) p.polled("b").poll();
    };
    if (other_thread) {
      std::thread(poll_some).join();
    } else {
      poll_some();
    }
  }
  EXPECT_EQ(source.opened, source.closed);
  EXPECT_EQ(sink.opened, 2);
  EXPECT_EQ(sink.closed, 2);
}

TEST(host_polling, a_pipeline_whose_stages_nobody_polled_goes_away_quietly) {
  life sink;
  {
    sw::pipeline p = source_and_polled_sink(1'000'000, living_sink(sink));
    p.start();
  }
  EXPECT_EQ(sink.opened, 0);
  EXPECT_EQ(sink.closed, 0);
}

TEST(host_polling, a_moved_pipeline_is_polled_on) {
  int seen = 0;
  sw::pipeline p = source_and_polled_sink(1'000, [&](int) { ++seen; });
  p.start();
  sw::polled_agent& b = p.polled("b");
  b.poll();
  sw::pipeline q(std::move(p));
  poll_to_the_end(b);
  q.join();
  EXPECT_EQ(seen, 1'000);
}

}  // namespace
