#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "spillway/state/map_state.hpp"

namespace {

using namespace spillway;
using namespace std::chrono_literals;

struct keeper {
  arena memory;
  state_access at(std::int64_t event) { return {memory, timestamp{event}}; }
};

template <class Map>
auto all_of(Map& map, const state_access& access) {
  std::vector<std::pair<std::int64_t, int>> all;
  map.for_each(access, [&](auto key, const int& value) { all.emplace_back(key, value); });
  return all;
}

TEST(map_state, is_walked_in_the_order_of_insertion) {
  keeper k;
  map_state<std::int64_t, int> map;
  EXPECT_TRUE(map.empty());
  map.put(k.at(0), 7, 1);
  map.put(k.at(0), 3, 2);
  map.get_or_put(k.at(0), 5, 10) += 1;
  map.put(k.at(0), 7, 4);
  EXPECT_EQ(all_of(map, k.at(0)), (std::vector<std::pair<std::int64_t, int>>{{7, 4}, {3, 2}, {5, 11}}));
  EXPECT_TRUE(map.remove(k.at(0), 7));
  EXPECT_FALSE(map.remove(k.at(0), 7));
  map.put(k.at(0), 7, 9);
  EXPECT_EQ(all_of(map, k.at(0)), (std::vector<std::pair<std::int64_t, int>>{{3, 2}, {5, 11}, {7, 9}}));
  EXPECT_EQ(*map.get(5), 11);
  EXPECT_EQ(map.get(6), nullptr);
  map.clear(k.at(0));
  EXPECT_EQ(map.stored(), 0u);
}

TEST(map_state, entries_may_be_removed_and_added_while_it_is_walked) {
  keeper k;
  map_state<std::int64_t, int> map;
  for (int i = 0; i < 30; ++i) map.put(k.at(0), i, i);
  std::vector<std::int64_t> met;
  map.for_each(k.at(0), [&](std::int64_t key, int& value) {
    met.push_back(key);
    if (key % 3 != 0)
      map.remove(k.at(0), key);
    else
      value = 1;
    if (key == 29) map.put(k.at(0), 100, 5);
    if (key == 100) map.put(k.at(0), 101, 5);
  });
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < 30; ++i) expected.push_back(i);
  expected.push_back(100);
  expected.push_back(101);
  EXPECT_EQ(met, expected);
  EXPECT_EQ(map.stored(), 10u);
  map.clear(k.at(0));
}

TEST(map_state, keeps_its_own_copies_of_text_keys) {
  keeper k;
  map_state<std::string_view, int> map;
  for (int i = 0; i < 100; ++i) map.put(k.at(0), "a key that is much longer than what fits in place " + std::to_string(i), i);
  for (int i = 0; i < 100; ++i) {
    const std::string key = "a key that is much longer than what fits in place " + std::to_string(i);
    ASSERT_EQ(*map.get(key), i);
    if (i % 2 == 1) continue;
    ASSERT_TRUE(map.remove(k.at(0), key));
  }
  EXPECT_EQ(map.stored(), 50u);
  map.clear(k.at(0));
}

TEST(map_state, memory_that_is_cleared_serves_again_without_growth) {
  keeper k;
  map_state<std::int64_t, double> map;
  const auto fill = [&] {
    for (std::int64_t i = 0; i < 5000; ++i) map.put(k.at(0), i * i, 1.0);
    for (std::int64_t i = 0; i < 5000; ++i) ASSERT_TRUE(map.contains(i * i));
    map.clear(k.at(0));
  };
  fill();
  const std::uint64_t before = k.memory.growth_events();
  EXPECT_GT(before, 0u);
  for (int round = 0; round < 20; ++round) fill();
  EXPECT_EQ(k.memory.growth_events(), before);
}

TEST(map_state, entries_that_expire_are_removed_by_later_writes) {
  keeper k;
  map_state<std::int64_t, int, expires_after(1000ns)> map;
  for (std::int64_t now = 0; now < 100000; ++now) {
    map.put(k.at(now), now, 1);
    ASSERT_LE(map.stored(), 2100u);
  }
  EXPECT_EQ(map.get(k.at(100000), 98000), nullptr);
  EXPECT_NE(map.get(k.at(100000), 99500), nullptr);
  EXPECT_FALSE(map.sweep(k.at(100000)));
  EXPECT_EQ(map.stored(), 999u);
  EXPECT_TRUE(map.sweep(k.at(200000)));
}

template <time_to_live Ttl>
void expect_like_a_vector(std::uint64_t seed) {
  SCOPED_TRACE(seed);
  constexpr bool refreshed = Ttl.refresh == refresh_on::read_and_write;
  std::mt19937_64 random(seed);
  keeper k;
  map_state<std::int64_t, int, Ttl> map;
  std::vector<std::tuple<std::int64_t, int, std::int64_t>> model;  // key, value, end, in order of insertion
  std::int64_t now = 0;
  const std::uint64_t keys = seed % 3 == 0 ? 6 : 200;
  for (int step = 0; step < 1500; ++step) {
    now += static_cast<std::int64_t>(random() % 4);
    const state_access access = k.at(now);
    if (Ttl.ends()) std::erase_if(model, [&](const auto& e) { return now >= std::get<2>(e); });
    const auto key = static_cast<std::int64_t>(random() % keys);
    const auto found = std::find_if(model.begin(), model.end(), [&](const auto& e) { return std::get<0>(e) == key; });
    const bool there = found != model.end();
    const std::int64_t end = now + 100;
    switch (random() % 16) {
      case 0:
        if (random() % 20 == 0) map.clear(access), model.clear();
        break;
      case 1: {
        std::vector<std::pair<std::int64_t, int>> expected;
        for (auto& [id, value, until] : model) {
          expected.emplace_back(id, value);
          if (refreshed) until = end;
        }
        ASSERT_EQ(all_of(map, access), expected);
        break;
      }
      case 2:
        ASSERT_EQ(map.sweep(access), model.empty());
        ASSERT_EQ(map.stored(), model.size());
        break;
      case 3:
      case 4:
      case 5:
        ASSERT_EQ(map.remove(access, key), there);
        if (there) model.erase(found);
        break;
      case 6:
      case 7: {
        const int* value = map.get(access, key);
        ASSERT_EQ(value != nullptr, there);
        if (there) {
          ASSERT_EQ(*value, std::get<1>(*found));
          if (refreshed) std::get<2>(*found) = end;
        }
        ASSERT_EQ(map.contains(access, key), there);
        break;
      }
      case 8: {
        int* value = map.modify(access, key);
        ASSERT_EQ(value != nullptr, there);
        if (there) *value += 3, std::get<1>(*found) += 3, std::get<2>(*found) = end;
        break;
      }
      case 9:
        ASSERT_EQ(map.empty(access), model.empty());
        break;
      case 10:
      case 11:
        map.get_or_put(access, key, step) += 1;
        if (there)
          std::get<1>(*found) += 1, std::get<2>(*found) = end;
        else
          model.emplace_back(key, step + 1, end);
        break;
      default:
        map.put(access, key, step);
        if (there)
          *found = {key, step, end};
        else
          model.emplace_back(key, step, end);
    }
  }
  map.clear(k.at(now));
}

TEST(map_state, random_calls_equal_a_plain_model) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    expect_like_a_vector<no_expiry>(seed);
    expect_like_a_vector<expires_after(100ns)>(seed);
    expect_like_a_vector<expires_after(100ns, refresh_on::read_and_write)>(seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
