// Records handed in by threads of the host: through a ring for each, or through one place for all.
#include "spillway/runtime/inlet.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "spillway/operators/source_failure.hpp"
#include "spillway/runtime/any_inlet.hpp"
#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace std::chrono_literals;

struct numbered {
  int producer = 0;
  int number = 0;
};

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

template <class Inlet, class F>
sw::pipeline into_sink(Inlet& in, F f) {
  auto s = sw::stage<"in">(sw::any_cpu{}, sw::source(in.source()) | sw::sink(std::move(f)));
  return sw::pipeline(std::move(s));
}

/// Checks that each producer's records come complete and in order.
class order_check {
 public:
  explicit order_check(std::size_t producers) : next_(producers, 0) {}
  void operator()(const numbered& r) {
    in_order_ = in_order_ && r.number == next_[static_cast<std::size_t>(r.producer)];
    next_[static_cast<std::size_t>(r.producer)] = r.number + 1;
  }
  bool in_order() const { return in_order_; }
  bool all(int n) const {
    return std::all_of(next_.begin(), next_.end(), [n](int next) { return next == n; });
  }

 private:
  std::vector<int> next_;
  bool in_order_ = true;
};

// --- inlet --------------------------------------------------------------------------------------------------------------------------------

TEST(inlet, what_several_threads_push_arrives_complete_and_in_each_threads_order) {
  sw::inlet<numbered> in({.capacity = 16, .producers = 4});
  order_check check(4);
  sw::pipeline p = into_sink(in, std::ref(check));
  p.start();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([t, producer = in.producer()]() mutable {
        for (int i = 0; i < 5'000; ++i) EXPECT_TRUE(producer.push({t, i}));
      });
    }
  }
  in.close();
  p.join();
  EXPECT_TRUE(check.in_order());
  EXPECT_TRUE(check.all(5'000));
  EXPECT_EQ(in.pushed(), 20'000u);
  EXPECT_EQ(in.taken(), 20'000u);
  EXPECT_EQ(in.left(), 0u);
  EXPECT_EQ(p.stages()[0].counts.records_in, 20'000u);
}

TEST(inlet, a_full_ring_refuses_and_leaves_the_record_as_it_was) {
  sw::inlet<std::unique_ptr<int>> in({.capacity = 2, .producers = 1});
  auto producer = in.producer();
  EXPECT_TRUE(producer.try_push(std::make_unique<int>(0)));
  EXPECT_TRUE(producer.try_push(std::make_unique<int>(1)));
  auto kept = std::make_unique<int>(2);
  EXPECT_FALSE(producer.try_push(std::move(kept)));
  ASSERT_NE(kept, nullptr);
  EXPECT_TRUE(producer.taking());
  EXPECT_EQ(in.left(), 2u);
  std::vector<int> seen;
  sw::pipeline p = into_sink(in, [&](const std::unique_ptr<int>& n) { seen.push_back(*n); });
  p.start();
  EXPECT_TRUE(producer.push(std::move(kept)));
  in.close();
  p.join();
  EXPECT_EQ(seen, std::vector<int>({0, 1, 2}));
}

TEST(inlet, more_producers_than_announced_are_refused_and_a_closed_ones_place_is_used_again) {
  sw::inlet<int> in({.capacity = 8, .producers = 2});
  auto a = in.producer();
  auto b = in.producer();
  EXPECT_THROW(in.producer(), std::length_error);
  EXPECT_EQ(error_of([&] { in.producer(); }),
            "spillway: all 2 producers of the inlet are in use; close one, or make the inlet with more .producers");
  EXPECT_TRUE(a.push(1));
  a.close();
  EXPECT_FALSE(a.taking());
  EXPECT_FALSE(a.try_push(2));
  EXPECT_FALSE(a.push(2));
  auto c = in.producer();
  EXPECT_TRUE(c.push(3));
  EXPECT_THROW(in.producer(), std::length_error);
  { const auto moved = std::move(b); }
  b = in.producer();
  EXPECT_TRUE(b.taking());
  std::vector<int> seen;
  sw::pipeline p = into_sink(in, [&](int n) { seen.push_back(n); });
  in.close();
  p.run();
  EXPECT_EQ(seen, std::vector<int>({1, 3}));
}

TEST(inlet, no_producers_at_all_are_refused) { EXPECT_THROW(sw::inlet<int>({.producers = 0}), std::invalid_argument); }

TEST(inlet, a_producer_may_be_registered_while_the_pipeline_runs) {
  sw::inlet<int> in({.capacity = 8, .producers = 64});
  std::atomic<std::int64_t> sum{0};
  sw::pipeline p = into_sink(in, [&](int n) { sum += n; });
  p.start();
  for (int i = 1; i <= 64; ++i) {
    std::thread([&, i, producer = in.producer()]() mutable { EXPECT_TRUE(producer.push(i)); }).join();
  }
  EXPECT_TRUE(eventually([&] { return sum == 64 * 65 / 2; }));
  in.close();
  p.join();
}

TEST(inlet, one_busy_producer_does_not_keep_another_waiting) {
  sw::inlet<numbered> in({.capacity = 4096, .producers = 2});
  auto busy = in.producer();
  auto rare = in.producer();
  for (int i = 0; i < 4096; ++i) ASSERT_TRUE(busy.try_push({0, i}));
  ASSERT_TRUE(rare.try_push({1, 0}));
  int before_rare = 0;
  bool rare_came = false;
  sw::pipeline p = into_sink(in, [&](const numbered& r) {
    rare_came = rare_came || r.producer == 1;
    before_rare += rare_came ? 0 : 1;
  });
  in.close();
  p.run();
  EXPECT_TRUE(rare_came);
  EXPECT_LE(before_rare, 512);
}

TEST(inlet, it_is_idle_while_nothing_comes) {
  sw::inlet<int> in;
  auto producer = in.producer();
  sw::pipeline p = into_sink(in, [](int) {});
  p.start();
  ASSERT_TRUE(eventually([&] { return p.stages()[0].counts.idle_cycles > 10; }));
  in.close();
  p.join();
}

TEST(inlet, a_push_behind_the_close_returns_false) {
  sw::inlet<int> in;
  auto producer = in.producer();
  EXPECT_TRUE(producer.push(1));
  in.close();
  EXPECT_FALSE(producer.try_push(2));
  EXPECT_FALSE(producer.push(2));
  EXPECT_FALSE(producer.taking());
  int seen = 0;
  sw::pipeline p = into_sink(in, [&](int) { ++seen; });
  p.run();
  EXPECT_EQ(seen, 1);
}

TEST(inlet, an_inlet_that_goes_away_closes_itself) {
  int seen = 0;
  auto in = std::make_unique<sw::inlet<int>>();
  auto producer = in->producer();
  sw::pipeline p = into_sink(*in, [&](int) { ++seen; });
  EXPECT_TRUE(producer.push(1));
  in.reset();
  p.run();
  EXPECT_EQ(seen, 1);
  EXPECT_FALSE(producer.push(2));
}

TEST(inlet, whatever_a_push_said_was_taken_is_taken_when_the_close_races_with_it) {
  for (int round = 0; round < 200; ++round) {
    sw::inlet<int> in({.capacity = 4, .producers = 2});
    std::uint64_t seen = 0;
    sw::pipeline p = into_sink(in, [&](int) { ++seen; });
    p.start();
    std::atomic<std::uint64_t> said{0};
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&, producer = in.producer()]() mutable {
          while (producer.push(1)) ++said;
        });
      }
      while (said < 20) std::this_thread::yield();
      in.close();
    }
    p.join();
    EXPECT_EQ(seen, said);
    EXPECT_EQ(in.left(), 0u);
  }
}

