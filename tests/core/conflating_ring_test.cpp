#include "spillway/core/conflating_ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using spillway::conflating_ring;

static_assert(std::is_trivially_copyable_v<conflating_ring<int>::producer>);
static_assert(std::is_trivially_copyable_v<conflating_ring<int>::consumer>);
static_assert(alignof(conflating_ring<int>) == spillway::destructive_distance_bytes, "nothing else may share the ring's lines");

struct quote {
  std::uint32_t cell;
  int price;
  friend bool operator==(const quote&, const quote&) = default;
};

template <class Consumer>
std::vector<quote> everything(Consumer& in) {
  std::vector<quote> values;
  for (quote q{}; in.try_pop(q);) values.push_back(q);
  return values;
}

TEST(conflating_ring, cells_are_as_many_as_asked_for) {
  EXPECT_EQ(conflating_ring<int>(0).cells_count(), 0u);
  EXPECT_EQ(conflating_ring<int>(3).cells_count(), 3u);
  EXPECT_EQ(conflating_ring<int>(1000).cells_count(), 1000u);
}

TEST(conflating_ring, cells_that_do_not_fit_are_refused_and_not_wrapped) {
  constexpr std::size_t max = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(conflating_ring<int>{max}, std::length_error);
  EXPECT_THROW(conflating_ring<int>{max / sizeof(int)}, std::length_error);
  EXPECT_THROW(conflating_ring<int>{(std::size_t{1} << 32) + 1}, std::length_error);
}

TEST(conflating_ring, the_newest_value_of_each_cell_comes_once_in_the_order_of_first_change) {
  conflating_ring<quote> ring(4);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  for (const quote q : {quote{2, 1}, {0, 2}, {2, 3}, {3, 4}, {0, 5}, {2, 6}}) out.update(q.cell, q);
  out.publish();
  EXPECT_EQ(everything(in), (std::vector<quote>{{2, 6}, {0, 5}, {3, 4}}));
  EXPECT_TRUE(everything(in).empty());
  out.update(0, {0, 7});
  out.publish();
  EXPECT_EQ(everything(in), (std::vector<quote>{{0, 7}}));
  EXPECT_EQ(ring.pushed(), 7u);
  EXPECT_EQ(ring.consumed(), 4u);
  EXPECT_EQ(ring.conflated(), 3u);
  EXPECT_EQ(in.conflated(), 3u);
  EXPECT_EQ(ring.left(), 0u);
  ring.close(out);
  ring.close(in);
}

TEST(conflating_ring, an_update_never_fails_however_many_there_are) {
  for (const std::size_t cells : {1u, 2u, 3u, 5u, 64u}) {
    conflating_ring<quote> ring(cells);
    auto out = ring.open_producer();
    for (int i = 0; i < 1000; ++i) {
      for (std::uint32_t c = 0; c < cells; ++c) out.update(c, {c, i});
    }
    EXPECT_EQ(out.position(), cells) << "a cell is in the list at most once";
    ring.close(out);
    EXPECT_EQ(ring.left(), 1000 * cells);
    auto in = ring.open_consumer();
    EXPECT_EQ(everything(in).size(), cells);
    EXPECT_EQ(in.position(), cells);
    ring.close(in);
    EXPECT_EQ(ring.conflated(), 999 * cells);
    EXPECT_EQ(ring.left(), 0u);
  }
}

TEST(conflating_ring, cells_wait_for_a_publish_and_closing_publishes) {
  conflating_ring<quote> ring(1024);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  out.update(7, {7, 1});
  EXPECT_TRUE(everything(in).empty());
  out.update(7, {7, 2});
  out.publish();
  EXPECT_EQ(everything(in), (std::vector<quote>{{7, 2}}));
  out.update(8, {8, 3});
  ring.close(out);
  EXPECT_EQ(everything(in), (std::vector<quote>{{8, 3}}));
  ring.close(in);
}

TEST(conflating_ring, a_reader_that_pauses_half_way_gets_the_rest_and_what_changed_since) {
  conflating_ring<quote> ring(3);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  for (std::uint32_t c = 0; c < 3; ++c) out.update(c, {c, 1});
  out.publish();
  quote q{};
  ASSERT_TRUE(in.try_pop(q));
  EXPECT_EQ(q, (quote{0, 1}));
  out.update(0, {0, 2});
  out.update(1, {1, 2});
  out.publish();
  EXPECT_EQ(everything(in), (std::vector<quote>{{1, 2}, {2, 1}, {0, 2}}));
  ring.close(out);
  ring.close(in);
}

