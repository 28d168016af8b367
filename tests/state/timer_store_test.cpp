#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "spillway/state/timer_store.hpp"

namespace {

using namespace spillway;
using store = timer_store<>;

timestamp at(std::int64_t ns) { return timestamp{ns}; }

// Pops all that are due, as {time, key}.
std::vector<std::pair<std::int64_t, std::uint32_t>> fired(store& timers, timestamp until) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> all;
  while (auto due = timers.pop_due(until)) all.emplace_back(due->at.ns, due->key);
  return all;
}
using row = std::vector<std::pair<std::int64_t, std::uint32_t>>;

struct opened {
  arena memory;
  store timers;
  opened() { timers.open(memory); }
};

TEST(timer_store, fires_in_order_of_time_and_equal_times_in_order_of_setting) {
  opened o;
  for (std::uint32_t key = 0; key < 20; ++key) o.timers.add(at(1'000'000'000'007), 19 - key, 0);
  o.timers.add(at(5), 1, 0);
  o.timers.add(at(1'000'000'000'006), 2, 0);
  row expected{{5, 1}, {1'000'000'000'006, 2}};
  for (std::uint32_t key = 0; key < 20; ++key) expected.emplace_back(1'000'000'000'007, 19 - key);
  EXPECT_EQ(fired(o.timers, at(1'000'000'000'007)), expected);
  EXPECT_TRUE(o.timers.empty());
}

TEST(timer_store, a_timer_is_set_once_per_time_key_and_namespace) {
  opened o;
  EXPECT_TRUE(o.timers.add(at(7), 1, 4));
  EXPECT_FALSE(o.timers.add(at(7), 1, 4));
  EXPECT_TRUE(o.timers.add(at(7), 1, 5));
  EXPECT_TRUE(o.timers.add(at(7), 2, 4));
  EXPECT_TRUE(o.timers.add(at(8), 1, 4));
  EXPECT_EQ(o.timers.size(), 4u);
  EXPECT_TRUE(o.timers.contains(at(7), 2, 4));
  EXPECT_FALSE(o.timers.remove(at(9), 1, 4));
  EXPECT_TRUE(o.timers.remove(at(7), 2, 4));
  EXPECT_FALSE(o.timers.remove(at(7), 2, 4));
  EXPECT_EQ(fired(o.timers, at(100)), (row{{7, 1}, {7, 1}, {8, 1}}));
}

TEST(timer_store, a_timer_fires_when_the_watermark_reaches_its_time) {
  opened o;
  o.timers.add(at(100), 1, 0);
  EXPECT_TRUE(fired(o.timers, at(99)).empty());
  EXPECT_EQ(o.timers.next(), at(100));
  EXPECT_EQ(fired(o.timers, at(100)), (row{{100, 1}}));
  EXPECT_EQ(o.timers.next(), std::nullopt);
}

TEST(timer_store, timers_set_while_firing_at_or_below_the_time_reached_fire_in_the_same_row) {
  opened o;
  for (std::uint32_t key = 0; key < 50; ++key) o.timers.add(at(1000 + key), key, 0);
  row all;
  while (auto due = o.timers.pop_due(at(2000))) {
    all.emplace_back(due->at.ns, due->key);
    if (due->key == 20) {
      o.timers.add(at(900), 100, 0);
      o.timers.add(at(800), 101, 0);
      o.timers.add(at(900), 102, 0);
      o.timers.add(at(1020), 103, 0);
      o.timers.add(at(2001), 104, 0);
    }
    if (due->key == 101) o.timers.add(at(850), 105, 0);
  }
  row expected;
  for (std::uint32_t key = 0; key <= 20; ++key) expected.emplace_back(1000 + key, key);
  for (auto more : row{{800, 101}, {850, 105}, {900, 100}, {900, 102}, {1020, 103}}) expected.push_back(more);
  for (std::uint32_t key = 21; key < 50; ++key) expected.emplace_back(1000 + key, key);
  EXPECT_EQ(all, expected);
  EXPECT_EQ(o.timers.size(), 1u);
}

