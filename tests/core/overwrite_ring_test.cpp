#include "spillway/core/overwrite_ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using spillway::basic_overwrite_ring;
using spillway::overwrite_ring;

static_assert(std::is_trivially_copyable_v<overwrite_ring<int>::producer>);
static_assert(std::is_trivially_copyable_v<overwrite_ring<int>::consumer>);
static_assert(alignof(overwrite_ring<int>) == spillway::destructive_distance_bytes, "nothing else may share the ring's lines");
static_assert(sizeof(overwrite_ring<int>) % spillway::destructive_distance_bytes == 0);

template <class Ring>
void push_numbers(Ring& ring, int first, int count) {
  auto out = ring.open_producer(1);
  for (int i = first; i < first + count; ++i) out.push(i);
  ring.close(out);
}

template <class Ring>
std::vector<int> everything(Ring& ring) {
  std::vector<int> values;
  auto in = ring.open_consumer();
  for (int record = 0; in.try_pop(record);) values.push_back(record);
  ring.close(in);
  return values;
}

TEST(overwrite_ring, a_capacity_is_rounded_up_to_a_power_of_two_and_reported) {
  EXPECT_EQ(overwrite_ring<int>(0).capacity(), 1u);
  EXPECT_EQ(overwrite_ring<int>(1).capacity(), 1u);
  EXPECT_EQ(overwrite_ring<int>(3).capacity(), 4u);
  EXPECT_EQ(overwrite_ring<int>(10).capacity(), 16u);
  EXPECT_EQ(overwrite_ring<int>(1024).capacity(), 1024u);
}

TEST(overwrite_ring, a_capacity_that_does_not_fit_is_refused_and_not_wrapped) {
  constexpr std::size_t max = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(overwrite_ring<char>{max}, std::length_error);
  EXPECT_THROW(overwrite_ring<char>{max / 16 + 1}, std::length_error);
  EXPECT_THROW((basic_overwrite_ring<char, std::uint32_t>{std::size_t{1} << 32}), std::length_error);
}

TEST(overwrite_ring, a_capacity_above_an_eighth_of_the_counter_is_refused) {
  EXPECT_EQ((basic_overwrite_ring<int, std::uint8_t>(32).capacity()), 32u);
  EXPECT_THROW((basic_overwrite_ring<int, std::uint8_t>{33}), std::length_error);
}

TEST(overwrite_ring, every_slot_of_the_capacity_is_usable) {
  for (const std::size_t capacity : {1u, 2u, 3u, 1024u}) {
    overwrite_ring<int> ring(capacity);
    push_numbers(ring, 0, static_cast<int>(ring.capacity()));
    EXPECT_EQ(ring.left(), ring.capacity());
    const std::vector<int> values = everything(ring);
    ASSERT_EQ(values.size(), ring.capacity());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<int>(i));
    EXPECT_EQ(ring.lost(), 0u);
  }
}

TEST(overwrite_ring, a_push_into_a_full_ring_loses_the_oldest_and_nothing_else) {
  overwrite_ring<int> ring(4);
  push_numbers(ring, 0, 5);
  EXPECT_EQ(ring.pushed(), 5u);
  EXPECT_EQ(ring.lost(), 1u);
  EXPECT_EQ(ring.left(), 4u);
  auto in = ring.open_consumer();
  int record = 0;
  ASSERT_TRUE(in.try_pop(record)) << "a ring that was lapped is not empty";
  EXPECT_EQ(record, 2) << "three quarters of a ring behind the newest";
  EXPECT_EQ(in.lost(), 2u);
  ring.close(in);
  EXPECT_EQ(everything(ring), (std::vector{3, 4}));
}

TEST(overwrite_ring, a_lapped_reader_learns_exactly_how_many_it_missed) {
  for (const std::size_t asked : {1u, 2u, 3u, 64u, 1024u}) {
    for (const int extra : {1, 2, 3, 100, 5000}) {
      overwrite_ring<int> ring(asked);
      const int all = static_cast<int>(ring.capacity()) + extra;
      push_numbers(ring, 0, all);
      EXPECT_EQ(ring.lost() + ring.left(), static_cast<std::size_t>(all));
      const std::vector<int> values = everything(ring);
      const std::size_t kept = std::max<std::size_t>(1, ring.capacity() / 4 * 3);
      ASSERT_EQ(values.size(), kept);
      for (std::size_t i = 0; i < kept; ++i) EXPECT_EQ(values[i], all - static_cast<int>(kept - i));
      EXPECT_EQ(ring.lost(), static_cast<std::size_t>(all) - kept);
      EXPECT_EQ(ring.pushed(), ring.consumed() + ring.lost());
      EXPECT_EQ(ring.left(), 0u);
    }
  }
}

