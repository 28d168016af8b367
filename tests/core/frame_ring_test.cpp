#include "spillway/core/frame_ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using spillway::basic_frame_ring;
using spillway::frame_ring;

static_assert(std::is_trivially_copyable_v<frame_ring::producer>);
static_assert(std::is_trivially_copyable_v<frame_ring::consumer>);
static_assert(alignof(frame_ring) == spillway::destructive_distance_bytes, "nothing else may share the ring's lines");
static_assert(sizeof(frame_ring) % spillway::destructive_distance_bytes == 0);

template <class Producer>
bool push(Producer& out, std::string_view text) {
  std::byte* const to = out.try_claim(text.size());
  if (to == nullptr) return false;
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  out.commit(text.size());
  return true;
}

std::string text_of_frame(std::span<const std::byte> frame) {
  return std::string(reinterpret_cast<const char*>(frame.data()), frame.size());
}

template <class Consumer>
std::vector<std::string> everything(Consumer& in) {
  std::vector<std::string> texts;
  in.drain(1000, [&](std::span<std::byte> frame) { texts.push_back(text_of_frame(frame)); });
  return texts;
}

TEST(frame_ring, a_capacity_is_rounded_up_and_at_least_64_bytes) {
  EXPECT_EQ(frame_ring(0).capacity(), 64u);
  EXPECT_EQ(frame_ring(65).capacity(), 128u);
  EXPECT_EQ(frame_ring(65536).capacity(), 65536u);
}

TEST(frame_ring, a_capacity_that_does_not_fit_is_refused) {
  EXPECT_THROW(frame_ring{std::numeric_limits<std::size_t>::max()}, std::length_error);
  EXPECT_THROW(basic_frame_ring<std::uint8_t>{129}, std::length_error);
}

TEST(frame_ring, frames_of_any_length_come_out_as_they_went_in) {
  frame_ring ring(4096);
  auto out = ring.open_producer();
  const std::vector<std::string> texts{"a", "", std::string(100, 'x'), std::string(8, 'y'), std::string(9, 'z')};
  for (const auto& text : texts) ASSERT_TRUE(push(out, text));
  ring.close(out);
  auto in = ring.open_consumer();
  EXPECT_EQ(everything(in), texts);
  ring.close(in);
}

TEST(frame_ring, a_frame_of_no_bytes_is_told_from_no_frame) {
  frame_ring ring(64);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  EXPECT_EQ(in.front().data(), nullptr);
  ASSERT_TRUE(push(out, ""));
  EXPECT_NE(in.front().data(), nullptr);
  EXPECT_EQ(in.front().size(), 0u);
  in.pop();
  EXPECT_EQ(in.front().data(), nullptr);
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, every_payload_is_aligned_to_16) {
  frame_ring ring(256);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  for (std::size_t i = 0; i < 200; ++i) {
    std::byte* const to = out.try_claim(i % 60);
    ASSERT_NE(to, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(to) % 16, 0u);
    out.commit(i % 60);
    EXPECT_EQ(in.front().data(), to);
    in.pop();
  }
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, the_largest_frame_fits_an_empty_ring_wherever_its_end_is) {
  for (std::size_t at = 0; at < 256; at += 16) {
    frame_ring ring(256, at);
    auto out = ring.open_producer();
    EXPECT_NE(out.try_claim(ring.max_frame_bytes()), nullptr) << at;
    EXPECT_EQ(out.try_claim(ring.max_frame_bytes() + 1), nullptr);
    EXPECT_EQ(out.try_claim(std::numeric_limits<std::size_t>::max()), nullptr);
    ring.close(out);
  }
}

