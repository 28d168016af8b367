#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spillway/core/fixed_string.hpp"
#include "spillway/state/keyed_table.hpp"

namespace {

using namespace spillway;

// Random insertions, look-ups and erasures against std::unordered_map.
template <class Key, class MakeKey>
void expect_like_a_map(std::uint64_t seed, int steps, std::uint32_t distinct, MakeKey make) {
  SCOPED_TRACE(seed);
  arena memory;
  keyed_table<Key, std::uint64_t> table(memory);
  using model_key = std::conditional_t<std::is_convertible_v<const Key&, std::string_view>, std::string, Key>;
  std::unordered_map<model_key, std::pair<std::uint32_t, std::uint64_t>> model;
  std::mt19937_64 random(seed);
  bool erasing = false;
  for (int step = 0; step < steps; ++step) {
    if (step % 5000 == 0) erasing = random() % 3 == 0;
    const auto k = make(static_cast<std::uint32_t>(random() % distinct));
    const auto known = model.find(model_key(k));
    const unsigned action = static_cast<unsigned>(random() % 10);
    if (action < (erasing ? 2u : 6u)) {
      bool inserted = false;
      const std::uint32_t i = table.find_or_insert(k, inserted);
      ASSERT_EQ(inserted, known == model.end()) << "step " << step;
      if (inserted) {
        ASSERT_EQ(table.entry(i), 0u) << "a new entry is value-initialised";
        table.entry(i) = static_cast<std::uint64_t>(step);
        model.emplace(model_key(k), std::pair(i, static_cast<std::uint64_t>(step)));
      } else {
        ASSERT_EQ(i, known->second.first);
      }
    } else if (action < 8 && known != model.end()) {
      table.erase(known->second.first);
      model.erase(known);
      ASSERT_EQ(table.find(k), table.none) << "step " << step;
    } else {
      const std::uint32_t i = table.find(k);
      ASSERT_EQ(i != table.none, known != model.end()) << "step " << step;
      if (i != table.none) {
        ASSERT_EQ(i, known->second.first);
        ASSERT_EQ(table.entry(i), known->second.second);
        ASSERT_TRUE(model_key(table.key(i)) == model_key(k));
      }
    }
    ASSERT_EQ(table.size(), model.size());
  }
  for (const auto& [k, at] : model) ASSERT_EQ(table.find(k), at.first);
  std::size_t visited = 0;
  table.for_each([&](std::uint32_t i) {
    ASSERT_EQ(model.at(model_key(table.key(i))).first, i);
    ++visited;
  });
  EXPECT_EQ(visited, model.size());
}

TEST(keyed_table, behaves_like_a_map_through_growths_and_erasures) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    expect_like_a_map<std::uint32_t>(seed, 40000, seed % 3 == 0 ? 300 : 20000, [](std::uint32_t n) { return n * 7919u; });
  }
}

TEST(keyed_table, behaves_like_a_map_for_text_keys_short_and_long) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    expect_like_a_map<text_ref>(seed, 30000, 6000, [text = std::string()](std::uint32_t n) mutable {
      text = std::string(n % 40, 'x') + std::to_string(n);
      return std::string_view(text);
    });
  }
}

// Hashes are given by hand here: all of them near the end of the array, so that runs wrap around it in every phase of a growth.
TEST(keyed_table, behaves_like_a_map_when_hashes_crowd_at_the_end_of_the_array) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    arena memory;
    slot_array array = slot_array::make(memory, 64);
    array.clear(0, array.size());
    std::map<std::uint32_t, std::uint32_t> model;
    std::mt19937_64 random(seed);
    for (int step = 0; step < 3000; ++step) {
      const auto index = static_cast<std::uint32_t>(random() % 50);
      if (model.contains(index)) {
        array.remove(model[index], index);
        model.erase(index);
      } else {
        const auto hash = static_cast<std::uint32_t>(0u - 1u - (random() % 6 << 26));
        array.put(hash, index);
        model.emplace(index, hash);
      }
      for (const auto& [i, hash] : model) {
        std::uint32_t at = array.home(hash);
        while (array.slots[at].hash == 0 || array.slots[at].index != i) {
          ASSERT_NE(array.slots[at].hash, 0u) << "a gap before index " << i << ", seed " << seed;
          at = array.next(at);
        }
      }
    }
  }
}

