// The backlog: items in order in memory that is used again.
#include "spillway/runtime/backlog.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <random>
#include <string>

namespace {

using spillway::arena;
using spillway::backlog;

void append_number(backlog& b, std::uint64_t n, backlog::kind what = backlog::kind::record) {
  std::memcpy(b.append(sizeof n, alignof(std::uint64_t), what), &n, sizeof n);
}
std::uint64_t front_number(const backlog& b) {
  std::uint64_t n = 0;
  std::memcpy(&n, b.front().payload, sizeof n);
  return n;
}

TEST(backlog, records_and_markers_come_out_in_one_order) {
  arena memory;
  backlog b(memory);
  EXPECT_TRUE(b.empty());
  append_number(b, 1);
  append_number(b, 2, backlog::kind::marker);
  append_number(b, 3);
  EXPECT_EQ(b.records(), 2u);
  EXPECT_EQ(b.bytes(), 16u);
  EXPECT_EQ(b.front().what, backlog::kind::record);
  EXPECT_EQ(front_number(b), 1u);
  b.pop();
  EXPECT_EQ(b.front().what, backlog::kind::marker);
  EXPECT_EQ(front_number(b), 2u);
  b.pop();
  EXPECT_EQ(front_number(b), 3u);
  b.pop();
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(b.records(), 0u);
  EXPECT_EQ(b.bytes(), 0u);
}

TEST(backlog, memory_that_was_set_aside_serves_the_first_overflow) {
  arena memory;
  backlog b(memory);
  b.set_aside(48 << 10);
  const auto before = memory.growth_events();
  EXPECT_GT(before, 0u);
  for (std::uint64_t i = 0; i < 1000; ++i) append_number(b, i);
  EXPECT_EQ(memory.growth_events(), before);
}

TEST(backlog, steady_use_takes_no_more_memory) {
  arena memory;
  backlog b(memory);
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  const auto round = [&] {
    for (int i = 0; i < 5000; ++i) append_number(b, pushed++);
    for (int i = 0; i < 5000; ++i) {
      ASSERT_EQ(front_number(b), popped++);
      b.pop();
    }
  };
  round();
  const auto grown = memory.growth_events();
  for (int i = 0; i < 200; ++i) round();
  EXPECT_EQ(memory.growth_events(), grown);
}

TEST(backlog, a_backlog_that_is_never_quite_empty_takes_no_more_memory_either) {
  arena memory;
  backlog b(memory);
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  for (int i = 0; i < 20000; ++i) append_number(b, pushed++);
  const auto grown = memory.growth_events();
  for (int i = 0; i < 500'000; ++i) {
    append_number(b, pushed++);
    ASSERT_EQ(front_number(b), popped++);
    b.pop();
  }
  EXPECT_LE(memory.growth_events(), grown + 1);
}

TEST(backlog, every_item_is_aligned_and_large_ones_fit) {
  arena memory;
  backlog b(memory);
  struct item {
    std::size_t bytes;
    unsigned char fill;
  };
  std::deque<item> model;
  std::mt19937 random(5);
  for (int step = 0; step < 4000; ++step) {
    if (model.empty() || random() % 5 < 3) {
      const std::size_t align = std::size_t{1} << (random() % 8);
      const std::size_t bytes = step % 100 == 0 ? 200'000 : 1 + random() % 3000;
      const auto fill = static_cast<unsigned char>(random());
      std::byte* payload = b.append(bytes, align, backlog::kind::record);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(payload) % align, 0u);
      std::memset(payload, fill, bytes);
      model.push_back({bytes, fill});
    } else {
      const auto* payload = reinterpret_cast<const unsigned char*>(b.front().payload);
      for (std::size_t i = 0; i < model.front().bytes; ++i) ASSERT_EQ(payload[i], model.front().fill);
      model.pop_front();
      b.pop();
    }
    ASSERT_EQ(b.records(), model.size());
  }
}

}  // namespace