/// An inlet before a ring of two records that nobody empties.
struct stuck {
  sw::inlet<int> in{{.capacity = 4, .producers = 1}};
  std::atomic<bool> release{false};
  std::atomic<int> seen{0};
  sw::pipeline p;

  stuck() : p(make()) {}
  bool full() const { return in.left() == 4 && p.edges()[0].counts.left >= 2; }
  sw::pipeline make() {
    auto a = sw::stage<"in">(sw::any_cpu{}, in.source());
    auto b = sw::stage<"out">(sw::any_cpu{}, sw::from(a, {.capacity = 2}) | sw::sink([this](int) {
                                               while (!release) std::this_thread::yield();
                                               ++seen;
                                             }));
    return sw::pipeline(std::move(a), std::move(b));
  }
};

TEST(inlet, stop_wakes_a_push_that_waits_and_what_is_left_is_counted) {
  stuck s;
  s.p.start();
  std::atomic<std::uint64_t> said{0};
  std::thread pusher([&, producer = s.in.producer()]() mutable {
    while (producer.push(1)) ++said;
  });
  ASSERT_TRUE(eventually([&] { return s.full(); }));
  s.p.stop();
  pusher.join();
  EXPECT_FALSE(s.p.wait_for(0ns));
  s.release = true;
  s.p.join();
  EXPECT_EQ(s.in.pushed(), said);
  EXPECT_EQ(s.in.taken() + s.in.left(), said);
  EXPECT_EQ(static_cast<std::uint64_t>(s.seen), s.in.taken());
}

