#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "spillway/state/key_budget.hpp"
#include "spillway/state/keyed_table.hpp"

namespace {

using namespace spillway;
using table_type = keyed_table<std::uint32_t, std::uint32_t>;

struct budgeted {
  arena memory;
  table_type table{memory};
  key_budget budget;
  std::vector<std::uint32_t> evicted;  // keys
  bool inserted = false;

  budgeted(std::size_t keys, when_full policy) { budget.open(memory, {.keys = keys, .when_full = policy}); }
  std::uint32_t use(std::uint32_t key) {
    return budget.find_or_admit(table, key, inserted, [&](std::uint32_t gone) { evicted.push_back(table.key(gone)); });
  }
};

TEST(key_budget, growing_counts_every_key_beyond_the_budget) {
  budgeted b(3, when_full::grow);
  for (std::uint32_t key = 0; key < 5; ++key) EXPECT_NE(b.use(key), key_budget::none);
  b.use(4);
  EXPECT_EQ(b.table.size(), 5u);
  EXPECT_EQ(b.budget.grown(), 2u);
}

TEST(key_budget, refusing_leaves_the_table_as_it_is) {
  budgeted b(3, when_full::refuse);
  for (std::uint32_t key = 0; key < 3; ++key) EXPECT_NE(b.use(key), key_budget::none);
  EXPECT_EQ(b.use(3), key_budget::none);
  EXPECT_FALSE(b.inserted);
  EXPECT_EQ(b.use(4), key_budget::none);
  EXPECT_NE(b.use(2), key_budget::none);
  EXPECT_EQ(b.budget.refused(), 2u);
  b.table.erase(b.table.find(2));
  EXPECT_NE(b.use(4), key_budget::none);
  EXPECT_TRUE(b.inserted);
}

TEST(key_budget, evicting_forgets_the_key_whose_last_use_is_longest_ago) {
  budgeted b(3, when_full::evict_least_recently_used);
  for (std::uint32_t key = 0; key < 3; ++key) b.use(key);
  b.use(0);
  b.use(3);
  EXPECT_TRUE(b.inserted);
  EXPECT_EQ(b.evicted, std::vector<std::uint32_t>{1});
  b.budget.used(b.table.find(2));  // its timer fired
  b.use(4);
  EXPECT_EQ(b.evicted, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(b.budget.evicted(), 2u);
  EXPECT_EQ(b.table.find(1), table_type::none);
}

TEST(key_budget, no_limit_refuses_and_evicts_nothing) {
  for (when_full policy : {when_full::grow, when_full::refuse, when_full::evict_least_recently_used}) {
    budgeted b(0, policy);
    for (std::uint32_t key = 0; key < 1000; ++key) ASSERT_NE(b.use(key), key_budget::none);
    EXPECT_EQ(b.budget.grown() + b.budget.refused() + b.budget.evicted(), 0u);
  }
}

TEST(key_budget, random_uses_evict_as_in_a_plain_model_and_take_no_memory_once_full) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::size_t limit = random() % 50 + 1;
    budgeted b(limit, when_full::evict_least_recently_used);
    std::vector<std::uint32_t> model;  // least recent first
    std::vector<std::uint32_t> evicted;
    std::uint64_t growth = 0;
    for (int step = 0; step < 5000; ++step) {
      if (step == 1000) growth = b.memory.growth_events();
      const auto key = static_cast<std::uint32_t>(random() % 80);
      const auto found = std::find(model.begin(), model.end(), key);
      if (random() % 10 == 0) {
        if (found == model.end()) continue;
        const std::uint32_t i = b.table.find(key);
        b.budget.erased(i);
        b.table.erase(i);
        model.erase(found);
        continue;
      }
      if (found != model.end()) {
        model.erase(found);
      } else if (model.size() == limit) {
        evicted.push_back(model.front());
        model.erase(model.begin());
      }
      model.push_back(key);
      ASSERT_EQ(b.table.key(b.use(key)), key);
      ASSERT_EQ(b.table.size(), model.size());
    }
    EXPECT_EQ(b.evicted, evicted);
    EXPECT_EQ(b.memory.growth_events(), growth);
  }
}

}  // namespace
