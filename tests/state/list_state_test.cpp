#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "spillway/state/list_state.hpp"

namespace {

using namespace spillway;
using namespace std::chrono_literals;

struct keeper {
  arena memory;
  state_access at(std::int64_t event) { return {memory, timestamp{event}}; }
};

template <class List>
auto all_of(List& list, const state_access& access) {
  std::vector<typename List::value_type> all;
  for (const auto& each : list.live(access)) all.push_back(each);
  return all;
}

TEST(list_state, keeps_the_order_of_appending_over_many_chunks) {
  keeper k;
  list_state<int> list;
  EXPECT_TRUE(list.empty());
  std::vector<int> expected;
  for (int i = 0; i < 5000; ++i) {
    list.append(k.at(0), i);
    expected.push_back(i);
  }
  EXPECT_EQ(all_of(list, k.at(0)), expected);
  EXPECT_EQ(list.stored(), 5000u);
  for (int& each : list) each = 1;
  EXPECT_EQ(all_of(list, k.at(0)), std::vector<int>(5000, 1));
  list.replace(k.at(0), std::vector<int>{3, 1, 2});
  EXPECT_EQ(all_of(list, k.at(0)), (std::vector<int>{3, 1, 2}));
  list.add_all(k.at(0), std::vector<int>{3, 4});
  EXPECT_EQ(all_of(list, k.at(0)), (std::vector<int>{3, 1, 2, 3, 4}));
  list.clear(k.at(0));
  EXPECT_TRUE(list.empty());
}

TEST(list_state, memory_that_is_cleared_serves_again_without_growth) {
  keeper k;
  list_state<std::uint64_t> list;
  const auto fill = [&] {
    for (std::uint64_t i = 0; i < 20000; ++i) list.append(k.at(0), i);
    list.clear(k.at(0));
  };
  fill();
  const std::uint64_t before = k.memory.growth_events();
  EXPECT_GT(before, 0u);
  for (int round = 0; round < 50; ++round) fill();
  EXPECT_EQ(k.memory.growth_events(), before);
}

TEST(list_state, appending_to_a_list_whose_elements_expire_needs_no_more_memory) {
  keeper k;
  list_state<std::uint64_t, expires_after(1000ns)> list;
  for (std::int64_t now = 0; now < 5000; ++now) list.append(k.at(now), 1);
  const std::uint64_t before = k.memory.growth_events();
  for (std::int64_t now = 5000; now < 500000; ++now) {
    list.append(k.at(now), 1);
    ASSERT_LE(list.stored(), 1001u);
  }
  EXPECT_EQ(k.memory.growth_events(), before);
  list.clear(k.at(0));
}

template <time_to_live Ttl, bool refreshed>
void expect_like_a_deque(std::uint64_t seed) {
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  keeper k;
  list_state<std::string, Ttl> list;
  std::deque<std::pair<std::string, std::int64_t>> model;
  std::int64_t now = 0;
  const auto live = [&](std::int64_t end) { return !Ttl.ends() || now < end; };
  for (int step = 0; step < 400; ++step) {
    now += static_cast<std::int64_t>(random() % 8) - 1;  // time may go back a little
    const state_access access = k.at(now);
    const std::string text(random() % 60, static_cast<char>('a' + step % 26));
    switch (random() % 12) {
      case 0:
        list.clear(access);
        model.clear();
        break;
      case 1:
        list.replace(access, std::vector<std::string>{text, text + "2"});
        model = {{text, now + 100}, {text + "2", now + 100}};
        break;
      case 2: {
        std::erase_if(model, [&](const auto& e) { return !live(e.second); });
        ASSERT_EQ(list.sweep(access), model.empty());
        ASSERT_EQ(list.stored(), model.size());
        break;
      }
      case 3:
      case 4: {
        std::vector<std::string> expected;
        for (auto& [value, end] : model) {
          if (!live(end)) continue;
          expected.push_back(value);
          if (refreshed) end = now + 100;
        }
        ASSERT_EQ(all_of(list, access), expected);
        break;
      }
      default:
        while (!model.empty() && !live(model.front().second)) model.pop_front();
        list.append(access, text);
        model.emplace_back(text, now + 100);
    }
  }
  list.clear(k.at(now));
}

TEST(list_state, random_calls_equal_a_plain_model) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    expect_like_a_deque<no_expiry, false>(seed);
    expect_like_a_deque<expires_after(100ns), false>(seed);
    expect_like_a_deque<expires_after(100ns, refresh_on::read_and_write), true>(seed);
    if (HasFatalFailure()) return;
  }
}

TEST(chunked_list, removing_by_a_condition_keeps_the_rest_in_order) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    arena memory;
    chunked_list<std::string> list;
    std::deque<std::string> model;
    for (int round = 0; round < 6; ++round) {
      for (std::uint64_t n = random() % 200; n > 0; --n) {
        model.push_back(std::string(random() % 30, 'a') + std::to_string(n));
        list.append(memory, std::string(model.back()));
      }
      for (std::uint64_t n = random() % 40; n > 0 && !model.empty(); --n) {
        model.pop_front();
        list.pop_front(memory);
      }
      const std::uint64_t modulus = random() % 5 + 1;
      const auto gone = [&](const std::string& s) { return s.size() % modulus == 0; };
      std::erase_if(model, gone);
      list.remove_if(memory, gone);
      ASSERT_EQ(list.size(), model.size());
      std::deque<std::string> all;
      for (auto c = list.begin(); !c.at_end(); c.advance()) all.push_back(c.element());
      ASSERT_EQ(all, model);
    }
    list.clear(memory);
  }
}

}  // namespace