TEST(inlet, abort_wakes_a_push_that_waits) {
  stuck s;
  s.p.start();
  std::thread pusher([&, producer = s.in.producer()]() mutable {
    while (producer.push(1)) continue;
  });
  ASSERT_TRUE(eventually([&] { return s.full(); }));
  s.release = true;
  s.p.abort();
  pusher.join();
  EXPECT_EQ(s.in.pushed(), s.in.taken() + s.in.left());
  const auto counts = s.p.edges()[0].counts;
  EXPECT_TRUE(counts.balanced());
  EXPECT_EQ(counts.pushed, s.in.taken());
}

TEST(inlet, a_failure_wakes_a_push_that_waits_even_when_the_stage_never_opened) {
  for (const bool in_open : {false, true}) {
    sw::inlet<int> in({.capacity = 2, .producers = 1});
    struct failing_sink {
      bool in_open;
      void open() const {
        if (in_open) throw std::runtime_error("cannot open");
      }
      void write(int) const { throw std::runtime_error("cannot write"); }
    };
    auto s = sw::stage<"in">(sw::any_cpu{}, in.source() | sw::sink(failing_sink{in_open}));
    sw::pipeline p(std::move(s));
    std::thread pusher([producer = in.producer()]() mutable {
      while (producer.push(1)) continue;
    });
    p.start();
    pusher.join();
    EXPECT_THROW(p.join(), sw::pipeline_error);
    EXPECT_EQ(in.pushed(), in.taken() + in.left());
  }
}

TEST(inlet, a_source_that_another_thread_may_fail_still_wakes_its_producers_when_the_pipeline_stops) {
  sw::inlet<int> in({.capacity = 2, .producers = 1});
  const sw::source_failure failure;
  auto a = sw::stage<"in">(sw::any_cpu{}, sw::source(in.source(), failure));
  auto b = sw::stage<"out">(sw::host_polled{}, sw::from(a, {.capacity = 2}) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  std::thread pusher([producer = in.producer()]() mutable {
    while (producer.push(1)) continue;
  });
  failure.fail(std::make_exception_ptr(std::runtime_error("no line")));
  p.stop();
  pusher.join();  // although nobody polls the stage behind
  while (!p.done()) p.poll();
  try {
    p.join();
  } catch (const sw::pipeline_error& e) {
    EXPECT_EQ(e.stage(), "in");
  }
  EXPECT_EQ(in.pushed(), in.taken() + in.left());
}

TEST(inlet, what_a_stopped_pipeline_left_is_taken_by_the_next) {
  sw::inlet<int> in({.capacity = 8, .producers = 1});
  auto producer = in.producer();
  std::vector<int> seen;
  {
    sw::pipeline p = into_sink(in, [&](int n) { seen.push_back(n); });
    EXPECT_THROW(in.source(), std::logic_error);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(producer.push(i));
    p.stop();
    EXPECT_FALSE(producer.try_push(5));
    p.run();
  }
  EXPECT_EQ(in.left() + seen.size(), 5u);
  sw::pipeline q = into_sink(in, [&](int n) { seen.push_back(n); });
  EXPECT_TRUE(producer.push(5));
  in.close();
  q.run();
  EXPECT_EQ(seen, std::vector<int>({0, 1, 2, 3, 4, 5}));
}

TEST(inlet, a_polled_stage_takes_from_it_too) {
  sw::inlet<int> in;
  auto producer = in.producer();
  int seen = 0;
  sw::pipeline p = into_sink(in, [&](int) { ++seen; });
  p.start({.host_polled = true});
  EXPECT_EQ(p.poll(), 0u);
  EXPECT_TRUE(producer.push(1));
  EXPECT_EQ(p.poll(), 1u);
  EXPECT_EQ(seen, 1);
  in.close();
  while (!p.done()) p.poll();
  p.join();
}

TEST(inlet, producers_and_inlets_may_go_away_in_any_order) {
  auto in = std::make_unique<sw::inlet<std::string>>();
  auto producer = in->producer();
  EXPECT_TRUE(producer.push("a text that is too long to be kept in place"));
  in.reset();
  EXPECT_FALSE(producer.taking());
}

// --- any_inlet ----------------------------------------------------------------------------------------------------------------------------

TEST(any_inlet, what_unregistered_threads_push_arrives_complete_and_in_each_threads_order) {
  sw::any_inlet<numbered> in({.capacity = 64});
  order_check check(6);
  sw::pipeline p = into_sink(in, std::ref(check));
  p.start();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 3'000; ++i) EXPECT_TRUE(in.push({t, i}));
      });
    }
  }
  in.close();
  p.join();
  EXPECT_TRUE(check.in_order());
  EXPECT_TRUE(check.all(3'000));
  EXPECT_EQ(in.left(), 0u);
  EXPECT_EQ(in.growth_events(), 0u);
}

TEST(any_inlet, it_takes_its_capacity_and_then_refuses_without_touching_the_record) {
  sw::any_inlet<std::unique_ptr<int>> in({.capacity = 100, .producers = 1});
  int pushed = 0;
  while (in.try_push(std::make_unique<int>(pushed))) ++pushed;
  EXPECT_GE(pushed, 100);
  EXPECT_LT(pushed, 300);
  EXPECT_EQ(in.left(), static_cast<std::size_t>(pushed));
  auto kept = std::make_unique<int>(pushed);
  EXPECT_FALSE(in.try_push(std::move(kept)));
  ASSERT_NE(kept, nullptr);
  EXPECT_TRUE(in.taking());
  int seen = 0;
  sw::pipeline p = into_sink(in, [&](const std::unique_ptr<int>& n) { seen += *n == seen ? 1 : 0; });
  p.start();
  EXPECT_TRUE(in.push(std::move(kept)));
  in.close();
  p.join();
  EXPECT_EQ(seen, pushed + 1);
  EXPECT_EQ(in.growth_events(), 0u);
}

TEST(any_inlet, more_threads_than_announced_can_push_although_each_holds_a_block) {
  sw::any_inlet<int> in({.capacity = 64, .producers = 1});
  std::atomic<int> seen{0};
  std::atomic<int> pushed{0};
  sw::pipeline p = into_sink(in, [&](int) { ++seen; });
  p.start();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 12; ++t) {
      threads.emplace_back([&] {
        EXPECT_TRUE(in.push(1));
        ++pushed;
        while (pushed < 12) std::this_thread::yield();  // all of them are there at one time
        EXPECT_TRUE(in.push(1));
      });
    }
  }
  in.close();
  p.join();
  EXPECT_EQ(seen, 24);
  EXPECT_GE(in.growth_events(), 1u);
}