TEST(overwrite_ring, a_reader_of_one_or_two_slots_that_was_lapped_gets_the_newest) {
  for (const std::size_t capacity : {1u, 2u}) {
    overwrite_ring<int> ring(capacity);
    push_numbers(ring, 0, 10);
    EXPECT_EQ(everything(ring), (std::vector{9}));
  }
}

TEST(overwrite_ring, losses_of_several_laps_add_up_without_double_counting) {
  overwrite_ring<int> ring(8);
  std::uint64_t received = 0;
  for (int round = 0; round < 50; ++round) {
    push_numbers(ring, round * 20, 7 + round % 13);
    auto in = ring.open_consumer();
    int record = 0;
    for (int n = round % 5; n > 0 && in.try_pop(record); --n) ++received;
    EXPECT_EQ(in.position(), in.lost() + received);
    ring.close(in);
    EXPECT_EQ(ring.consumed(), received);
    EXPECT_EQ(ring.pushed(), ring.consumed() + ring.lost() + ring.left());
  }
}

TEST(overwrite_ring, zero_is_a_value_like_any_other) {
  overwrite_ring<std::uint64_t> ring(2);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  std::uint64_t record = 7;
  EXPECT_FALSE(in.try_pop(record));
  out.push(0);
  EXPECT_TRUE(in.try_pop(record));
  EXPECT_EQ(record, 0u);
  EXPECT_FALSE(in.try_pop(record));
  ring.close(out);
  ring.close(in);
}

TEST(overwrite_ring, a_producer_publishes_every_so_many_records_and_on_request) {
  overwrite_ring<int> ring(1024);
  auto out = ring.open_producer(5);
  for (std::uint64_t i = 1; i <= 52; ++i) {
    out.push(0);
    EXPECT_EQ(ring.pushed(), i / 5 * 5);
  }
  out.publish();
  EXPECT_EQ(ring.pushed(), 52u);
  out.push(0);
  ring.close(out);
  EXPECT_EQ(ring.pushed(), 53u) << "closing publishes";
}

TEST(overwrite_ring, records_beyond_a_quarter_of_the_ring_never_wait) {
  for (const std::size_t capacity : {1u, 2u, 4u, 64u}) {
    overwrite_ring<int> ring(capacity);
    auto out = ring.open_producer(1000);
    for (std::uint64_t i = 1; i <= 300; ++i) {
      out.push(0);
      EXPECT_LT(i - ring.pushed(), std::max<std::uint64_t>(1, capacity / 4));
    }
    ring.close(out);
  }
}

TEST(overwrite_ring, a_reader_lapped_by_records_that_are_not_published_finds_those_that_are) {
  overwrite_ring<int> ring(16);
  auto out = ring.open_producer(4);
  for (int i = 0; i < 16; ++i) out.push(i);
  auto in = ring.open_consumer();
  int record = 0;
  ASSERT_TRUE(in.try_pop(record));
  for (int i = 16; i < 19; ++i) out.push(i);
  EXPECT_EQ(ring.pushed(), 16u);
  ASSERT_TRUE(in.try_pop(record));
  EXPECT_EQ(record, 4) << "twelve behind the end of what is published";
  EXPECT_EQ(in.lost(), 3u);
  out.publish();
  while (in.try_pop(record)) {}
  EXPECT_EQ(record, 18);
  EXPECT_EQ(ring.pushed(), ring.consumed() + ring.lost());
  ring.close(out);
  ring.close(in);
}

TEST(overwrite_ring, positions_on_both_sides_name_the_same_record_even_behind_a_jump) {
  overwrite_ring<int> ring(4, 100);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  EXPECT_EQ(out.position(), 100u);
  EXPECT_EQ(in.position(), 100u);
  for (int i = 100; i < 110; ++i) out.push(i);
  EXPECT_EQ(out.position(), 110u);
  for (int record = 0; in.try_pop(record);) EXPECT_EQ(in.position(), static_cast<std::uint64_t>(record) + 1);
  EXPECT_EQ(in.position(), out.position());
  ring.close(out);
  ring.close(in);
}

TEST(overwrite_ring, counts_tell_what_is_lost_before_the_reader_finds_out) {
  overwrite_ring<int> ring(4);
  push_numbers(ring, 0, 11);
  EXPECT_EQ(ring.lost(), 7u);
  EXPECT_EQ(ring.left(), 4u);
  EXPECT_EQ(ring.consumed(), 0u);
  auto in = ring.open_consumer();
  EXPECT_EQ(in.lost(), 0u);
  ring.close(in);
}

