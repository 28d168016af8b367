#include "spillway/core/spsc_ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using spillway::spsc_ring;

static_assert(std::is_trivially_copyable_v<spsc_ring<std::string>::producer>);
static_assert(std::is_trivially_copyable_v<spsc_ring<std::string>::consumer>);
static_assert(alignof(spsc_ring<int>) == spillway::destructive_distance_bytes, "nothing else may share the ring's lines");

/// Counts its living instances.
struct counted {
  static inline int alive = 0;
  int value;
  explicit counted(int v) : value(v) { ++alive; }
  counted(counted&& other) noexcept : value(other.value) { ++alive; }
  counted& operator=(counted&& other) noexcept = default;
  ~counted() { --alive; }
};

template <class Ring>
std::vector<int> everything(Ring& ring) {
  std::vector<int> values;
  auto in = ring.open_consumer();
  in.drain(ring.capacity(), [&](auto& record) { values.push_back(record); });
  ring.close(in);
  return values;
}

TEST(spsc_ring, a_capacity_is_rounded_up_to_a_power_of_two_and_reported) {
  EXPECT_EQ(spsc_ring<int>(10).capacity(), 16u);
  EXPECT_EQ(spsc_ring<int>(16).capacity(), 16u);
  EXPECT_EQ(spsc_ring<int>(1).capacity(), 1u);
  EXPECT_EQ(spsc_ring<int>(3).capacity(), 4u);
}

TEST(spsc_ring, no_capacity_becomes_one) { EXPECT_EQ(spsc_ring<int>(0).capacity(), 1u); }

TEST(spsc_ring, a_capacity_that_does_not_fit_is_refused_and_not_wrapped) {
  constexpr std::size_t max = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(spsc_ring<char>{max}, std::length_error);
  EXPECT_THROW(spsc_ring<char>{max / 2 + 2}, std::length_error);
  EXPECT_THROW(spsc_ring<std::uint64_t>{max / 8}, std::length_error);
  EXPECT_THROW((spsc_ring<std::uint64_t, std::uint32_t>{std::size_t{1} << 32}), std::length_error);
}

TEST(spsc_ring, a_capacity_above_half_of_the_counter_is_refused) {
  EXPECT_EQ((spsc_ring<int, std::uint8_t>(128).capacity()), 128u);
  EXPECT_THROW((spsc_ring<int, std::uint8_t>{129}), std::length_error);
}

TEST(spsc_ring, every_slot_of_the_capacity_is_usable) {
  for (const std::size_t capacity : {1u, 2u, 4u, 1024u}) {
    spsc_ring<int> ring(capacity);
    auto out = ring.open_producer();
    for (std::size_t i = 0; i < capacity; ++i) EXPECT_TRUE(out.try_emplace(static_cast<int>(i)));
    EXPECT_FALSE(out.try_emplace(-1));
    ring.close(out);
    EXPECT_EQ(ring.size_estimate(), capacity);
  }
}

TEST(spsc_ring, a_full_ring_refuses_and_stays_unchanged) {
  spsc_ring<int> ring(2);
  auto out = ring.open_producer();
  EXPECT_TRUE(out.try_emplace(1));
  EXPECT_TRUE(out.try_emplace(2));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(out.try_emplace(3));
  EXPECT_EQ(out.position(), 2u);
  ring.close(out);
  EXPECT_EQ(everything(ring), (std::vector{1, 2}));
}

TEST(spsc_ring, zero_and_null_are_values_like_any_other) {
  spsc_ring<int*> ring(4);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  EXPECT_TRUE(out.try_emplace(nullptr));
  int other = 0;
  int* record = &other;
  EXPECT_TRUE(in.try_pop(record));
  EXPECT_EQ(record, nullptr);
  EXPECT_FALSE(in.try_pop(record));
  ring.close(out);
  ring.close(in);
}

TEST(spsc_ring, records_wait_for_a_publish) {
  spsc_ring<int> ring(1024);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  EXPECT_TRUE(out.try_emplace(1));
  EXPECT_EQ(in.refresh(), 0u);
  EXPECT_EQ(ring.pushed(), 0u);
  out.publish();
  EXPECT_EQ(in.refresh(), 1u);
  EXPECT_EQ(ring.pushed(), 1u);
  ring.close(out);
  ring.close(in);
}

TEST(spsc_ring, a_producer_publishes_every_so_many_records) {
  for (const std::size_t every : {std::size_t{1}, std::size_t{5}, spillway::default_publish_every}) {
    spsc_ring<int> ring(1024);
    auto out = ring.open_producer(every == spillway::default_publish_every ? 0 : every);
    for (std::size_t i = 1; i <= 200; ++i) {
      EXPECT_TRUE(out.try_emplace(0));
      EXPECT_EQ(ring.pushed(), i / every * every);
    }
    ring.close(out);
    EXPECT_EQ(ring.pushed(), 200u);
  }
}

