#include "spillway/graph/expression.hpp"

#include <gtest/gtest.h>

#include "graph_fixture.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/key_by.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/window.hpp"

namespace {

using namespace graph_test;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"odd", int> odd{};

auto twice() {
  return sw::map([](int n) { return 2 * n; });
}
auto less_one() {
  return sw::map([](int n) { return n - 1; });
}

template <class Expression>
lines run(Expression expression) {
  lines log;
  sw::pipeline p(sw::stage<"all">(sw::any_cpu{}, std::move(expression) | trace(log)));
  p.run_inline();
  return log;
}

TEST(expression, runs_its_operators_in_the_order_written) {
  EXPECT_EQ(run(sw::source(sw::elements{5}) | twice() | less_one()), (lines{"9@none", "wm max", "end"}));
  EXPECT_EQ(run(sw::source(sw::elements{5}) | less_one() | twice()), (lines{"8@none", "wm max", "end"}));
}

TEST(expression, may_be_a_head_alone) { EXPECT_EQ(run(sw::source(sw::elements{5})), (lines{"5@none", "wm max", "end"})); }

TEST(expression, takes_operators_that_were_joined_before_there_was_a_head) {
  auto chain = twice() | less_one() | sw::filter([](int n) { return n > 0; });
  EXPECT_EQ(run(sw::source(sw::elements{0, 5}) | chain), (lines{"9@none", "wm max", "end"}));
  EXPECT_EQ(run(sw::source(sw::elements{0, 5}) | less_one() | chain | twice()), (lines{"14@none", "wm max", "end"}));
}

TEST(expression, takes_a_window_and_its_function_joined_or_apart) {
  auto numbers = [] { return sw::source(script{}.number(1, 1).number(2, 2).number(3, 12)); };
  auto value = sw::map([](const auto& result) { return result.value; });
  const lines expected{"2@9", "1@19", "wm max", "end"};
  EXPECT_EQ(run(numbers() | sw::window(sw::tumbling(10ns)) | sw::aggregate(sw::count()) | value), expected);
  auto whole = sw::window(sw::tumbling(10ns)) | sw::aggregate(sw::count());
  EXPECT_EQ(run(numbers() | whole | value), expected);
  auto front = sw::filter([](int) { return true; }) | sw::window(sw::tumbling(10ns));
  EXPECT_EQ(run(numbers() | front | sw::aggregate(sw::count()) | value), expected);
}

TEST(expression, joined_operators_may_hold_readers_of_their_tags) {
  lines odds;
  auto mark = sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int n) { n % 2 ? ctx.output(odd, n) : ctx.emit(n); });
  auto chain = mark | sw::on(odd, trace(odds)) | twice();
  EXPECT_EQ(run(sw::source(sw::elements{1, 2}) | chain), (lines{"4@none", "wm max", "end"}));
  EXPECT_EQ(odds, (lines{"1@none", "wm max", "end"}));
}

TEST(expression, may_be_long) {
  auto ten = less_one() | less_one() | less_one() | less_one() | less_one() | less_one() | less_one() | less_one() | less_one() |
             less_one();
  EXPECT_EQ(run(sw::source(sw::elements{50}) | ten | ten | ten), (lines{"20@none", "wm max", "end"}));
}

TEST(expression, is_a_value_that_can_be_used_again) {
  auto chain = sw::source(sw::elements{1, 2}) | twice();
  EXPECT_EQ(run(chain), (lines{"2@none", "4@none", "wm max", "end"}));
  EXPECT_EQ(run(chain | twice()), (lines{"4@none", "8@none", "wm max", "end"}));
}

TEST(expression, after_an_error_swallows_what_follows) {
  using poisoned = decltype(sw::poison{} | twice() | sw::discard());
  static_assert(std::is_same_v<poisoned, sw::poison>);
  static_assert(std::is_same_v<decltype(sw::from(sw::poison{})), sw::poison>);
  using stage_type = decltype(sw::stage<"bad">(sw::any_cpu{}, sw::poison{}));
  static_assert(std::is_same_v<decltype(sw::from(std::declval<stage_type>())), sw::poison>);
  static_assert(std::is_same_v<decltype(sw::from(std::declval<stage_type>().side(odd), std::declval<stage_type>())), sw::poison>);
  static_assert(std::is_constructible_v<sw::pipeline, stage_type>);
  SUCCEED();
}

}  // namespace