TEST(timer_store, times_reach_both_ends_of_64_bits) {
  opened o;
  const std::int64_t low = std::numeric_limits<std::int64_t>::min();
  const std::int64_t high = std::numeric_limits<std::int64_t>::max();
  row expected;
  for (std::int64_t t : {low, low + 1, std::int64_t{-1'000'000'000'000}, std::int64_t{-256}, std::int64_t{-1}, std::int64_t{0},
                         std::int64_t{1}, std::int64_t{255}, std::int64_t{256}, high - 1, high}) {
    expected.emplace_back(t, 3);
  }
  for (auto i = expected.rbegin(); i != expected.rend(); ++i) o.timers.add(at(i->first), 3, 0);
  EXPECT_EQ(fired(o.timers, at(low)), (row{{low, 3}}));
  expected.erase(expected.begin());
  EXPECT_EQ(fired(o.timers, timestamp::maximum()), expected);
  o.timers.add(timestamp::maximum(), 4, 0);
  EXPECT_EQ(fired(o.timers, at(high - 1)), row{});
  EXPECT_EQ(fired(o.timers, timestamp::maximum()), (row{{high, 4}}));
}

TEST(timer_store, an_operator_without_namespaces_pays_nothing_for_them) {
  static_assert(sizeof(timer_store<no_namespace>::timer) == 16);
  arena memory;
  timer_store<no_namespace> timers;
  timers.open(memory);
  EXPECT_TRUE(timers.add(at(3), 1));
  EXPECT_FALSE(timers.add(at(3), 1));
  EXPECT_TRUE(timers.add(at(3), 2));
  EXPECT_TRUE(timers.remove(at(3), 1));
  EXPECT_EQ(timers.pop_due(at(3))->key, 2u);
  EXPECT_FALSE(timers.pop_due(at(3)).has_value());
}

// The order in which model timers come due: time, then the number of their setting.
struct model {
  using identity = std::tuple<std::int64_t, std::uint32_t, std::uint64_t>;
  std::set<std::tuple<std::int64_t, std::uint64_t, std::uint32_t, std::uint64_t>> order;
  std::map<identity, std::uint64_t> numbers;
  std::uint64_t next_number = 0;

  bool add(std::int64_t t, std::uint32_t key, std::uint64_t space) {
    if (!numbers.emplace(identity{t, key, space}, next_number).second) return false;
    order.emplace(t, next_number++, key, space);
    return true;
  }
  bool remove(std::int64_t t, std::uint32_t key, std::uint64_t space) {
    const auto found = numbers.find({t, key, space});
    if (found == numbers.end()) return false;
    order.erase({t, found->second, key, space});
    numbers.erase(found);
    return true;
  }
};

void expect_first_pops_equal(store& timers, model& expected, std::int64_t until, const auto& act) {
  for (;;) {
    const auto due = timers.pop_due(at(until));
    const bool is_due = !expected.order.empty() && std::get<0>(*expected.order.begin()) <= until;
    ASSERT_EQ(due.has_value(), is_due);
    if (!is_due) return;
    const auto [t, number, key, space] = *expected.order.begin();
    ASSERT_EQ(std::tuple(due->at.ns, due->key, due->name_space), std::tuple(t, key, space));
    expected.remove(t, key, space);
    act(t);
  }
}

