// Operators that throw, guarded and not; operators that ask the pipeline to stop; sources that are failed from outside.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "spillway/spillway.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"failed", sw::failed_record<int>> failed{};
inline constexpr sw::output_tag<"reason", std::string> reasons_tag{};
inline constexpr sw::output_tag<"odd", int> odd{};

int no_threes(int n) {
  if (n % 3 == 0) throw std::invalid_argument("three times " + std::to_string(n / 3));
  return n * 10;
}

std::uint64_t count_named(const sw::pipeline& p, std::size_t stage, std::string_view name) {
  const std::vector<sw::stage_report> stages = p.stages();
  for (const auto& c : stages[stage].added) {
    if (c.name == name) return c.value;
  }
  return 0;
}

struct limit {
  using main = int;
  using emits = sw::emits<>;
  int seen = 0;
  void on_record(auto& ctx, int n) {
    ctx.emit(n);
    if (++seen == 100) {
      EXPECT_TRUE(ctx.request_stop("daily limit reached"));
    }
  }
};

/// Inline and on threads.
class guarded : public ::testing::TestWithParam<bool> {
 protected:
  void run(sw::pipeline& p) { GetParam() ? p.run() : p.run_inline(); }
};
INSTANTIATE_TEST_SUITE_P(placed, guarded, ::testing::Bool(), [](const auto& test) { return test.param ? "threads" : "inline"; });

TEST_P(guarded, on_error_sends_the_record_and_the_reason_to_its_tag_and_goes_on) {
  std::vector<int> good;
  std::vector<std::string> bad;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(8) | sw::map(sw::fn<no_threes>) | sw::on_error(failed) |
                                             sw::sink([&](int n) { good.push_back(n); }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(failed) | sw::sink([&](const sw::failed_record<int>& f) {
                                           bad.push_back(std::to_string(f.record) + ": " + std::string(f.reason.view()));
                                         }));
  sw::pipeline p(std::move(a), std::move(b));
  run(p);
  EXPECT_EQ(good, (std::vector{10, 20, 40, 50, 70}));
  EXPECT_EQ(bad, (std::vector<std::string>{"0: three times 0", "3: three times 1", "6: three times 2"}));
  EXPECT_EQ(p.edges()[0].counts.consumed, 3u);
}

TEST_P(guarded, on_error_makes_what_its_tag_carries_by_a_function) {
  std::vector<std::string> bad;
  auto a = sw::stage<"a">(
      sw::any_cpu{},
      count_to(4) | sw::map(sw::fn<no_threes>) |
          sw::on_error(reasons_tag,
                       [](const int& n, std::string_view why) { return std::to_string(n) + "|" + std::string(why); }) |
          sw::on(reasons_tag, sw::sink([&](const std::string& s) { bad.push_back(s); })) | sw::discard());
  sw::pipeline p(std::move(a));
  run(p);
  EXPECT_EQ(bad, (std::vector<std::string>{"0|three times 0", "3|three times 1"}));
}

TEST_P(guarded, on_error_hands_on_the_record_as_it_came_with_its_time) {
  struct text {
    std::string value;
    std::int64_t at;
  };
  static constexpr sw::output_tag<"spoiled", sw::failed_record<text>> spoiled{};
  std::vector<std::string> seen;
  auto a = sw::stage<"a">(
      sw::any_cpu{},
      sw::source([n = 0]() mutable { return n < 2 ? std::optional(text{"t" + std::to_string(n), n++}) : std::nullopt; }) |
          sw::watermarks(sw::ascending(), [](const text& t) { return sw::timestamp(t.at); }) | sw::map([](text t) -> int {
            t.value.clear();
            throw std::runtime_error("no");
          }) |
          sw::on_error(spoiled) | sw::on(spoiled, sw::sink([&](const sw::failed_record<text>& f, sw::timestamp t) {
                                           seen.push_back(f.record.value + "@" + std::to_string(t.ns));
                                         })) |
          sw::discard());
  sw::pipeline p(std::move(a));
  run(p);
  EXPECT_EQ(seen, (std::vector<std::string>{"t0@0", "t1@1"}));
}

