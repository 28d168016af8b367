// Graphs that part and meet again, over the smallest rings, on one thread and on several: nothing gets stuck and nothing is lost.
#include <gtest/gtest.h>

#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"left", int> left{};
inline constexpr sw::output_tag<"right", int> right{};

struct setting {
  bool one_thread;
  std::size_t capacity;
};

class diamond : public ::testing::TestWithParam<setting> {
 protected:
  sw::edge_options options() const { return {.capacity = GetParam().capacity}; }
  /// Threads that hand over one record at a time take a while where there are fewer CPUs than threads.
  int records() const { return !GetParam().one_thread && GetParam().capacity == 1 ? 300 : 3000; }

  /// Runs to the end, which must come soon.
  void finish(sw::pipeline& p) {
    p.start({.idle = sw::idle_strategy::yield, .one_thread = GetParam().one_thread});
    const bool ended = p.wait_for(60s);
    EXPECT_TRUE(ended) << "stuck";
    ended ? p.join() : p.abort();
    for (const auto& e : p.edges()) {
      EXPECT_TRUE(e.counts.balanced());
      EXPECT_EQ(e.counts.consumed, e.counts.pushed) << e.from << " -> " << e.to;
    }
  }
};

void be_slow(int n) {
  if (n % 64 == 0) std::this_thread::sleep_for(10us);
}

TEST_P(diamond, of_main_outputs_with_one_slow_branch) {
  std::uint64_t seen = 0;
  std::int64_t sum = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(records()));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, options()) | sw::map([](int n) { return n; }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(a, options()) | sw::map([](int n) {
                                           be_slow(n);
                                           return 2 * n;
                                         }));
  auto d = sw::stage<"d">(sw::any_cpu{}, sw::from(sw::edge(b, options()), sw::edge(c, options())) | sw::sink([&](int n) {
                                           ++seen;
                                           sum += n;
                                         }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c), std::move(d));
  finish(p);
  const std::int64_t n = records();
  EXPECT_EQ(seen, static_cast<std::uint64_t>(2 * n));
  EXPECT_EQ(sum, 3 * n * (n - 1) / 2);
}

TEST_P(diamond, of_side_outputs_that_block) {
  std::uint64_t seen = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(records()) | sw::process<int>(sw::emits<left, right>{}, [](auto& ctx, int n) {
                                           n % 3 == 0 ? ctx.output(left, n) : ctx.output(right, n);
                                           ctx.emit(n);
                                         }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(left, sw::block, options()) | sw::flat_map<int>([](int n, auto& out) {
                                           for (int i = 0; i < 5; ++i) out(n);
                                         }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(right, sw::block, options()) | sw::map([](int n) {
                                           be_slow(n);
                                           return n;
                                         }));
  auto d = sw::stage<"d">(sw::any_cpu{}, sw::from(sw::edge(b, options()), sw::edge(c, options()), sw::edge(a, options())) |
                                             sw::sink([&](int) { ++seen; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c), std::move(d));
  finish(p);
  EXPECT_EQ(seen, static_cast<std::uint64_t>(records()) / 3 * 10);
}

TEST_P(diamond, where_one_stage_reads_both_outputs_of_another) {
  std::uint64_t seen = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(records()) | sw::process<int>(sw::emits<left>{}, [](auto& ctx, int n) {
                                           ctx.emit(n);
                                           ctx.output(left, n);
                                           ctx.emit(n);
                                         }));
  auto b = sw::stage<"b">(
      sw::any_cpu{}, sw::from(sw::edge(a, options()), sw::edge(left, sw::block, options())) | sw::sink([&](int) { ++seen; }));
  sw::pipeline p(std::move(a), std::move(b));
  finish(p);
  EXPECT_EQ(seen, static_cast<std::uint64_t>(3 * records()));
}

struct timed_number {
  int n = 0;
  sw::timestamp at;
};

struct repeat {
  using main = int;
  using emits = sw::emits<right>;
  void on_window(auto& ctx, const int&, const sw::time_window&, auto elements) {
    for (const timed_number& x : elements) {
      ctx.emit(x.n);
      ctx.output(right, x.n);
    }
  }
};

TEST_P(diamond, of_firings_that_meet_full_edges_on_both_outputs) {
  std::uint64_t seen = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(records()) | sw::map([](int n) { return timed_number{n, sw::timestamp(n)}; }) |
                                             sw::watermarks(sw::ascending(), &timed_number::at));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, options()) | sw::key_by([](const timed_number& x) { return x.n % 7; }) |
                                             sw::window(sw::tumbling(500ns)) | sw::window_process(repeat{}));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, options()) | sw::map([](int n) { return n; }));
  auto d = sw::stage<"d">(
      sw::any_cpu{}, sw::from(sw::edge(c, options()), sw::edge(right, sw::block, options())) | sw::sink([&](int) { ++seen; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c), std::move(d));
  finish(p);
  EXPECT_EQ(seen, static_cast<std::uint64_t>(2 * records()));
}

TEST_P(diamond, with_many_watermarks_and_hardly_a_record) {
  std::uint64_t seen = 0;
  const auto rare = [](const timed_number& x) { return x.n % 100 == 0; };
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(records()) | sw::map([](int n) { return timed_number{n, sw::timestamp(n)}; }) |
                                             sw::watermarks(sw::ascending(), &timed_number::at));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, options()) | sw::filter(rare));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(a, options()) | sw::filter(rare));
  auto d =
      sw::stage<"d">(sw::any_cpu{}, sw::from(sw::edge(b, options()), sw::edge(c, options())) | sw::window(sw::tumbling(100ns)) |
                                        sw::aggregate(sw::count()) | sw::sink([&](const auto& r) { seen += r.value; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c), std::move(d));
  finish(p);
  EXPECT_EQ(seen, static_cast<std::uint64_t>(records()) / 50);
}

INSTANTIATE_TEST_SUITE_P(pipeline, diamond,
                         ::testing::Values(setting{true, 1}, setting{true, 2}, setting{true, 64}, setting{false, 1},
                                           setting{false, 64}));

TEST(diamonds, stages_that_are_polled_by_hand_in_any_order_come_to_the_end) {
  for (int order = 0; order < 6; ++order) {
    std::uint64_t seen = 0;
    auto a = sw::stage<"a">(sw::any_cpu{}, count_to(500));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 1}) | sw::map([](int n) { return n; }));
    auto c = sw::stage<"c">(
        sw::any_cpu{}, sw::from(sw::edge(a, {.capacity = 1}), sw::edge(b, {.capacity = 1})) | sw::sink([&](int) { ++seen; }));
    sw::pipeline p(std::move(a), std::move(b), std::move(c));
    std::vector<sw::agent*> agents;
    for (const auto& each : p.lowered().agents()) agents.push_back(each.get());
    std::sort(agents.begin(), agents.end());
    for (int i = 0; i < order; ++i) std::next_permutation(agents.begin(), agents.end());
    for (sw::agent* each : agents) each->start();
    std::size_t rounds = 0;
    const auto all_finished = [&] {
      return std::all_of(agents.begin(), agents.end(), [](const sw::agent* each) { return each->finished(); });
    };
    while (!all_finished() && ++rounds < 100'000) {
      for (sw::agent* each : agents) {
        if (!each->finished()) each->do_work();
      }
    }
    EXPECT_TRUE(all_finished());
    for (sw::agent* each : agents) EXPECT_EQ(each->close(), nullptr);
    EXPECT_EQ(seen, 1000u);
  }
}

}  // namespace