TEST(conflating_ring, positions_count_entries_of_the_list_on_both_sides) {
  conflating_ring<quote> ring(2, 100);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  EXPECT_EQ(out.position(), 100u);
  EXPECT_EQ(in.position(), 100u);
  out.update(1, {1, 1});
  out.update(1, {1, 2});
  EXPECT_EQ(out.position(), 101u);
  out.update(0, {0, 3});
  out.publish();
  EXPECT_EQ(out.position(), 102u);
  quote q{};
  ASSERT_TRUE(in.try_pop(q));
  EXPECT_EQ(in.position(), 101u);
  EXPECT_EQ(everything(in).size(), 1u);
  EXPECT_EQ(in.position(), out.position());
  ring.close(out);
  ring.close(in);
}

TEST(conflating_ring, a_closed_end_goes_on_where_it_was_with_its_counts) {
  conflating_ring<quote> ring(2);
  for (int i = 1; i <= 20; ++i) {
    auto out = ring.open_producer();
    out.update(0, {0, i});
    out.update(1, {1, i});
    ring.close(out);
    EXPECT_EQ(ring.pushed(), 2 * static_cast<std::uint64_t>(i));
    auto in = ring.open_consumer();
    quote q{};
    ASSERT_TRUE(in.try_pop(q));
    EXPECT_EQ(q.price, i);
    ring.close(in);
    EXPECT_EQ(ring.consumed(), static_cast<std::uint64_t>(i));
    EXPECT_EQ(ring.pushed(), ring.consumed() + ring.conflated() + ring.left());
  }
}

template <std::size_t Bytes, std::size_t Alignment = 1>
struct sized {
  alignas(Alignment) std::array<unsigned char, Bytes> bytes;
  static sized of(unsigned seed) {
    sized result;
    for (std::size_t i = 0; i < Bytes; ++i) result.bytes[i] = static_cast<unsigned char>(seed * 31 + i);
    return result;
  }
};

template <class T>
class conflating_ring_of : public ::testing::Test {};
using record_types =
    ::testing::Types<sized<1>, sized<3>, sized<8>, sized<12>, sized<64>, sized<200>, sized<64, 64>, sized<128, 128>>;
TYPED_TEST_SUITE(conflating_ring_of, record_types);

TYPED_TEST(conflating_ring_of, any_size_and_alignment_comes_out_byte_for_byte) {
  conflating_ring<TypeParam> ring(3);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  for (unsigned i = 0; i < 200; ++i) {
    out.update(i % 3, TypeParam::of(i));
    out.publish();
    TypeParam record;
    ASSERT_TRUE(in.try_pop(record));
    ASSERT_EQ(record.bytes, TypeParam::of(i).bytes);
  }
  ring.close(out);
  ring.close(in);
}

TEST(conflating_ring, random_updates_and_pops_are_as_a_model_says_across_the_end_of_the_lists_counter) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const std::size_t cells = 1 + pick(9);
    conflating_ring<quote> ring(cells, std::uint64_t(-50));
    auto out = ring.open_producer();
    auto in = ring.open_consumer();
    std::deque<std::uint32_t> order;
    std::vector<std::pair<bool, int>> newest(cells);
    std::uint64_t pushed = 0;
    std::uint64_t consumed = 0;
    for (int i = 0; i < 3000; ++i) {
      for (std::size_t n = pick(2 * cells); n > 0; --n) {
        const auto c = static_cast<std::uint32_t>(pick(cells));
        out.update(c, {c, i});
        if (!newest[c].first) order.push_back(c);
        newest[c] = {true, i};
        ++pushed;
      }
      out.publish();
      for (std::size_t n = pick(cells + 2); n > 0; --n) {
        quote q{};
        ASSERT_EQ(in.try_pop(q), !order.empty()) << "seed " << seed;
        if (order.empty()) break;
        ASSERT_EQ(q, (quote{order.front(), newest[order.front()].second})) << "seed " << seed;
        newest[order.front()].first = false;
        order.pop_front();
        ++consumed;
      }
      ASSERT_EQ(ring.pushed(), pushed);
      ASSERT_EQ(ring.consumed(), consumed);
      ASSERT_EQ(ring.pushed(), ring.consumed() + ring.conflated() + ring.left()) << "seed " << seed;
    }
    ring.close(out);
    ring.close(in);
  }
}

#if !defined(NDEBUG) && defined(GTEST_HAS_DEATH_TEST)
TEST(conflating_ring_death_test, opening_an_end_twice_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        conflating_ring<int> ring(1);
        auto out = ring.open_producer();
        out = ring.open_producer();
      },
      "already open");
}

TEST(conflating_ring_death_test, using_a_closed_end_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        conflating_ring<int> ring(1);
        auto out = ring.open_producer();
        ring.close(out);
        out.update(0, 1);
      },
      "closed");
}

TEST(conflating_ring_death_test, a_cell_that_the_ring_does_not_have_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        conflating_ring<int> ring(2);
        auto out = ring.open_producer();
        out.update(2, 1);
      },
      "a cell that the ring has");
}
#endif

}  // namespace