TEST(keyed_table, grows_correctly_when_probe_runs_wrap_around) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    arena memory;
    keyed_table<std::uint32_t, std::uint32_t> table(memory);
    std::mt19937_64 random(seed);
    // Hash of a key: spread thinly, or crowded at the last homes.
    auto hash = [&](std::uint32_t k) { return k % 3 == 0 ? ~std::uint64_t{0} - (std::uint64_t{k} << 40) : hash_of(k); };
    std::map<std::uint32_t, std::uint32_t> model;
    for (int step = 0; step < 1000; ++step) {
      const auto k = static_cast<std::uint32_t>(random() % 1000);
      bool inserted = false;
      const std::uint32_t i = table.find_or_insert_hashed(k, hash(k), inserted);
      ASSERT_EQ(inserted, !model.contains(k)) << "seed " << seed << " step " << step;
      model[k] = i;
      if (random() % 5 == 0) {
        table.erase_hashed(i, hash(k));
        model.erase(k);
      }
      const auto other = static_cast<std::uint32_t>(random() % 1000);
      ASSERT_EQ(table.find_hashed(other, hash(other)), model.contains(other) ? model[other] : table.none)
          << "seed " << seed << " step " << step;
    }
    for (const auto& [k, i] : model) ASSERT_EQ(table.find_hashed(k, hash(k)), i);
  }
}

TEST(keyed_table, entries_keep_their_address_through_growths) {
  arena memory;
  keyed_table<std::uint64_t, int> table(memory);
  bool inserted = false;
  int* first = &table.entry(table.find_or_insert(1, inserted));
  *first = 77;
  for (std::uint64_t k = 2; k < 50000; ++k) table.find_or_insert(k, inserted);
  EXPECT_EQ(&table.entry(table.find(1)), first);
  EXPECT_EQ(*first, 77);
}

TEST(keyed_table, an_empty_table_finds_nothing_and_takes_no_memory) {
  arena memory;
  keyed_table<std::uint32_t, int> table(memory);
  for (std::uint32_t k = 0; k < 1000; ++k) ASSERT_EQ(table.find(k), table.none);
  EXPECT_EQ(memory.growth_events(), 0u);
}

TEST(keyed_table, reserved_keys_cost_no_growth) {
  arena memory;
  keyed_table<std::uint32_t, std::uint64_t> table(memory);
  table.reserve(100000);
  const std::uint64_t events = memory.growth_events();
  bool inserted = false;
  for (std::uint32_t k = 0; k < 100000; ++k) table.find_or_insert(k, inserted);
  EXPECT_EQ(memory.growth_events(), events);
  EXPECT_FALSE(table.growing());
}

TEST(keyed_table, may_be_reserved_while_it_holds_keys_and_while_it_grows) {
  arena memory;
  keyed_table<std::uint32_t, std::uint64_t> table(memory);
  bool inserted = false;
  std::uint32_t k = 0;
  while (k < 500 || !table.growing()) table.find_or_insert(k++, inserted);
  table.reserve(20000);
  const std::uint64_t events = memory.growth_events();
  for (std::uint32_t n = k; n < 20000; ++n) table.find_or_insert(n, inserted);
  EXPECT_EQ(memory.growth_events(), events);
  for (std::uint32_t n = 0; n < 20000; ++n) ASSERT_EQ(table.find(n), n);
}

TEST(keyed_table, hits_alone_finish_a_growth) {
  arena memory;
  keyed_table<std::uint32_t, int> table(memory);
  bool inserted = false;
  std::uint32_t keys = 0;
  while (keys < 5000 || !table.growing()) table.find_or_insert(keys++, inserted);
  for (int n = 0; n < 520; ++n) table.find_or_insert(keys++, inserted);  // the larger array is cleared, slots begin to move
  ASSERT_TRUE(table.growing());
  for (std::uint32_t n = 0; n < 20000 && table.growing(); ++n) table.find_or_insert(n % keys, inserted);
  EXPECT_FALSE(table.growing());
}

