#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>

#include "spillway/operators/operator.hpp"
#include "spillway/state/aggregating_state.hpp"
#include "spillway/state/reducing_state.hpp"
#include "spillway/state/value_state.hpp"
#include "spillway/windows/aggregates/mean.hpp"

namespace {

using namespace spillway;
using namespace std::chrono_literals;

struct keeper {
  arena memory;
  state_access at(std::int64_t event, std::int64_t processing = 0) { return {memory, timestamp{event}, timestamp{processing}}; }
};

TEST(value_state, without_time_to_live_it_is_an_optional_member) {
  static_assert(sizeof(value_state<double>) == sizeof(std::optional<double>));
  static_assert(std::is_trivially_destructible_v<value_state<double>>);
  value_state<double> v;
  EXPECT_EQ(v.get(), nullptr);
  EXPECT_EQ(v.modify(), nullptr);
  EXPECT_EQ(v.value_or(2.5), 2.5);
  v.set(1.5);
  *v.modify() += 1;
  EXPECT_EQ(*v.get(), 2.5);
  EXPECT_EQ(v.get_or_set(9), 2.5);
  v.clear();
  EXPECT_EQ(v.get_or_set(9), 9);
  keeper k;
  EXPECT_EQ(*v.get(k.at(1'000'000)), 9);
  EXPECT_FALSE(v.sweep(k.at(1'000'000)));
  EXPECT_EQ(k.memory.growth_events(), 0u);
}

TEST(value_state, a_value_is_gone_when_its_lifetime_has_passed_since_it_was_written) {
  keeper k;
  value_state<int, expires_after(10ns)> v;
  v.set(k.at(100), 1);
  EXPECT_EQ(*v.get(k.at(109)), 1);
  EXPECT_EQ(v.get(k.at(110)), nullptr);
  EXPECT_EQ(v.get(k.at(100)), nullptr);  // removed by the call that met it
  v.set(k.at(100), 2);
  EXPECT_FALSE(v.sweep(k.at(109)));
  EXPECT_EQ(*v.modify(k.at(109)), 2);  // a write
  EXPECT_EQ(*v.get(k.at(118)), 2);
  EXPECT_TRUE(v.sweep(k.at(119)));
  EXPECT_EQ(v.get_or_set(k.at(120), 5), 5);
}

TEST(value_state, a_read_refreshes_only_where_the_type_says_so) {
  keeper k;
  value_state<int, expires_after(10ns, refresh_on::read_and_write)> v;
  v.set(k.at(100), 1);
  for (std::int64_t t = 109; t < 200; t += 9) ASSERT_NE(v.get(k.at(t)), nullptr);
  EXPECT_EQ(v.get(k.at(300)), nullptr);
}

TEST(value_state, processing_time_counts_where_the_type_says_so) {
  keeper k;
  value_state<int, expires_after(10ns, refresh_on::write, state_clock::processing_time)> v;
  v.set(k.at(0, 100), 1);
  EXPECT_NE(v.get(k.at(1'000'000, 109)), nullptr);
  EXPECT_EQ(v.get(k.at(0, 110)), nullptr);
}

TEST(value_state, a_value_written_before_there_is_a_time_begins_to_live_with_the_first_one) {
  keeper k;
  value_state<int, expires_after(10ns)> v;
  const state_access timeless{k.memory};
  v.set(timeless, 1);
  EXPECT_NE(v.get(timeless), nullptr);
  EXPECT_NE(v.get(k.at(5000)), nullptr);
  EXPECT_NE(v.get(k.at(5009)), nullptr);
  EXPECT_EQ(v.get(k.at(5010)), nullptr);
}

TEST(value_state, at_the_end_of_time_old_values_are_gone_and_new_ones_stay) {
  keeper k;
  value_state<int, expires_after(10ns)> v;
  const state_access end{k.memory, timestamp::maximum()};
  v.set(k.at(0), 1);
  EXPECT_EQ(v.get(end), nullptr);
  v.set(end, 2);
  EXPECT_EQ(*v.get(end), 2);
}

TEST(value_state, random_calls_equal_a_plain_model) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    keeper k;
    const auto held = std::make_unique<value_state<std::string, expires_after(20ns, refresh_on::read_and_write)>>();
    auto& v = *held;
    std::optional<std::pair<std::string, std::int64_t>> model;
    std::int64_t now = 0;
    for (int step = 0; step < 500; ++step) {
      now += static_cast<std::int64_t>(random() % 12);
      if (model && now >= model->second) model.reset();
      const std::string text(random() % 40, 'x');
      switch (random() % 5) {
        case 0:
          v.set(k.at(now), text);
          model = {text, now + 20};
          break;
        case 1:
          ASSERT_EQ(v.get_or_set(k.at(now), text), model ? model->first : text);
          model = {model ? model->first : text, now + 20};
          break;
        case 2:
          v.clear(k.at(now)), model.reset();
          break;
        case 3:
          ASSERT_EQ(v.sweep(k.at(now)), !model);
          break;
        default: {
          const std::string* found = v.get(k.at(now));
          ASSERT_EQ(found != nullptr, model.has_value());
          if (!model) break;
          ASSERT_EQ(*found, model->first);
          model->second = now + 20;
        }
      }
    }
  }
}

