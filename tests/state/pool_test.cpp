#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "spillway/state/pool.hpp"

namespace {

using namespace spillway;

struct pair_of_numbers {
  int a = 0;
  int b = 0;
  pair_of_numbers(int x, int y) : a(x), b(y) {}
};

TEST(pool, elements_keep_their_address_and_value_while_the_pool_grows) {
  arena memory;
  pool<std::uint64_t> p(memory);
  std::vector<std::uint64_t*> addresses;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const std::uint32_t index = p.create(i);
    ASSERT_EQ(index, i);
    addresses.push_back(&p[index]);
  }
  for (std::uint32_t i = 0; i < 100000; ++i) {
    ASSERT_EQ(&p[i], addresses[i]);
    ASSERT_EQ(p[i], i);
  }
}

TEST(pool, hands_out_destroyed_indices_last_in_first_out) {
  arena memory;
  pool<pair_of_numbers> p(memory);
  for (int i = 0; i < 4; ++i) p.create(i, i);
  p.destroy(1);
  p.destroy(3);
  EXPECT_EQ(p.create(7, 8), 3u);
  EXPECT_EQ(p.create(9, 9), 1u);
  EXPECT_EQ(p.create(9, 9), 4u);
  EXPECT_EQ(p[3].b, 8);
  EXPECT_EQ(p.size(), 5u);
}

TEST(pool, visits_exactly_the_live_elements_in_order_of_index) {
  arena memory;
  pool<std::uint32_t> p(memory);
  std::map<std::uint32_t, std::uint32_t> model;
  std::mt19937 random(4);
  for (std::uint32_t step = 0; step < 50000; ++step) {
    if (model.empty() || random() % 5 < 3) {
      model.emplace(p.create(step), step);
    } else {
      auto at = model.lower_bound(static_cast<std::uint32_t>(random() % (model.rbegin()->first + 1)));
      p.destroy(at->first);
      EXPECT_FALSE(p.alive(at->first));
      model.erase(at);
    }
  }
  auto expected = model.begin();
  p.for_each([&](std::uint32_t i) {
    ASSERT_NE(expected, model.end());
    ASSERT_EQ(i, expected->first);
    ASSERT_EQ(p[i], expected->second);
    ++expected;
  });
  EXPECT_EQ(expected, model.end());
  EXPECT_EQ(p.size(), model.size());
}

TEST(pool, the_visitor_may_destroy_any_element) {
  arena memory;
  pool<int> p(memory);
  for (int i = 0; i < 200; ++i) p.create(i);
  std::vector<std::uint32_t> visited;
  p.for_each([&](std::uint32_t i) {
    visited.push_back(i);
    p.destroy(i);
    if (i + 1 < 200) p.destroy(i + 1);
  });
  EXPECT_EQ(visited.size(), 100u);
  EXPECT_TRUE(p.empty());
}

TEST(pool, destroys_what_is_left_and_gives_its_memory_back) {
  arena memory;
  auto shared = std::make_shared<int>(1);
  {
    pool<std::shared_ptr<int>> p(memory);
    for (int i = 0; i < 3000; ++i) p.create(shared);
    for (std::uint32_t i = 0; i < 3000; i += 3) p.destroy(i);
    EXPECT_EQ(shared.use_count(), 2001);
  }
  EXPECT_EQ(shared.use_count(), 1);
  const std::uint64_t events = memory.growth_events();
  pool<std::shared_ptr<int>> again(memory);
  for (int i = 0; i < 3000; ++i) again.create(shared);
  EXPECT_EQ(memory.growth_events(), events);
}

TEST(pool, reserved_elements_cost_no_growth) {
  arena memory;
  pool<std::uint64_t> p(memory);
  p.reserve(100000);
  const std::uint64_t events = memory.growth_events();
  for (std::uint64_t i = 0; i < 100000; ++i) p.create(i);
  EXPECT_EQ(memory.growth_events(), events);
}

struct throws_at_seven {
  std::uint64_t value;
  explicit throws_at_seven(std::uint64_t v) : value(v) {
    if (v == 7) throw std::runtime_error("seven");
  }
};

TEST(pool, a_throwing_constructor_leaves_the_pool_unchanged) {
  arena memory;
  pool<throws_at_seven> p(memory);
  EXPECT_THROW(p.create(7u), std::runtime_error);
  EXPECT_EQ(p.create(1u), 0u);
  EXPECT_EQ(p.create(2u), 1u);
  p.destroy(0);
  p.destroy(1);
  EXPECT_THROW(p.create(7u), std::runtime_error);
  EXPECT_EQ(p.size(), 0u);
  EXPECT_EQ(p.create(3u), 1u);
  EXPECT_EQ(p.create(4u), 0u);
}

struct alignas(128) over_aligned {
  char bytes[200] = {};
};
struct large {
  char bytes[5000] = {};
};

TEST(pool, takes_elements_of_any_size_and_alignment) {
  arena memory;
  pool<over_aligned> aligned(memory);
  pool<large> big(memory);
  pool<char> small(memory);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(&aligned[aligned.create()]) % 128, 0u);
    big.create();
    small.create('x');
  }
  small.destroy(500);
  EXPECT_EQ(small[999], 'x');
  EXPECT_EQ(small.create('y'), 500u);
}

TEST(pool, can_be_moved_with_everything_in_it) {
  arena memory;
  pool<int> p;
  p.open(memory);
  p.create(5);
  pool<int> other(std::move(p));
  EXPECT_EQ(other[0], 5);
  pool<int> third;
  third = std::move(other);
  EXPECT_EQ(third[0], 5);
  EXPECT_EQ(third.size(), 1u);
}

}  // namespace
