// An exception anywhere in a pipeline ends all its threads, comes out of `run` with stage and operator named, and closes everything once.
#include <gtest/gtest.h>

#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/failure_fixture.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace failure_test;
using namespace std::chrono_literals;

struct reading {
  int key = 0;
  sw::timestamp at;
};
inline constexpr sw::output_tag<"bad", int> bad{};

struct failure {
  std::string stage;
  int position = -1;
  std::string kind;
  std::string text;
  std::string cause;
};

/// Runs a pipeline that must fail, on threads or inline.
failure run_and_catch(sw::pipeline& p, bool threads) {
  try {
    threads ? p.run() : p.run_inline();
  } catch (const sw::pipeline_error& e) {
    failure f{e.stage(), e.operator_position(), e.operator_kind(), e.what(), {}};
    try {
      std::rethrow_exception(e.cause());
    } catch (const std::exception& cause) {
      f.cause = cause.what();
    } catch (...) {
      f.cause = "?";
    }
    return f;
  }
  return {};
}

class failing : public ::testing::TestWithParam<bool> {
 protected:
  void expect(sw::pipeline& p, const std::string& stage, int position, const std::string& kind, const std::string& cause) {
    const std::size_t threads = thread_names().size();
    const failure f = run_and_catch(p, GetParam());
    EXPECT_EQ(f.stage, stage);
    EXPECT_EQ(f.position, position);
    EXPECT_EQ(f.kind, kind);
    EXPECT_EQ(f.cause, cause);
    EXPECT_EQ(f.text, "spillway: stage '" + stage + "', operator " + std::to_string(position) + " (" + kind + "): " + cause);
    EXPECT_TRUE(threads_settle_at(threads));
    for (const auto& e : p.edges()) EXPECT_TRUE(e.counts.balanced());
    p.join();  // told once
  }
};

template <class Sink>
sw::pipeline two_stages(life& source_life, Sink sink, int fail_source_at = -1, bool fail_source_open = false) {
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(living_source(source_life, 5000, fail_source_at, fail_source_open)));
  auto b =
      sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 16}) | sw::map([](int n) { return n; }) | sw::sink(std::move(sink)));
  return sw::pipeline(std::move(a), std::move(b));
}

TEST_P(failing, in_the_source) {
  life source;
  life sink;
  sw::pipeline p = two_stages(source, living_sink(sink), 700);
  expect(p, "a", 0, "source", "cannot read");
  EXPECT_EQ(source.closed, 1);
  EXPECT_EQ(sink.closed, sink.opened);
  EXPECT_EQ(p.stages()[0].counts.records_in, 700u);
}

TEST_P(failing, in_the_open_of_a_source) {
  life source;
  life sink;
  sw::pipeline p = two_stages(source, living_sink(sink), -1, true);
  expect(p, "a", 0, "source", "cannot open the source");
  EXPECT_EQ(source.closed, 1);
  EXPECT_EQ(sink.closed, sink.opened);
}

TEST_P(failing, in_a_map) {
  life sink;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(1000) | sw::filter([](int) { return true; }) | sw::map([](int n) {
                                           if (n == 400) throw std::runtime_error("odd number");
                                           return n;
                                         }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::sink(living_sink(sink)));
  sw::pipeline p(std::move(a), std::move(b));
  expect(p, "a", 2, "map", "odd number");
  EXPECT_EQ(sink.closed, sink.opened);
  EXPECT_EQ(p.edges()[0].counts.pushed, 400u);
}

TEST_P(failing, in_a_sink) {
  life source;
  life sink;
  sw::pipeline p = two_stages(source, living_sink(sink, {.fail_at = 1234}));
  expect(p, "b", 2, "sink", "cannot write");
  EXPECT_EQ(source.closed, 1);
  EXPECT_EQ(sink.closed, 1);
  EXPECT_EQ(p.edges()[0].counts.consumed, 1235u);
  EXPECT_EQ(p.stages()[1].counts.records_in, 1235u);
}

TEST_P(failing, in_the_open_of_a_sink) {
  life source;
  life sink;
  sw::pipeline p = two_stages(source, living_sink(sink, {.fail_open = true}));
  expect(p, "b", 2, "sink", "cannot open");
  EXPECT_EQ(sink.closed, 1);
  EXPECT_EQ(source.closed, source.opened);
}

TEST_P(failing, in_the_close_of_a_sink) {
  life source;
  life sink;
  sw::pipeline p = two_stages(source, living_sink(sink, {.fail_close = true}));
  expect(p, "b", 2, "sink", "cannot close");
  EXPECT_EQ(sink.closed, 1);
  EXPECT_EQ(source.closed, 1);
  EXPECT_EQ(p.edges()[0].counts.consumed, 5000u);
}

TEST_P(failing, the_first_error_is_told_when_a_close_fails_too) {
  life source;
  life sink;
  sw::pipeline p = two_stages(source, living_sink(sink, {.fail_close = true, .fail_at = 10}));
  expect(p, "b", 2, "sink", "cannot write");
  EXPECT_EQ(sink.closed, 1);
}