TEST(keyed_table, keys_that_come_and_go_take_no_more_memory) {
  arena memory;
  keyed_table<text_ref, std::uint64_t> table(memory);
  std::uint64_t events = 0;
  for (std::uint32_t n = 0; n < 100000; ++n) {
    bool inserted = false;
    table.find_or_insert("a key that is longer than what fits in place " + std::to_string(n), inserted);
    ASSERT_TRUE(inserted);
    if (n >= 500) table.erase(table.find("a key that is longer than what fits in place " + std::to_string(n - 500)));
    if (n == 2000) events = memory.growth_events();
  }
  EXPECT_EQ(memory.growth_events(), events);
  EXPECT_EQ(table.size(), 500u);
}

TEST(keyed_table, a_text_key_outlives_the_text_it_came_from) {
  arena memory;
  keyed_table<text_ref, int> table(memory);
  bool inserted = false;
  std::uint32_t i = 0;
  {
    std::string text = "sensor_1";
    i = table.find_or_insert(text, inserted);
    text = "overwrit";
  }
  EXPECT_EQ(table.key(i), text_ref("sensor_1"));
  EXPECT_EQ(table.find("sensor_1"), i);
  EXPECT_EQ(table.find(std::string_view{}), table.none);
  const std::uint32_t empty = table.find_or_insert(std::string_view{}, inserted);
  EXPECT_TRUE(inserted);
  EXPECT_EQ(table.find(""), empty);
}

struct composite {
  std::uint32_t a = 0;
  fixed_string<12> b;
  bool operator==(const composite&) const = default;
  friend std::uint64_t hash_value(const composite& c) { return hash_all(c.a, c.b); }
};

TEST(keyed_table, takes_aggregates_as_keys_and_destroys_entries_at_erase) {
  arena memory;
  auto shared = std::make_shared<int>(0);
  {
    keyed_table<composite, std::shared_ptr<int>> table(memory);
    for (std::uint32_t n = 0; n < 1000; ++n) {
      bool inserted = false;
      table.entry(table.find_or_insert(composite{n, "x"}, inserted)) = shared;
    }
    table.erase(table.find(composite{5, "x"}));
    EXPECT_EQ(table.find(composite{5, "x"}), table.none);
    EXPECT_EQ(shared.use_count(), 1000);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(keyed_table, the_visitor_may_erase_what_it_visits) {
  arena memory;
  keyed_table<std::uint32_t, int> table(memory);
  bool inserted = false;
  for (std::uint32_t n = 0; n < 3000; ++n) table.find_or_insert(n, inserted);
  table.for_each([&](std::uint32_t i) {
    if (table.key(i) % 2 == 0) table.erase(i);
  });
  EXPECT_EQ(table.size(), 1500u);
  for (std::uint32_t n = 0; n < 3000; ++n) ASSERT_EQ(table.find(n) != table.none, n % 2 == 1);
}

TEST(keyed_table, equal_calls_give_equal_indices) {
  arena memory;
  keyed_table<std::uint32_t, int> one(memory);
  keyed_table<std::uint32_t, int> two(memory);
  std::mt19937 random(8);
  for (int n = 0; n < 20000; ++n) {
    bool inserted = false;
    const std::uint32_t k = static_cast<std::uint32_t>(random() % 3000);
    const std::uint32_t i = one.find_or_insert(k, inserted);
    ASSERT_EQ(two.find_or_insert(k, inserted), i);
    if (random() % 4 == 0) {
      one.erase(i);
      two.erase(i);
    }
  }
}

TEST(keyed_table, can_be_moved_with_everything_in_it) {
  arena memory;
  keyed_table<text_ref, int> table;
  table.open(memory);
  bool inserted = false;
  for (int n = 0; n < 2000; ++n) table.entry(table.find_or_insert(std::to_string(n) + " and some more text", inserted)) = n;
  keyed_table<text_ref, int> moved(std::move(table));
  for (int n = 0; n < 2000; ++n) ASSERT_EQ(moved.entry(moved.find(std::to_string(n) + " and some more text")), n);
  keyed_table<text_ref, int> third;
  third = std::move(moved);
  EXPECT_EQ(third.size(), 2000u);
}

}  // namespace