TEST(spsc_ring, a_small_ring_publishes_at_least_per_quarter) {
  spsc_ring<int> ring(16);
  auto out = ring.open_producer();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(out.try_emplace(i));
  EXPECT_EQ(ring.pushed(), 4u);
  ring.close(out);
}

TEST(spsc_ring, a_commit_counts_its_records_towards_the_next_publish) {
  spsc_ring<int> ring(1024);
  auto out = ring.open_producer(32);
  const auto append = [&](std::size_t n) {
    const auto room = out.claim(n);
    for (int& slot : room) slot = 0;
    out.commit(room.size());
  };
  append(31);
  EXPECT_EQ(ring.pushed(), 0u);
  append(5);
  EXPECT_EQ(ring.pushed(), 36u);
  for (int i = 0; i < 32; ++i) EXPECT_TRUE(out.try_emplace(i));
  EXPECT_EQ(ring.pushed(), 68u);
  ring.close(out);
}

TEST(spsc_ring, a_producer_that_finds_the_ring_full_publishes_first) {
  spsc_ring<int> ring(4);
  auto out = ring.open_producer(4);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(out.try_emplace(i));
  EXPECT_EQ(ring.pushed(), 0u);
  EXPECT_EQ(out.refresh(), 1u);
  EXPECT_EQ(ring.pushed(), 3u);
  ring.close(out);
}

TEST(spsc_ring, a_cached_push_never_looks_at_the_consumers_index) {
  spsc_ring<int> ring(2);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  EXPECT_TRUE(out.try_emplace_cached(1));
  EXPECT_TRUE(out.try_emplace_cached(2));
  EXPECT_EQ(in.drain(2, [](int&) {}), 2u);
  EXPECT_FALSE(out.try_emplace_cached(3));
  EXPECT_EQ(out.refresh(), 2u);
  EXPECT_TRUE(out.try_emplace_cached(3));
  ring.close(out);
  ring.close(in);
}

TEST(spsc_ring, a_forbidden_cached_push_fails_until_the_next_refresh) {
  spsc_ring<int> ring(8);
  auto out = ring.open_producer();
  EXPECT_TRUE(out.try_emplace_cached(1));
  out.forbid();
  EXPECT_FALSE(out.try_emplace_cached(2));
  EXPECT_EQ(out.refresh(), 7u);
  EXPECT_TRUE(out.try_emplace_cached(2));
  ring.close(out);
  EXPECT_EQ(everything(ring), (std::vector{1, 2}));
}