struct failing_window {
  using main = int;
  using emits = sw::emits<>;
  life* counts;
  void open() { ++counts->opened; }
  void close() { ++counts->closed; }
  void on_window(auto& ctx, const int& key, const sw::time_window& w, auto) {
    if (w.start == sw::timestamp(200)) throw std::logic_error("window");
    ctx.emit(key);
  }
};

TEST_P(failing, in_a_window_function) {
  life window;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(1000) | sw::map([](int n) { return reading{n % 3, sw::timestamp(n)}; }) |
                                             sw::watermarks(sw::ascending(), &reading::at));
  auto b =
      sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 16}) | sw::key_by(&reading::key) | sw::window(sw::tumbling(100ns)) |
                                        sw::window_process(failing_window{&window}) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  expect(p, "b", 2, "window", "window");
  EXPECT_EQ(window.opened, window.closed);
}

TEST_P(failing, in_an_operator_behind_a_window_when_time_moves) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(1000) | sw::map([](int n) { return reading{n % 3, sw::timestamp(n)}; }) |
                                             sw::watermarks(sw::ascending(), &reading::at) | sw::key_by(&reading::key) |
                                             sw::window(sw::tumbling(100ns)) | sw::aggregate(sw::count()) |
                                             sw::sink([](const auto& r) {
                                               if (r.window.start == sw::timestamp(900)) throw std::logic_error("last window");
                                             }));
  sw::pipeline p(std::move(a));
  expect(p, "a", 5, "sink", "last window");
}

TEST_P(failing, in_a_chain_behind_on) {
  life side;
  auto a = sw::stage<"a">(
      sw::any_cpu{}, count_to(1000) | sw::process<int>(sw::emits<bad>{}, [](auto& ctx, int n) { ctx.output(bad, n); }) |
                         sw::on(bad, sw::filter([](int n) { return n > 10; }) | sw::sink(living_sink(side, {.fail_at = 500}))) |
                         sw::discard());
  sw::pipeline p(std::move(a));
  const failure f = run_and_catch(p, GetParam());
  EXPECT_EQ(f.stage, "a");
  EXPECT_EQ(f.kind, "sink");
  EXPECT_EQ(f.cause, "cannot write");
  EXPECT_EQ(side.opened, 1);
  EXPECT_EQ(side.closed, 1);
}

TEST_P(failing, with_something_that_is_no_std_exception) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(10) | sw::sink([](int) { throw 7; }));
  sw::pipeline p(std::move(a));
  const failure f = run_and_catch(p, GetParam());
  EXPECT_EQ(f.text, "spillway: stage 'a', operator 1 (sink): an exception that is not a std::exception");
}

TEST_P(failing, a_text_that_does_not_fit_a_blocking_edge) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(10) | sw::process<sw::text_ref>(sw::emits<>{}, [](auto& ctx, int n) {
                                           const std::string text(static_cast<std::size_t>(n) * 40, 'x');
                                           ctx.emit(sw::text_ref(text));
                                         }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.text_bytes = 512}) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  expect(p, "a", 1, "process", "spillway: a record with 256 bytes does not fit the edge from 'a' to 'b'; raise its text_bytes");
}

INSTANTIATE_TEST_SUITE_P(pipeline, failing, ::testing::Bool(),
                         [](const auto& way) { return std::string(way.param ? "threads" : "inline"); });

TEST(failure, a_stage_that_fails_while_others_wait_for_it_ends_them_all) {
  life source;
  life sink;
  sw::pipeline p = two_stages(source, living_sink(sink, {.fail_at = 5}));
  p.start({.idle = sw::idle_strategy::sleep});
  EXPECT_TRUE(p.wait_for(10s));
  EXPECT_THROW(p.join(), sw::pipeline_error);
}

TEST(failure, everything_is_closed_once_when_a_pipeline_is_given_up) {
  life source;
  life sink;
  {
    auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(living_source(source, -2)));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 16}) | sw::sink(living_sink(sink)));
    sw::pipeline p(std::move(a), std::move(b));
    p.start();
    ASSERT_TRUE(eventually([&] { return source.opened == 1 && sink.opened == 1; }));
    p.abort();
    EXPECT_EQ(source.closed, 1);
    EXPECT_EQ(sink.closed, 1);
  }
  EXPECT_EQ(source.closed, 1);
  EXPECT_EQ(sink.closed, 1);
}

TEST(failure, an_error_of_a_pipeline_that_is_destroyed_unjoined_ends_with_it) {
  life source;
  life sink;
  {
    sw::pipeline p = two_stages(source, living_sink(sink, {.fail_at = 5}));
    p.start();
    EXPECT_TRUE(p.wait_for(10s));
  }
  EXPECT_EQ(source.closed, 1);
  EXPECT_EQ(sink.closed, 1);
}

}  // namespace
