#include "spillway/core/counter.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <thread>

namespace {

using spillway::counter;

TEST(counter, it_starts_at_zero_and_adds) {
  counter c;
  EXPECT_EQ(c.get(), 0u);
  c.add();
  c.add(41);
  EXPECT_EQ(c.get(), 42u);
}

TEST(counter, a_set_replaces_the_value) {
  counter c;
  c.add(5);
  c.set(2);
  EXPECT_EQ(c.get(), 2u);
}

TEST(counter, it_wraps_at_64_bits) {
  counter c;
  c.set(std::numeric_limits<std::uint64_t>::max());
  c.add(2);
  EXPECT_EQ(c.get(), 1u);
}

TEST(counter, a_reader_in_another_thread_never_sees_it_fall) {
  counter c;
  std::thread writer([&] {
    for (int i = 0; i < 100000; ++i) c.add();
  });
  std::uint64_t last = 0;
  while (last < 100000) {
    const std::uint64_t now = c.get();
    ASSERT_GE(now, last);
    last = now;
  }
  writer.join();
}

}  // namespace