TEST(spsc_ring, a_claim_ends_at_the_end_of_the_ring_and_goes_on_at_its_start) {
  spsc_ring<int> ring(8, 6);
  auto out = ring.open_producer();
  auto room = out.claim(5);
  ASSERT_EQ(room.size(), 2u);
  room[0] = 1;
  room[1] = 2;
  out.commit(2);
  room = out.claim(100);
  ASSERT_EQ(room.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) room[i] = static_cast<int>(i) + 3;
  out.commit(6);
  EXPECT_TRUE(out.claim(1).empty());
  ring.close(out);
  EXPECT_EQ(everything(ring), (std::vector{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(spsc_ring, a_claim_may_be_committed_in_part_or_not_at_all) {
  spsc_ring<int> ring(8);
  auto out = ring.open_producer();
  auto room = out.claim(4);
  room[0] = 1;
  out.commit(1);
  EXPECT_EQ(out.claim(4).size(), 4u);
  out.commit(0);
  EXPECT_TRUE(out.try_emplace(2));
  ring.close(out);
  EXPECT_EQ(everything(ring), (std::vector{1, 2}));
}

TEST(spsc_ring, a_claim_looks_for_room_when_it_knows_of_too_little) {
  spsc_ring<int> ring(4);
  auto out = ring.open_producer(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(out.try_emplace(i));
  EXPECT_EQ(everything(ring).size(), 3u);
  EXPECT_EQ(out.claim(3).size(), 1u);
  ring.close(out);
}

TEST(spsc_ring, a_drained_consumer_has_released_everything) {
  for (const std::size_t capacity : {1u, 2u, 4u, 64u}) {
    spsc_ring<int> ring(capacity);
    auto out = ring.open_producer(1);
    auto in = ring.open_consumer();
    for (int round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < capacity; ++i) ASSERT_TRUE(out.try_emplace(0));
      int record = 0;
      while (in.try_pop(record)) {}
      EXPECT_EQ(ring.size_estimate(), 0u);
      EXPECT_EQ(out.refresh(), capacity) << "an empty ring offers all of its capacity";
    }
    ring.close(out);
    ring.close(in);
  }
}

TEST(spsc_ring, a_consumer_releases_per_quarter_and_on_request) {
  spsc_ring<int> ring(16);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(out.try_emplace(i));
  ASSERT_EQ(in.refresh(), 16u);
  for (int i = 0; i < 3; ++i) in.pop();
  EXPECT_EQ(ring.consumed(), 0u);
  in.pop();
  EXPECT_EQ(ring.consumed(), 4u);
  in.pop();
  EXPECT_EQ(ring.consumed(), 4u);
  in.release();
  EXPECT_EQ(ring.consumed(), 5u);
  ring.close(out);
  ring.close(in);
}

TEST(spsc_ring, capacities_below_four_release_every_record) {
  for (const std::size_t capacity : {1u, 2u, 3u}) {
    spsc_ring<int> ring(capacity);
    auto out = ring.open_producer(1);
    auto in = ring.open_consumer();
    while (out.try_emplace(0)) {}
    in.refresh();
    in.pop();
    EXPECT_EQ(out.refresh(), 1u);
    ring.close(out);
    ring.close(in);
  }
}

TEST(spsc_ring, a_record_is_read_in_place_before_its_slot_is_free) {
  spsc_ring<std::string> ring(1);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  ASSERT_TRUE(out.try_emplace("a text that is longer than a small string"));
  ASSERT_EQ(in.refresh(), 1u);
  EXPECT_EQ(in.front(), "a text that is longer than a small string");
  EXPECT_FALSE(out.try_emplace("too early"));
  in.pop();
  EXPECT_TRUE(out.try_emplace("now"));
  ring.close(out);
  ring.close(in);
}

TEST(spsc_ring, a_drain_takes_at_most_what_it_was_asked_for) {
  spsc_ring<int> ring(8, 5);
  auto out = ring.open_producer(1);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(out.try_emplace(i));
  auto in = ring.open_consumer();
  std::vector<int> seen;
  const auto keep = [&](int& record) { seen.push_back(record); };
  EXPECT_EQ(in.drain(0, keep), 0u);
  EXPECT_EQ(in.drain(5, keep), 5u);
  EXPECT_EQ(ring.consumed(), 5u);
  EXPECT_EQ(in.drain(100, keep), 3u);
  EXPECT_EQ(in.drain(100, keep), 0u);
  EXPECT_EQ(seen, (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
  ring.close(out);
  ring.close(in);
}

TEST(spsc_ring, a_drain_callback_that_answers_false_ends_the_drain_behind_its_record) {
  spsc_ring<int> ring(8);
  auto out = ring.open_producer(1);
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(out.try_emplace(i));
  auto in = ring.open_consumer();
  EXPECT_EQ(in.drain(8, [](int& record) { return record != 2; }), 3u);
  EXPECT_EQ(ring.consumed(), 3u);
  EXPECT_EQ(in.front(), 3);
  ring.close(out);
  ring.close(in);
}

TEST(spsc_ring, a_drain_callback_that_throws_has_consumed_its_record_once) {
  counted::alive = 0;
  {
    spsc_ring<counted> ring(8, 5);
    auto out = ring.open_producer(1);
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(out.try_emplace(i));
    auto in = ring.open_consumer();
    EXPECT_THROW(in.drain(8,
                          [](counted& record) {
                            if (record.value == 3) throw std::runtime_error("no");
                          }),
                 std::runtime_error);
    EXPECT_EQ(counted::alive, 2);
    EXPECT_EQ(ring.consumed(), 4u);
    EXPECT_EQ(in.readable(), 2u);
    EXPECT_EQ(in.front().value, 4);
    EXPECT_EQ(out.refresh(), 6u);
    ring.close(out);
    ring.close(in);
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST(spsc_ring, a_constructor_that_throws_leaves_the_ring_unchanged) {
  struct picky {
    int value;
    explicit picky(int v) : value(v) {
      if (v < 0) throw std::invalid_argument("negative");
    }
  };
  spsc_ring<picky> ring(2);
  auto out = ring.open_producer(1);
  EXPECT_TRUE(out.try_emplace(1));
  EXPECT_THROW(out.try_emplace(-1), std::invalid_argument);
  EXPECT_THROW(out.try_emplace_cached(-1), std::invalid_argument);
  EXPECT_EQ(out.position(), 1u);
  EXPECT_EQ(ring.pushed(), 1u);
  EXPECT_TRUE(out.try_emplace(2));
  EXPECT_FALSE(out.try_emplace(3));
  ring.close(out);
  auto in = ring.open_consumer();
  std::vector<int> seen;
  in.drain(2, [&](picky& record) { seen.push_back(record.value); });
  ring.close(in);
  EXPECT_EQ(seen, (std::vector{1, 2}));
}

TEST(spsc_ring, move_only_records_pass) {
  spsc_ring<std::unique_ptr<int>> ring(2);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(out.try_emplace(std::make_unique<int>(i)));
    std::unique_ptr<int> record;
    ASSERT_TRUE(in.try_pop(record));
    EXPECT_EQ(*record, i);
  }
  ring.close(out);
  ring.close(in);
}

TEST(spsc_ring, leftovers_are_destroyed_with_the_ring) {
  counted::alive = 0;
  {
    spsc_ring<counted, std::uint8_t> ring(8, 250);
    auto out = ring.open_producer(8);
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(out.try_emplace(i));
    ring.close(out);
    auto in = ring.open_consumer();
    EXPECT_EQ(in.drain(3, [](counted&) {}), 3u);
    ring.close(in);
    EXPECT_EQ(counted::alive, 5);
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST(spsc_ring, records_popped_but_not_yet_released_are_not_destroyed_twice) {
  counted::alive = 0;
  {
    spsc_ring<counted> ring(64);
    auto out = ring.open_producer();
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(out.try_emplace(i));
    ring.close(out);
    auto in = ring.open_consumer();
    in.refresh();
    for (int i = 0; i < 7; ++i) in.pop();
    ring.close(in);
    EXPECT_EQ(counted::alive, 33);
  }
  EXPECT_EQ(counted::alive, 0);
}

template <std::size_t Alignment>
void expect_aligned_slots() {
  struct alignas(Alignment) wide {
    std::uint64_t value;
  };
  spsc_ring<wide> ring(4);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  for (std::uint64_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(out.try_emplace(i));
    ASSERT_EQ(in.refresh(), 1u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&in.front()) % Alignment, 0u);
    EXPECT_EQ(in.front().value, i);
    in.pop();
  }
  ring.close(out);
  ring.close(in);
}

TEST(spsc_ring, over_aligned_records_lie_where_they_must) {
  expect_aligned_slots<64>();
  expect_aligned_slots<128>();
  expect_aligned_slots<8192>();
}

TEST(spsc_ring, a_ring_on_the_heap_shares_no_line_with_its_neighbours) {
  const auto ring = std::make_unique<spsc_ring<char>>(1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(ring.get()) % spillway::destructive_distance_bytes, 0u);
  EXPECT_EQ(sizeof(*ring) % spillway::destructive_distance_bytes, 0u);
}

TEST(spsc_ring, a_closed_end_goes_on_where_it_was) {
  spsc_ring<int> ring(4, 3);
  for (int i = 0; i < 20; ++i) {
    auto out = ring.open_producer(4);
    ASSERT_TRUE(out.try_emplace(i));
    ring.close(out);
    EXPECT_EQ(ring.pushed(), static_cast<std::uint64_t>(i) + 1) << "closing publishes";
    if (i % 2 == 1) {
      auto in = ring.open_consumer();
      in.refresh();
      EXPECT_EQ(in.front(), i - 1);
      in.pop();
      ring.close(in);
      EXPECT_EQ(ring.consumed(), static_cast<std::uint64_t>(i)) << "closing releases";
      in = ring.open_consumer();
      EXPECT_EQ(in.readable(), 1u) << "what was seen is still known";
      EXPECT_EQ(in.front(), i);
      in.pop();
      ring.close(in);
    }
  }
}

TEST(spsc_ring, a_cursor_may_travel_by_value_through_a_slow_path) {
  using ring_type = spsc_ring<int>;
  ring_type ring(4);
  const auto slow_path = [](ring_type::producer out) {
    while (out.try_emplace(2)) {}
    return out;
  };
  auto out = ring.open_producer();
  ASSERT_TRUE(out.try_emplace(1));
  out = slow_path(out);
  EXPECT_EQ(out.position(), 4u);
  ring.close(out);
  EXPECT_EQ(everything(ring), (std::vector{1, 2, 2, 2}));
}

TEST(spsc_ring, positions_on_both_sides_name_the_same_record) {
  spsc_ring<int> ring(4, 100);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  EXPECT_EQ(out.position(), 100u);
  EXPECT_EQ(in.position(), 100u);
  ASSERT_TRUE(out.try_emplace(1));
  EXPECT_EQ(in.position(), 100u);
  int record = 0;
  ASSERT_TRUE(in.try_pop(record));
  EXPECT_EQ(in.position(), out.position());
  EXPECT_EQ(ring.pushed(), 1u);
  EXPECT_EQ(ring.consumed(), 1u);
  ring.close(out);
  ring.close(in);
}

#if !defined(NDEBUG) && defined(GTEST_HAS_DEATH_TEST)
TEST(spsc_ring_death_test, opening_an_end_twice_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        spsc_ring<int> ring(1);
        auto out = ring.open_producer();
        out = ring.open_producer();
      },
      "already open");
}

TEST(spsc_ring_death_test, using_a_closed_end_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        spsc_ring<int> ring(1);
        auto in = ring.open_consumer();
        ring.close(in);
        in.refresh();
      },
      "closed");
}
#endif

}  // namespace