TEST_P(guarded, a_thrown_thing_that_is_no_std_exception_has_a_reason_too) {
  std::string reason;
  auto a = sw::stage<"a">(sw::any_cpu{},
                          count_to(1) | sw::map([](int n) { return n == 0 ? throw 7 : n; }) | sw::on_error(failed) |
                              sw::on(failed, sw::sink([&](const sw::failed_record<int>& f) { reason = f.reason.view(); })) |
                              sw::discard());
  sw::pipeline p(std::move(a));
  run(p);
  EXPECT_EQ(reason, "an exception that is not a std::exception");
}

TEST_P(guarded, what_an_operator_behind_throws_is_not_the_guards) {
  for (const bool skip : {false, true}) {
    int bad = 0;
    const auto build = [&](auto guard) {
      return sw::stage<"a">(sw::any_cpu{}, count_to(10) | sw::filter([](int) { return true; }) | std::move(guard) |
                                               sw::map([](int n) { return n == 5 ? throw std::runtime_error("behind") : n; }) |
                                               sw::discard());
    };
    const auto expect = [&](auto&& stage, auto&&... more) {
      sw::pipeline p(std::forward<decltype(stage)>(stage), std::forward<decltype(more)>(more)...);
      try {
        run(p);
        FAIL();
      } catch (const sw::pipeline_error& e) {
        EXPECT_EQ(e.operator_position(), 2);
        EXPECT_EQ(e.operator_kind(), "map");
      }
    };
    if (skip) {
      expect(build(sw::skip_errors()));
    } else {
      expect(build(sw::on_error(failed)),
             sw::stage<"b">(sw::any_cpu{}, sw::from(failed) | sw::sink([&](const sw::failed_record<int>&) { ++bad; })));
    }
    EXPECT_EQ(bad, 0);
  }
}

TEST_P(guarded, skip_errors_counts_what_it_leaves_out_and_reports_the_first) {
  std::vector<int> good;
  std::vector<std::string> reports;
  auto a = sw::stage<"a">(
      sw::any_cpu{}, count_to(8) | sw::map(sw::fn<no_threes>) | sw::skip_errors() | sw::sink([&](int n) { good.push_back(n); }));
  sw::pipeline p(std::move(a));
  p.on_report([&](std::string_view text) { reports.emplace_back(text); });
  run(p);
  EXPECT_EQ(good, (std::vector{10, 20, 40, 50, 70}));
  EXPECT_EQ(count_named(p, 0, "map errors skipped"), 3u);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0], "spillway: stage 'a', operator map skips records that it cannot process; the first: three times 0");
}

TEST_P(guarded, a_sink_that_fails_for_a_record_can_be_guarded) {
  std::vector<int> written;
  std::vector<int> dead;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(5) | sw::sink([&](int n) {
                                           if (n == 2) throw std::runtime_error("refused by the broker");
                                           written.push_back(n);
                                         }) | sw::on_error(failed));
  auto b = sw::stage<"b">(sw::any_cpu{},
                          sw::from(failed) | sw::sink([&](const sw::failed_record<int>& f) { dead.push_back(f.record); }));
  sw::pipeline p(std::move(a), std::move(b));
  run(p);
  EXPECT_EQ(written, (std::vector{0, 1, 3, 4}));
  EXPECT_EQ(dead, (std::vector{2}));
}