void run_like_the_model(std::uint64_t seed) {
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  opened o;
  model expected;
  const unsigned spread_bits = static_cast<unsigned>(random() % 63 + 1);
  const std::uint64_t keys = random() % 3 == 0 ? 2 : 1000;
  const bool many_ties = random() % 3 == 0;
  std::int64_t now = random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random());
  const auto some_time = [&](std::int64_t base) {
    if (random() % 200 == 0)
      return random() % 2 == 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
    auto d = static_cast<std::int64_t>(random() >> (64 - spread_bits));
    if (many_ties) d &= ~std::int64_t{0xff};
    return random() % 8 == 0 ? saturating_sub(base, d) : saturating_add(base, d);
  };
  const auto change = [&](std::int64_t base) {
    const auto key = static_cast<std::uint32_t>(random() % keys);
    const std::uint64_t space = random() % 2;
    if (random() % 4 != 0 || expected.order.empty()) {
      const std::int64_t t = some_time(base);
      ASSERT_EQ(o.timers.add(at(t), key, space), expected.add(t, key, space));
    } else {
      auto victim = expected.order.lower_bound({some_time(base), 0, 0, 0});
      if (victim == expected.order.end()) victim = expected.order.begin();
      const auto [t, number, k, s] = *victim;
      ASSERT_TRUE(o.timers.contains(at(t), k, s));
      ASSERT_TRUE(o.timers.remove(at(t), k, s));
      expected.remove(t, k, s);
    }
  };
  for (int step = 0; step < 1500; ++step) {
    for (std::uint64_t n = random() % 6; n > 0; --n) change(now);
    ASSERT_EQ(o.timers.size(), expected.order.size());
    if (!expected.order.empty()) {
      ASSERT_EQ(o.timers.next(), at(std::get<0>(*expected.order.begin())));
      ASSERT_LE(o.timers.not_before(), at(std::get<0>(*expected.order.begin())));
    }
    if (random() % 3 == 0) {
      now = saturating_add(now, static_cast<std::int64_t>(random() >> (64 - spread_bits) >> 3));
      expect_first_pops_equal(o.timers, expected, now, [&](std::int64_t t) {
        if (random() % 3 == 0) change(random() % 2 == 0 ? t : now);
      });
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  // What `visit` names in order makes a store that fires in the same order.
  arena memory;
  store restored;
  restored.open(memory);
  o.timers.visit([&](const store::timer& t) { ASSERT_TRUE(restored.add(t.at, t.key, t.name_space)); });
  ASSERT_EQ(restored.size(), o.timers.size());
  model twin = expected;
  expect_first_pops_equal(restored, twin, std::numeric_limits<std::int64_t>::max(), [](std::int64_t) {});
  expect_first_pops_equal(o.timers, expected, std::numeric_limits<std::int64_t>::max(), [](std::int64_t) {});
}

TEST(timer_store, random_settings_and_deletions_fire_as_in_a_plain_model) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    run_like_the_model(seed);
    if (HasFatalFailure()) return;
  }
}

TEST(timer_store, memory_is_taken_from_the_arena_once_and_used_again) {
  opened o;
  o.timers.reserve(10000);
  const auto set_and_fire = [&](std::int64_t base) {
    for (std::uint32_t key = 0; key < 10000; ++key) o.timers.add(at(base + key * 977), key, 0);
    std::size_t count = 0;
    while (o.timers.pop_due(at(base + 10'000'000))) ++count;
    EXPECT_EQ(count, 10000u);
  };
  const std::uint64_t before = o.memory.growth_events();
  for (std::int64_t round = 0; round < 20; ++round) set_and_fire(round * 10'000'000);
  EXPECT_EQ(o.memory.growth_events(), before);
}

TEST(timer_store, timers_that_are_reset_all_the_time_stay_exact) {
  opened o;
  std::vector<std::int64_t> set(100000);
  for (std::uint32_t key = 0; key < set.size(); ++key) o.timers.add(at(set[key] = 4'000'000'000 + key), key, 0);
  std::int64_t now = 0;
  for (int round = 0; round < 10; ++round) {
    for (std::uint32_t key = 0; key < set.size(); ++key) {
      now += 20'000;
      ASSERT_TRUE(o.timers.remove(at(set[key]), key, 0));
      o.timers.add(at(set[key] = now + 4'000'000'000), key, 0);
      ASSERT_FALSE(o.timers.pop_due(at(now)));
    }
  }
  EXPECT_EQ(o.timers.next(), at(set[0]));
  EXPECT_EQ(fired(o.timers, at(now + 4'000'000'000)).size(), set.size());
}

}  // namespace