TEST(frame_ring, a_frame_is_never_split_and_padding_fills_the_end) {
  frame_ring ring(128);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  ASSERT_TRUE(push(out, std::string(56, 'a')));
  ASSERT_TRUE(push(out, std::string(24, 'b')));
  EXPECT_EQ(everything(in).size(), 2u);
  ASSERT_TRUE(push(out, std::string(40, 'c')));
  EXPECT_EQ(ring.bytes_estimate(), 32u + 48u) << "32 bytes to the end are padding";
  EXPECT_EQ(text_of_frame(in.front()), std::string(40, 'c'));
  in.pop();
  EXPECT_EQ(in.front().data(), nullptr);
  EXPECT_EQ(ring.bytes_estimate(), 0u);
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, room_at_both_ends_that_is_too_small_at_each_is_a_full_ring) {
  frame_ring ring(128);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  ASSERT_TRUE(push(out, std::string(24, 'a')));
  ASSERT_TRUE(push(out, std::string(56, 'b')));
  EXPECT_EQ(text_of_frame(in.front()), std::string(24, 'a'));
  in.pop();
  EXPECT_FALSE(push(out, std::string(40, 'c'))) << "32 bytes free at the end and 32 at the start";
  EXPECT_TRUE(push(out, std::string(24, 'd')));
  EXPECT_EQ(everything(in), (std::vector{std::string(56, 'b'), std::string(24, 'd')}));
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, a_frame_may_use_less_than_it_claimed) {
  frame_ring ring(64);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  std::byte* const to = out.try_claim(24);
  ASSERT_NE(to, nullptr);
  std::memcpy(to, "abc", 3);
  out.commit(3);
  EXPECT_EQ(ring.bytes_estimate(), 16u);
  EXPECT_EQ(everything(in), (std::vector<std::string>{"abc"}));
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, an_aborted_claim_leaves_no_trace_even_at_the_wrap) {
  frame_ring ring(128);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  ASSERT_TRUE(push(out, std::string(40, 'a')));
  ASSERT_TRUE(push(out, std::string(40, 'b')));
  EXPECT_EQ(everything(in).size(), 2u);
  ASSERT_NE(out.try_claim(56), nullptr) << "begins at the start of the ring";
  out.abort();
  out.publish();
  EXPECT_EQ(in.front().data(), nullptr);
  ASSERT_TRUE(push(out, "short")) << "still goes in front of the end";
  EXPECT_EQ(ring.bytes_estimate(), 16u);
  EXPECT_EQ(out.position(), 3u);
  EXPECT_EQ(everything(in), (std::vector<std::string>{"short"}));
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, frames_wait_for_a_publish_at_every_so_many_frames_or_a_quarter_of_the_bytes) {
  frame_ring ring(4096);
  auto out = ring.open_producer(3);
  for (std::uint64_t i = 1; i <= 30; ++i) {
    ASSERT_TRUE(push(out, "x"));
    EXPECT_EQ(ring.pushed(), i / 3 * 3);
  }
  ASSERT_TRUE(push(out, std::string(1016, 'y')));
  EXPECT_EQ(ring.pushed(), 31u);
  ring.close(out);
}

TEST(frame_ring, a_cached_claim_never_looks_at_the_consumers_index) {
  frame_ring ring(64);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(push(out, "x"));
  EXPECT_EQ(everything(in).size(), 4u);
  EXPECT_EQ(out.try_claim_cached(1), nullptr);
  EXPECT_EQ(out.refresh(), 64u);
  EXPECT_NE(out.try_claim_cached(1), nullptr);
  out.abort();
  out.forbid();
  EXPECT_EQ(out.try_claim_cached(1), nullptr);
  EXPECT_NE(out.try_claim(1), nullptr);
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, a_drained_ring_is_released_and_a_large_frame_fits_again) {
  frame_ring ring(256);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(push(out, std::string(10, 'a')));
    ASSERT_NE(in.front().data(), nullptr);
    in.pop();
    EXPECT_EQ(ring.bytes_estimate(), 0u);
    ASSERT_TRUE(push(out, std::string(ring.max_frame_bytes(), 'b'))) << i;
    ASSERT_NE(in.front().data(), nullptr);
    in.pop();
  }
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, a_drain_ends_on_false_and_a_throw_consumes_its_frame_once) {
  frame_ring ring(1024);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  for (const char* text : {"1", "2", "3", "4", "5"}) ASSERT_TRUE(push(out, text));
  EXPECT_EQ(in.drain(10, [](std::span<std::byte>) { return false; }), 1u);
  EXPECT_EQ(ring.consumed(), 1u);
  int calls = 0;
  EXPECT_THROW(in.drain(10,
                        [&](std::span<std::byte>) {
                          if (++calls == 2) throw std::runtime_error("no");
                        }),
               std::runtime_error);
  EXPECT_EQ(ring.consumed(), 3u);
  EXPECT_EQ(in.position(), 3u);
  EXPECT_EQ(everything(in), (std::vector<std::string>{"4", "5"}));
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, a_closed_end_goes_on_where_it_was) {
  frame_ring ring(128);
  for (std::uint64_t i = 0; i < 100; ++i) {
    auto out = ring.open_producer();
    EXPECT_EQ(out.position(), i);
    ASSERT_TRUE(push(out, std::to_string(i)));
    ring.close(out);
    auto in = ring.open_consumer();
    EXPECT_EQ(in.position(), i);
    EXPECT_EQ(text_of_frame(in.front()), std::to_string(i));
    in.pop();
    ring.close(in);
  }
  EXPECT_EQ(ring.pushed(), 100u);
  EXPECT_EQ(ring.consumed(), 100u);
}

