// A million records through windows of each kind and through each aggregate call no allocator but where growth is counted.
#include "tests/alloc/counted_run.hpp"

namespace alloc_test {

/// A window function that goes through all records.
struct total {
  using main = double;
  using emits = sw::emits<>;
  void on_window(auto& ctx, const std::uint32_t&, const sw::time_window&, auto elements) const {
    double sum = 0;
    for (const reading& r : elements) sum += r.value;
    ctx.emit(sum);
  }
};

}  // namespace alloc_test

namespace {

using namespace alloc_test;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"late", reading> late{};

template <class Windows, class Function>
void expect_windows_counted(std::uint64_t most, Windows windows, Function function, int n = one_million) {
  std::uint64_t seen = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, readings(n) | timed_by_reading());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4096}) | sw::key_by(&reading::key) | windows | function |
                                             sw::sink([&](const auto&) { ++seen; }));
  expect_counted_growth(most, std::move(a), std::move(b));
  EXPECT_GT(seen, 1000u);
}

TEST(alloc_windows, tumbling) {
  expect_windows_counted(20, sw::window(sw::tumbling(10s)), sw::aggregate(sw::sum(&reading::value)));
}
TEST(alloc_windows, tumbling_with_lateness) {
  expect_windows_counted(20, sw::window(sw::tumbling(10s), {.allowed_lateness = 5s}), sw::aggregate(sw::sum(&reading::value)));
}
TEST(alloc_windows, sliding) {
  expect_windows_counted(20, sw::window(sw::sliding(10s, 1s)), sw::aggregate(sw::sum(&reading::value)));
}
TEST(alloc_windows, sliding_with_many_panes) {
  expect_windows_counted(200, sw::window(sw::sliding(2s, 20ms)), sw::aggregate(sw::maximum(&reading::value)), 200'000);
}
TEST(alloc_windows, session) { expect_windows_counted(40, sw::window(sw::session(700ms)), sw::aggregate(sw::count())); }
TEST(alloc_windows, count) {
  expect_windows_counted(20, sw::window(sw::count_of(100)), sw::aggregate(sw::mean(&reading::value)));
}
TEST(alloc_windows, window_process_of_tumbling) {
  expect_windows_counted(60, sw::window(sw::tumbling(10s)), sw::window_process(total{}));
}
TEST(alloc_windows, window_process_of_sliding) {
  expect_windows_counted(80, sw::window(sw::sliding(4s, 1s)), sw::window_process(total{}));
}
TEST(alloc_windows, window_process_of_session) {
  expect_windows_counted(60, sw::window(sw::session(700ms)), sw::window_process(total{}));
}
TEST(alloc_windows, window_process_of_count) {
  expect_windows_counted(60, sw::window(sw::count_of(50)), sw::window_process(total{}));
}

TEST(alloc_windows, windows_without_keys_with_late_records_to_a_side_output) {
  std::uint64_t seen = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, readings() | sw::watermarks(sw::ascending(), &reading::at));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4096}) | sw::window(sw::tumbling(10ms), late) |
                                             sw::aggregate(sw::count()) | sw::discard());
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(late, {.capacity = 4096}) | sw::sink([&](const reading&) { ++seen; }));
  expect_counted_growth(20, std::move(a), std::move(b), std::move(c));
  EXPECT_GT(seen, 10'000u);
}

TEST(alloc_windows, a_table_that_was_told_its_keys_grows_less) {
  const auto growth = [](std::size_t expected_keys) {
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(one_million, 100'000) | timed_by_reading() | sw::key_by(&reading::key) |
                                               sw::window(sw::tumbling(1000s), {.expected_keys = expected_keys}) |
                                               sw::aggregate(sw::count()) | sw::discard());
    sw::pipeline p(std::move(a));
    const outcome o = run_in_turn(p);
    EXPECT_EQ(o.calls, o.growth);
    return o.growth;
  };
  const std::uint64_t untold = growth(0);
  EXPECT_GT(untold, 0u);
  EXPECT_LT(growth(100'000), untold);
}

template <class Function>
void expect_aggregate_counted(Function function, std::uint64_t most = 20) {
  expect_windows_counted(most, sw::window(sw::tumbling(20s)), function);
}

TEST(alloc_aggregates, count) { expect_aggregate_counted(sw::aggregate(sw::count())); }
TEST(alloc_aggregates, sum) { expect_aggregate_counted(sw::aggregate(sw::sum(&reading::value))); }
TEST(alloc_aggregates, mean) { expect_aggregate_counted(sw::aggregate(sw::mean(&reading::value))); }
TEST(alloc_aggregates, minimum) { expect_aggregate_counted(sw::aggregate(sw::minimum(&reading::value))); }
TEST(alloc_aggregates, maximum) { expect_aggregate_counted(sw::aggregate(sw::maximum(&reading::value))); }
TEST(alloc_aggregates, first_and_last) {
  expect_aggregate_counted(sw::aggregate(sw::first(&reading::value), sw::last(&reading::value)));
}
TEST(alloc_aggregates, first_and_last_by_time) {
  expect_aggregate_counted(sw::aggregate(sw::first_by_time(&reading::value), sw::last_by_time(&reading::value)));
}
TEST(alloc_aggregates, standard_deviation) { expect_aggregate_counted(sw::aggregate(sw::standard_deviation(&reading::value))); }
TEST(alloc_aggregates, weighted_mean) {
  expect_aggregate_counted(sw::aggregate(sw::weighted_mean(&reading::value, &reading::number)));
}
TEST(alloc_aggregates, quantile) { expect_aggregate_counted(sw::aggregate(sw::quantile(0.99, &reading::value)), 60); }
TEST(alloc_aggregates, quantile_in_sliding_windows) {
  expect_windows_counted(100, sw::window(sw::sliding(10s, 2s)), sw::aggregate(sw::quantile(0.5, &reading::value), sw::count()));
}

}  // namespace
