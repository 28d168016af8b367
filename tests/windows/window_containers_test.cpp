#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "spillway/windows/chunk_list.hpp"
#include "spillway/windows/due_heap.hpp"
#include "spillway/windows/window_elements.hpp"

namespace {

using spillway::arena;
using spillway::chunk_list;
using spillway::due_heap;

struct task {
  std::int64_t at = 0;
  std::uint32_t what = 0;
  bool before(const task& other) const { return at != other.at ? at < other.at : what < other.what; }
};

TEST(due_heap, what_comes_out_is_in_order_through_growth_and_shrinking) {
  arena memory;
  due_heap<task> heap;
  heap.open(memory);
  std::vector<task> kept;
  std::mt19937 random(7);
  const auto later = [](const task& a, const task& b) { return b.before(a); };
  for (int round = 0; round < 40000; ++round) {
    const bool grows = (round / 5000) % 2 == 0;
    if (kept.empty() || random() % 4 < (grows ? 3u : 1u)) {
      const task t{static_cast<std::int64_t>(random() % 1000), static_cast<std::uint32_t>(random())};
      heap.push(t);
      kept.push_back(t);
      std::push_heap(kept.begin(), kept.end(), later);
    } else {
      ASSERT_EQ(heap.top().at, kept.front().at);
      ASSERT_EQ(heap.top().what, kept.front().what);
      heap.pop();
      std::pop_heap(kept.begin(), kept.end(), later);
      kept.pop_back();
    }
    ASSERT_EQ(heap.size(), kept.size());
  }
}

TEST(due_heap, memory_that_was_given_back_is_used_again) {
  arena memory;
  due_heap<task> heap;
  heap.open(memory);
  std::uint64_t growth = 0;
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < 20000; ++i) heap.push({i % 77, i});
    while (!heap.empty()) heap.pop();
    if (round == 0) growth = memory.growth_events();
  }
  EXPECT_EQ(memory.growth_events(), growth);
}

TEST(chunk_list, elements_come_back_in_order_and_a_cursor_survives_growth) {
  arena memory;
  chunk_list<std::uint32_t> list;
  EXPECT_TRUE(list.begin().at_end());
  list.append(memory, 0u);
  auto early = list.begin();
  for (std::uint32_t i = 1; i < 10000; ++i) list.append(memory, i);
  for (std::uint32_t i = 0; i < 10000; ++i, early.advance()) ASSERT_EQ(early.element(), i);
  EXPECT_TRUE(early.at_end());
  list.clear(memory);
  EXPECT_TRUE(list.empty());
}

TEST(chunk_list, elements_with_destructors_are_destroyed_and_lists_can_be_joined) {
  arena memory;
  auto watched = std::make_shared<int>(1);
  chunk_list<std::shared_ptr<int>> a;
  chunk_list<std::shared_ptr<int>> b;
  for (int i = 0; i < 100; ++i) a.append(memory, watched);
  for (int i = 0; i < 50; ++i) b.append(memory, watched);
  a.take_all(b);
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(watched.use_count(), 151);
  int n = 0;
  for (auto c = a.begin(); !c.at_end(); c.advance()) ++n;
  EXPECT_EQ(n, 150);
  a.clear(memory);
  EXPECT_EQ(watched.use_count(), 1);
}

TEST(chunk_list, over_aligned_and_large_elements_fit) {
  struct alignas(64) wide {
    std::uint64_t words[1024];
  };
  arena memory;
  chunk_list<wide> list;
  for (std::uint64_t i = 0; i < 5; ++i) {
    wide w{};
    w.words[1023] = i;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&list.append(memory, w)) % 64, 0u);
  }
  std::uint64_t i = 0;
  for (auto c = list.begin(); !c.at_end(); c.advance()) EXPECT_EQ(c.element().words[1023], i++);
  list.clear(memory);
}

TEST(window_elements, merging_keeps_the_order_of_arrival) {
  arena memory;
  spillway::element_list<int> a;
  spillway::element_list<int> b;
  for (int i = 0; i < 300; ++i)
    (i % 3 == 0 ? a : b).append(memory, int{i}, spillway::timestamp{i}, static_cast<std::uint64_t>(i));
  a.merge(memory, b);
  EXPECT_EQ(a.view().size(), 300u);
  EXPECT_EQ(b.view().size(), 0u);
  int n = 0;
  for (int value : a.view()) EXPECT_EQ(value, n++);
  a.clear(memory);
}

}  // namespace