TEST(frame_ring, a_full_ring_refuses_and_stays_unchanged) {
  frame_ring ring(64);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  for (const char* text : {"1", "2", "3", "4"}) ASSERT_TRUE(push(out, text));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(push(out, "5"));
  EXPECT_EQ(out.position(), 4u);
  EXPECT_EQ(ring.bytes_estimate(), 64u);
  EXPECT_EQ(everything(in), (std::vector<std::string>{"1", "2", "3", "4"}));
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, a_frame_is_read_in_place_before_its_bytes_are_free) {
  frame_ring ring(64);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  ASSERT_TRUE(push(out, std::string(24, 'a')));
  ASSERT_TRUE(push(out, std::string(24, 'b')));
  const auto frame = in.front();
  EXPECT_FALSE(push(out, "too early"));
  EXPECT_EQ(text_of_frame(frame), std::string(24, 'a'));
  in.pop();
  EXPECT_TRUE(push(out, "now"));
  EXPECT_EQ(everything(in), (std::vector<std::string>{std::string(24, 'b'), "now"}));
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, a_header_always_fits_in_front_of_the_end) {
  for (std::size_t first = 0; first <= 112; first += 16) {
    frame_ring ring(128, first);
    auto out = ring.open_producer(1);
    auto in = ring.open_consumer();
    for (int i = 0; i < 40; ++i) {
      const std::string frame(static_cast<std::size_t>(i % 3) * 8, static_cast<char>('a' + i % 26));
      ASSERT_TRUE(push(out, frame));
      EXPECT_EQ(text_of_frame(in.front()), frame);
      in.pop();
      EXPECT_EQ(ring.bytes_estimate(), 0u);
    }
    ring.close(out);
    ring.close(in);
  }
}

TEST(frame_ring, what_an_earlier_lap_left_behind_the_last_frame_is_no_frame) {
  frame_ring ring(64);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  for (const char* text : {"1", "2", "3", "4"}) ASSERT_TRUE(push(out, text));
  EXPECT_EQ(everything(in).size(), 4u);
  ASSERT_TRUE(push(out, "5"));
  EXPECT_EQ(everything(in), (std::vector<std::string>{"5"})) << "the header of 2 is still there";
  EXPECT_EQ(in.front().data(), nullptr);
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, a_claim_refused_at_the_wrap_leaves_no_padding_behind) {
  frame_ring ring(128);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  ASSERT_TRUE(push(out, std::string(56, 'a')));
  ASSERT_TRUE(push(out, std::string(24, 'b')));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(push(out, std::string(40, 'c'))) << "32 bytes are left, and none at the start";
  ASSERT_TRUE(push(out, std::string(24, 'd'))) << "the bytes in front of the end are still free";
  EXPECT_EQ(everything(in), (std::vector{std::string(56, 'a'), std::string(24, 'b'), std::string(24, 'd')}));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(push(out, std::string(24, 'e')));
  EXPECT_EQ(everything(in).size(), 3u);
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, a_drain_of_one_that_meets_padding_gives_the_frame_behind_it) {
  frame_ring ring(128);
  auto out = ring.open_producer(1);
  auto in = ring.open_consumer();
  ASSERT_TRUE(push(out, std::string(56, 'a')));
  ASSERT_TRUE(push(out, std::string(24, 'b')));
  EXPECT_EQ(everything(in).size(), 2u);
  ASSERT_TRUE(push(out, std::string(40, 'c')));
  std::string seen;
  EXPECT_EQ(in.drain(1, [&](std::span<std::byte> frame) { seen = text_of_frame(frame); }), 1u);
  EXPECT_EQ(seen, std::string(40, 'c'));
  EXPECT_EQ(ring.bytes_estimate(), 0u) << "padding is released with its frame";
  ring.close(out);
  ring.close(in);
}