TEST(overwrite_ring, a_closed_end_goes_on_where_it_was_with_its_counts) {
  overwrite_ring<int> ring(4, 3);
  push_numbers(ring, 0, 9);
  auto in = ring.open_consumer();
  int record = 0;
  ASSERT_TRUE(in.try_pop(record));
  const auto position = in.position();
  const auto lost = in.lost();
  ring.close(in);
  in = ring.open_consumer();
  EXPECT_EQ(in.position(), position);
  EXPECT_EQ(in.lost(), lost);
  ring.close(in);
  auto out = ring.open_producer();
  EXPECT_EQ(out.position(), 12u);
  ring.close(out);
  EXPECT_EQ(everything(ring), (std::vector{7, 8}));
}

TEST(overwrite_ring, a_cursor_may_travel_by_value_through_a_slow_path) {
  overwrite_ring<int> ring(4);
  auto out = ring.open_producer(1);
  out.push(1);
  out = [](overwrite_ring<int>::producer p) {
    p.push(2);
    return p;
  }(out);
  EXPECT_EQ(out.position(), 2u);
  ring.close(out);
  EXPECT_EQ(everything(ring), (std::vector{1, 2}));
}

TEST(overwrite_ring, a_ring_on_the_heap_shares_no_line_with_its_neighbours) {
  const auto ring = std::make_unique<overwrite_ring<char>>(1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(ring.get()) % spillway::destructive_distance_bytes, 0u);
}

TEST(overwrite_ring, small_records_share_lines_and_none_takes_more_than_it_needs) {
  EXPECT_EQ((overwrite_ring<char>(1024).memory_bytes()), 1024u * 16);
  EXPECT_EQ((overwrite_ring<std::uint64_t>(1024).memory_bytes()), 1024u * 16);
  EXPECT_EQ((overwrite_ring<std::array<char, 12>>(1024).memory_bytes()), 1024u * 32);
  EXPECT_EQ((overwrite_ring<std::array<char, 56>>(1024).memory_bytes()), 1024u * 64);
  EXPECT_EQ((overwrite_ring<std::array<char, 64>>(1024).memory_bytes()), 1024u * 72);
  EXPECT_EQ((overwrite_ring<std::array<char, 200>>(1024).memory_bytes()), 1024u * 208);
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
class overwrite_ring_of : public ::testing::Test {};
using record_types =
    ::testing::Types<sized<1>, sized<3>, sized<8>, sized<12>, sized<64>, sized<200>, sized<8, 8>, sized<64, 64>, sized<128, 128>>;
TYPED_TEST_SUITE(overwrite_ring_of, record_types);

TYPED_TEST(overwrite_ring_of, any_size_and_alignment_comes_out_byte_for_byte) {
  for (const std::size_t capacity : {1u, 2u, 3u, 64u}) {
    overwrite_ring<TypeParam> ring(capacity);
    auto out = ring.open_producer(1);
    auto in = ring.open_consumer();
    TypeParam record;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&record) % alignof(TypeParam), 0u);
    for (unsigned i = 0; i < 300; ++i) {
      out.push(TypeParam::of(i));
      if (i % 7 == 0) continue;
      while (in.try_pop(record)) {
        ASSERT_EQ(record.bytes, TypeParam::of(static_cast<unsigned>(in.position() - 1)).bytes);
      }
    }
    ring.close(out);
    ring.close(in);
  }
}

#if !defined(NDEBUG) && defined(GTEST_HAS_DEATH_TEST)
TEST(overwrite_ring_death_test, opening_an_end_twice_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        overwrite_ring<int> ring(1);
        auto in = ring.open_consumer();
        in = ring.open_consumer();
      },
      "already open");
}

TEST(overwrite_ring_death_test, using_a_closed_end_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        overwrite_ring<int> ring(1);
        auto in = ring.open_consumer();
        ring.close(in);
        int record = 0;
        in.try_pop(record);
      },
      "closed");
}

TEST(overwrite_ring_death_test, using_an_end_that_another_thread_opened_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        overwrite_ring<int> ring(1);
        auto out = ring.open_producer();
        std::thread([&] { out.publish(); }).join();
      },
      "another thread");
}

TEST(overwrite_ring_death_test, destroying_a_ring_with_an_open_end_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        overwrite_ring<int> ring(1);
        auto out = ring.open_producer();
        out.push(1);
      },
      "close both ends");
}
#endif

}  // namespace