TEST(any_inlet, whatever_a_push_said_was_taken_is_taken_when_the_close_races_with_it) {
  for (int round = 0; round < 200; ++round) {
    sw::any_inlet<int> in({.capacity = 64});
    std::uint64_t seen = 0;
    sw::pipeline p = into_sink(in, [&](int) { ++seen; });
    p.start();
    std::atomic<std::uint64_t> said{0};
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&] {
          while (in.push(1)) ++said;
        });
      }
      while (said < 20) std::this_thread::yield();
      in.close();
    }
    p.join();
    EXPECT_EQ(seen, said);
    EXPECT_EQ(in.left(), 0u);
  }
}

TEST(any_inlet, stop_wakes_a_push_that_waits_and_what_is_left_is_counted_and_taken_by_the_next) {
  sw::any_inlet<int> in({.capacity = 32, .producers = 1});
  std::atomic<std::uint64_t> said{0};
  std::thread pusher([&] {
    while (in.push(1)) ++said;
  });
  std::uint64_t seen = 0;
  {
    sw::pipeline p = into_sink(in, [&](int) { ++seen; });
    ASSERT_TRUE(eventually([&] { return in.left() >= 32; }));
    p.stop();
    pusher.join();
    p.run();
    EXPECT_EQ(in.left() + seen, said);
  }
  in.close();
  sw::pipeline q = into_sink(in, [&](int) { ++seen; });
  q.run();
  EXPECT_EQ(seen, said);
  EXPECT_EQ(in.left(), 0u);
}

TEST(any_inlet, a_record_whose_sink_throws_counts_as_taken) {
  sw::any_inlet<int> in;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(in.push(i));
  sw::pipeline p = into_sink(in, [](int n) {
    if (n == 2) throw std::runtime_error("two");
  });
  EXPECT_THROW(p.run(), sw::pipeline_error);
  EXPECT_EQ(in.left(), 2u);
  EXPECT_FALSE(in.push(5));
}

TEST(any_inlet, a_push_behind_the_close_returns_false) {
  sw::any_inlet<int> in;
  EXPECT_TRUE(in.push(1));
  in.close();
  EXPECT_FALSE(in.try_push(2));
  EXPECT_FALSE(in.push(2));
  EXPECT_FALSE(in.taking());
  EXPECT_EQ(in.left(), 1u);
}

}  // namespace