TEST(frame_ring, a_claim_left_open_is_given_up_when_its_end_closes) {
  frame_ring ring(128);
  auto out = ring.open_producer(1);
  ASSERT_NE(out.try_claim(40), nullptr);
  ring.close(out);
  EXPECT_EQ(ring.pushed(), 0u);
  out = ring.open_producer(1);
  ASSERT_TRUE(push(out, "x"));
  ring.close(out);
  auto in = ring.open_consumer();
  EXPECT_EQ(everything(in), (std::vector<std::string>{"x"}));
  ring.close(in);
}

template <class Counter>
class frame_ring_wrap : public ::testing::Test {};
using counters = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(frame_ring_wrap, counters);

/// Frames of random length, pushed and taken in random bursts, against a deque; stops at the first difference.
template <class Counter>
void run_against_a_deque(std::size_t capacity, Counter first, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random); };
  basic_frame_ring<Counter> ring(capacity, first);
  auto out = ring.open_producer(pick(4));
  auto in = ring.open_consumer();
  std::deque<std::string> expected;
  char letter = 'a';
  for (int i = 0; i < 6000; ++i) {
    for (std::size_t n = pick(6); n > 0; --n) {
      const std::size_t claimed = pick(ring.max_frame_bytes());
      std::byte* const to = out.try_claim(claimed);
      if (to == nullptr) break;
      if (pick(7) == 0) {
        out.abort();
        continue;
      }
      letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1);
      const std::string text(pick(claimed), letter);
      std::memset(to, letter, text.size());
      out.commit(text.size());
      expected.push_back(text);
    }
    if (pick(1) == 0) out.publish();
    const auto take = [&](std::span<std::byte> frame) {
      ASSERT_FALSE(expected.empty());
      ASSERT_EQ(text_of_frame(frame), expected.front());
      expected.pop_front();
    };
    if (pick(1) == 0) {
      in.drain(pick(6), take);
    } else {
      for (std::size_t n = pick(6); n > 0; --n) {
        const std::span<std::byte> frame = in.front();
        if (frame.data() == nullptr) break;
        take(frame);
        in.pop();
      }
    }
    if (pick(20) == 0) {
      ring.close(out);
      ring.close(in);
      out = ring.open_producer(pick(4));
      in = ring.open_consumer();
    }
    ASSERT_LE(ring.bytes_estimate(), ring.capacity());
    ASSERT_EQ(out.position(), static_cast<Counter>(in.position() + expected.size()));
    if (::testing::Test::HasFatalFailure()) return;
  }
  ring.close(out);
  ring.close(in);
}

TYPED_TEST(frame_ring_wrap, mixed_lengths_keep_order_across_the_end_of_the_counter) {
  const auto end = std::numeric_limits<TypeParam>::max();
  for (const std::size_t capacity : {std::size_t{64}, std::size_t{128}}) {
    run_against_a_deque<TypeParam>(capacity, 0, 1);
    run_against_a_deque<TypeParam>(capacity, end, 2);
    run_against_a_deque<TypeParam>(capacity, static_cast<TypeParam>(end / 2 - 40), 3);
  }
}

TEST(frame_ring_wrap_at_32_bits, a_64_bit_counter_passes_it_unharmed) {
  run_against_a_deque<std::uint64_t>(1024, (std::uint64_t{1} << 32) - 100, 4);
}

#if !defined(NDEBUG) && defined(GTEST_HAS_DEATH_TEST)
TEST(frame_ring_death_test, opening_an_end_twice_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        frame_ring ring(64);
        auto in = ring.open_consumer();
        in = ring.open_consumer();
      },
      "already open");
}

TEST(frame_ring_death_test, using_a_closed_end_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        frame_ring ring(64);
        auto out = ring.open_producer();
        ring.close(out);
        out.refresh();
      },
      "closed");
}

TEST(frame_ring_death_test, destroying_a_ring_with_an_open_end_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        frame_ring ring(64);
        auto in = ring.open_consumer();
        in.refresh();
      },
      "close both ends");
}

TEST(frame_ring_death_test, a_commit_beyond_its_claim_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        frame_ring ring(128);
        auto out = ring.open_producer();
        if (out.try_claim(3) != nullptr) out.commit(4);
      },
      "commit needs a claim");
}
#endif

}  // namespace