constexpr auto larger = [](double a, double b) { return a > b ? a : b; };
int sum_of(int a, int b) { return a + b; }

TEST(reducing_state, combines_what_is_added) {
  static_assert(sizeof(reducing_state<double, larger>) == sizeof(std::optional<double>));
  reducing_state<double, larger> highest;
  EXPECT_EQ(highest.get(), nullptr);
  EXPECT_EQ(highest.add(-3), -3);
  EXPECT_EQ(highest.add(-5), -3);
  EXPECT_EQ(highest.add(7), 7);
  highest.clear();
  EXPECT_EQ(highest.add(1), 1);
}

TEST(reducing_state, an_expired_value_is_as_if_nothing_had_been_added) {
  keeper k;
  reducing_state<int, fn<sum_of>, expires_after(10ns)> sum;
  sum.add(k.at(0), 1);
  EXPECT_EQ(sum.add(k.at(9), 2), 3);
  EXPECT_EQ(*sum.get(k.at(18)), 3);
  EXPECT_EQ(sum.add(k.at(19), 4), 4);
  EXPECT_TRUE(sum.sweep(k.at(29)));
}

struct reading {
  double celsius;
};
constexpr auto average = mean(&reading::celsius);

struct words {  // takes any record, and tells arrivals
  template <class>
  using accumulator = std::uint64_t;
  template <class>
  using result = std::uint64_t;
  template <class In>
  void add(std::uint64_t& into, const In&, timestamp t, std::uint64_t arrival) const {
    into = arrival * 1000 + static_cast<std::uint64_t>(t.ns);
  }
  template <class In>
  std::uint64_t get(const std::uint64_t& from) const {
    return from;
  }
};
constexpr words told;

TEST(aggregating_state, answers_with_the_result_of_a_window_aggregate) {
  aggregating_state<reading, average> celsius;
  EXPECT_FALSE(celsius.get().has_value());
  celsius.add(reading{1});
  celsius.add(reading{2});
  EXPECT_EQ(celsius.get(), 1.5);
  celsius.clear();
  EXPECT_FALSE(celsius.get().has_value());
}

TEST(aggregating_state, passes_timestamps_and_numbers_arrivals_since_it_was_empty) {
  keeper k;
  aggregating_state<int, told, expires_after(10ns)> state;
  state.add(k.at(0), 1, timestamp{5});
  EXPECT_EQ(state.get(k.at(0)), 5u);
  state.add(k.at(1), 1, timestamp{6});
  EXPECT_EQ(state.get(k.at(1)), 1006u);
  EXPECT_FALSE(state.get(k.at(11)).has_value());
  state.add(k.at(11), 1, timestamp{7});
  EXPECT_EQ(state.get(k.at(11)), 7u);
}

}  // namespace