TEST_P(guarded, retry_calls_again_and_counts_and_then_lets_the_exception_go) {
  int calls = 0;
  std::vector<int> got;
  std::vector<int> given_up;
  auto a = sw::stage<"a">(sw::any_cpu{},
                          count_to(3) | sw::map([&](int n) {
                            ++calls;
                            if (n == 1 && calls < 4) throw std::runtime_error("busy");
                            if (n == 2) throw std::runtime_error("gone");
                            return n;
                          }) | sw::retry(3) |
                              sw::on_error(failed) |
                              sw::on(failed, sw::sink([&](const sw::failed_record<int>& f) { given_up.push_back(f.record); })) |
                              sw::sink([&](int n) { got.push_back(n); }));
  sw::pipeline p(std::move(a));
  run(p);
  EXPECT_EQ(got, (std::vector{0, 1}));
  EXPECT_EQ(given_up, (std::vector{2}));
  EXPECT_EQ(calls, 1 + 3 + 4);
  EXPECT_EQ(count_named(p, 0, "map retries"), 2u + 3u);
}

TEST_P(guarded, retry_alone_ends_the_pipeline_after_its_last_attempt) {
  int calls = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(3) | sw::map([&](int n) -> int {
                                           throw std::runtime_error(std::to_string(n) + std::to_string(++calls));
                                         }) | sw::retry(2) |
                                             sw::discard());
  sw::pipeline p(std::move(a));
  try {
    run(p);
    FAIL();
  } catch (const sw::pipeline_error& e) {
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(e.operator_kind(), "map");
  }
}

TEST_P(guarded, a_window_function_that_fails_for_a_record_can_be_guarded) {
  std::vector<std::int64_t> sums;
  std::vector<int> bad;
  auto a = sw::stage<"a">(
      sw::any_cpu{},
      count_to(6) | sw::watermarks(sw::ascending(), [](int n) { return sw::timestamp(n); }) | sw::window(sw::tumbling(10ns)) |
          sw::aggregate(sw::sum([](int n) { return n == 3 ? throw std::runtime_error("no threes") : n; })) |
          sw::on_error(failed) | sw::on(failed, sw::sink([&](const sw::failed_record<int>& f) { bad.push_back(f.record); })) |
          sw::sink([&](const sw::window_result<void, std::int64_t>& r) { sums.push_back(r.value); }));
  sw::pipeline p(std::move(a));
  run(p);
  EXPECT_EQ(sums, (std::vector<std::int64_t>{12}));
  EXPECT_EQ(bad, (std::vector{3}));
}

TEST_P(guarded, an_exception_that_the_user_caught_is_not_blamed_later) {
  // The first function swallows what comes from behind; the failure that ends the pipeline is another one.
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(10) | sw::process<int>(sw::emits<>{}, [](auto& ctx, int n) {
                                           if (n == 7) throw std::logic_error("mine");
                                           try {
                                             ctx.emit(n);
                                           } catch (const std::runtime_error&) {}
                                         }) | sw::map([](int n) {
                                           return n == 2 ? throw std::runtime_error("swallowed") : n;
                                         }) | sw::discard());
  sw::pipeline p(std::move(a));
  try {
    run(p);
    FAIL();
  } catch (const sw::pipeline_error& e) {
    EXPECT_EQ(e.operator_position(), 1);
    EXPECT_EQ(e.operator_kind(), "process");
    EXPECT_NE(std::string(e.what()).find("mine"), std::string::npos);
  }
}

TEST_P(guarded, a_guarded_exception_is_not_blamed_later) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(10) | sw::map(sw::fn<no_threes>) | sw::skip_errors() | sw::sink([](int n) {
                                           if (n == 50) throw std::runtime_error("full");
                                         }));
  sw::pipeline p(std::move(a));
  try {
    run(p);
    FAIL();
  } catch (const sw::pipeline_error& e) {
    EXPECT_EQ(e.operator_position(), 2);
    EXPECT_EQ(e.operator_kind(), "sink");
  }
}

