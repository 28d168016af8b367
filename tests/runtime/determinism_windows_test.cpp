// A graph with one source over lossless edges gives the same results, however it is run: windows of every kind, before and behind edges.
#include <gtest/gtest.h>

#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/determinism_fixture.hpp"

namespace {

using namespace determinism_test;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"late", reading> late{};
inline constexpr sw::output_tag<"large", int> large{};

TEST(determinism_windows, tumbling_windows_behind_an_edge_with_late_records_to_a_stage) {
  same_in_every_way([](run& r) {
    auto a = sw::stage<"a">(sw::any_cpu{},
                            readings(400) | timed_by_reading() | sw::filter([](const reading& x) { return x.number % 4 != 0; }));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | sw::key_by(&reading::key) |
                                               sw::window(sw::tumbling(100ns), late) | sw::aggregate(sw::mean(&reading::value)));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, r.options) | r.to("means"));
    auto d = sw::stage<"d">(sw::any_cpu{}, sw::from(late, sw::block, r.options) | r.to("late"));
    r(std::move(a), std::move(b), std::move(c), std::move(d));
  });
}

TEST(determinism_windows, sliding_windows_that_fire_again_for_late_records) {
  same_in_every_way([](run& r) {
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(400) | timed_by_reading());
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | sw::key_by(&reading::key) |
                                               sw::window(sw::sliding(200ns, 50ns), {.allowed_lateness = 30ns}, late) |
                                               sw::aggregate(sw::sum(&reading::value)) | r.to("sums"));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(late, sw::block, r.options) | r.to("late"));
    r(std::move(a), std::move(b), std::move(c));
  });
}

TEST(determinism_windows, windows_in_the_stage_of_the_source) {
  same_in_every_way([](run& r) {
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(100) | timed_by_reading() | sw::key_by(&reading::key) |
                                               sw::window(sw::sliding(400ns, 20ns)) | sw::aggregate(sw::count()));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | r.to("counts"));
    r(std::move(a), std::move(b));
  });
}

TEST(determinism_windows, sessions) {
  same_in_every_way([](run& r) {
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(400) | timed_by_reading());
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | sw::key_by(&reading::key) | sw::window(sw::session(45ns)) |
                                               sw::aggregate(sw::count()));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, r.options) | r.to("sessions"));
    r(std::move(a), std::move(b), std::move(c));
  });
}

TEST(determinism_windows, windows_of_a_number_of_records) {
  same_in_every_way([](run& r) {
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(400));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | sw::key_by(&reading::key) | sw::window(sw::count_of(7)) |
                                               sw::aggregate(sw::minimum(&reading::value)));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, r.options) | r.to("minima"));
    r(std::move(a), std::move(b), std::move(c));
  });
}

struct list_numbers {
  using main = int;
  using emits = sw::emits<large>;
  void on_window(auto& ctx, const int& key, const sw::time_window&, auto elements) {
    for (const reading& x : elements) {
      if (x.value > 50) ctx.output(large, x.number);
      ctx.emit(x.number * 10 + key);
    }
  }
};

TEST(determinism_windows, a_window_function_that_makes_many_records_and_side_outputs) {
  same_in_every_way([](run& r) {
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(400) | timed_by_reading());
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | sw::key_by(&reading::key) |
                                               sw::window(sw::tumbling(150ns), late) | sw::window_process(list_numbers{}));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, r.options) | r.to("numbers"));
    auto d = sw::stage<"d">(sw::any_cpu{}, sw::from(large, sw::block, r.options) | r.to("large"));
    auto e = sw::stage<"e">(sw::any_cpu{}, sw::from(late, sw::block, r.options) | r.to("late"));
    r(std::move(a), std::move(b), std::move(c), std::move(d), std::move(e));
  });
}

TEST(determinism_windows, windows_of_windows) {
  same_in_every_way([](run& r) {
    using small = sw::window_result<int, std::uint64_t>;
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(400) | timed_by_reading());
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | sw::key_by(&reading::key) | sw::window(sw::tumbling(50ns)) |
                                               sw::aggregate(sw::count()));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, r.options) | sw::window(sw::tumbling(200ns)) |
                                               sw::aggregate(sw::sum(&small::value)) | r.to("sums"));
    r(std::move(a), std::move(b), std::move(c));
  });
}

}  // namespace