TEST_P(guarded, an_operator_that_asks_to_stop_ends_the_sources_and_what_was_read_is_processed) {
  int taken = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever() | sw::process(limit{}));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 8}) | sw::sink([&](int) { ++taken; }));
  sw::pipeline p(std::move(a), std::move(b));
  EXPECT_FALSE(p.stop_reason());
  run(p);
  ASSERT_TRUE(p.stop_reason());
  EXPECT_EQ(p.stop_reason()->stage, "a");
  EXPECT_EQ(p.stop_reason()->text, "daily limit reached");
  EXPECT_GE(taken, 100);
  EXPECT_EQ(static_cast<std::uint64_t>(taken), p.stages()[0].counts.records_in);
  EXPECT_EQ(p.edges()[0].counts.left, 0u);
}

TEST_P(guarded, a_sink_may_ask_to_stop_through_its_stage) {
  struct ten {
    sw::stage_context* stage = nullptr;
    int n = 0;
    void open(sw::stage_context& s) { stage = &s; }
    void write(int) {
      if (++n == 10) stage->request_stop("ten are enough");
      if (n == 11) {
        EXPECT_FALSE(stage->request_stop("again"));
      }
    }
  };
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::sink(ten{}));
  sw::pipeline p(std::move(a), std::move(b));
  run(p);
  EXPECT_EQ(p.stop_reason()->text, "ten are enough");
  EXPECT_EQ(p.stop_reason()->stage, "b");
}

TEST_P(guarded, a_side_consumer_fused_by_on_that_throws_ends_the_pipeline_and_is_named) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(10) |
                                             sw::process<int>(sw::emits<odd>{},
                                                              [](auto& ctx, int n) {
                                                                if (n % 2) ctx.output(odd, n);
                                                              }) |
                                             sw::on(odd, sw::sink([](int n) {
                                                      if (n == 5) throw std::runtime_error("side");
                                                    })) |
                                             sw::discard());
  sw::pipeline p(std::move(a));
  try {
    run(p);
    FAIL();
  } catch (const sw::pipeline_error& e) {
    EXPECT_EQ(e.stage(), "a");
    EXPECT_EQ(e.operator_kind(), "sink");
  }
}

TEST(source_failure, from_another_thread_ends_the_pipeline_with_that_exception) {
  sw::source_failure failure;
  int opened = 0;
  int closed = 0;
  struct sink_life {
    int* opened;
    int* closed;
    void open() { ++*opened; }
    void write(int) {}
    void close() { ++*closed; }
  };
  auto a = sw::stage<"feed">(sw::any_cpu{}, sw::source([i = 0]() mutable { return std::optional(i++); }, failure));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::sink(sink_life{&opened, &closed}));
  sw::pipeline p(std::move(a), std::move(b));
  p.start();
  EXPECT_TRUE(eventually([&] { return p.stages()[1].counts.records_in > 10; }));
  EXPECT_TRUE(failure.fail(std::make_exception_ptr(std::runtime_error("session closed"))));
  EXPECT_FALSE(failure.fail(std::make_exception_ptr(std::runtime_error("too late"))));
  try {
    p.join();
    FAIL();
  } catch (const sw::pipeline_error& e) {
    EXPECT_EQ(e.stage(), "feed");
    EXPECT_EQ(e.operator_position(), 0);
    EXPECT_EQ(e.operator_kind(), "source");
    EXPECT_STREQ(e.what(), "spillway: stage 'feed', operator 0 (source): session closed");
  }
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(closed, 1);
  for (const auto& e : p.edges()) EXPECT_TRUE(e.counts.balanced());
}

TEST(source_failure, after_the_end_changes_nothing) {
  sw::source_failure failure;
  auto a =
      sw::stage<"a">(sw::any_cpu{}, sw::source([i = 0]() mutable { return i < 3 ? std::optional(i++) : std::nullopt; }, failure) |
                                        sw::discard());
  sw::pipeline p(std::move(a));
  p.run();
  EXPECT_FALSE(failure.fail(std::make_exception_ptr(std::runtime_error("late"))));
}

}  // namespace
