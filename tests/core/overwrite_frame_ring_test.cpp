#include "spillway/core/overwrite_frame_ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using spillway::basic_overwrite_frame_ring;
using spillway::overwrite_frame_ring;

static_assert(std::is_trivially_copyable_v<overwrite_frame_ring::producer>);
static_assert(std::is_trivially_copyable_v<overwrite_frame_ring::consumer>);
static_assert(alignof(overwrite_frame_ring) == spillway::destructive_distance_bytes, "nothing else may share the ring's lines");

template <class Producer>
bool push(Producer& out, std::string_view head, std::string_view tail = {}) {
  return out.push(std::as_bytes(std::span(head)), std::as_bytes(std::span(tail)));
}

std::string text_of_frame(std::span<const std::byte> frame) {
  return std::string(reinterpret_cast<const char*>(frame.data()), frame.size());
}

template <class Consumer>
std::vector<std::string> everything(Consumer& in) {
  std::vector<std::string> texts;
  for (auto frame = in.try_pop(); frame.data() != nullptr; frame = in.try_pop()) texts.push_back(text_of_frame(frame));
  return texts;
}

/// The text of the n-th frame: its length and letters follow from n.
std::string text(std::uint64_t n, std::size_t longest) {
  return std::string((n * 0x9e3779b97f4a7c15u >> 40) % (longest + 1), static_cast<char>('a' + n % 26));
}

TEST(overwrite_frame_ring, a_capacity_is_rounded_up_and_at_least_a_kibibyte) {
  EXPECT_EQ(overwrite_frame_ring(0).capacity(), 1024u);
  EXPECT_EQ(overwrite_frame_ring(1025).capacity(), 2048u);
  EXPECT_EQ(overwrite_frame_ring(65536).capacity(), 65536u);
}

TEST(overwrite_frame_ring, a_capacity_that_does_not_fit_is_refused_and_not_wrapped) {
  EXPECT_THROW(overwrite_frame_ring{std::numeric_limits<std::size_t>::max()}, std::length_error);
  EXPECT_EQ(basic_overwrite_frame_ring<std::uint8_t>(1024).capacity(), 1024u);
  EXPECT_THROW(basic_overwrite_frame_ring<std::uint8_t>{1025}, std::length_error);
}

TEST(overwrite_frame_ring, frames_of_any_length_and_any_split_come_out_as_they_went_in) {
  overwrite_frame_ring ring(65536);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  for (std::size_t head = 0; head < 40; ++head) {
    for (std::size_t tail = 0; tail < 40; ++tail) {
      std::string whole(head + tail, ' ');
      for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<char>(head * 7 + tail * 3 + i);
      ASSERT_TRUE(push(out, std::string_view(whole).substr(0, head), std::string_view(whole).substr(head)));
      const auto frame = in.try_pop();
      ASSERT_NE(frame.data(), nullptr);
      ASSERT_EQ(text_of_frame(frame), whole);
    }
  }
  ring.close(out);
  ring.close(in);
}

TEST(overwrite_frame_ring, a_frame_of_no_bytes_is_told_from_no_frame) {
  overwrite_frame_ring ring(1024);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  EXPECT_EQ(in.try_pop().data(), nullptr);
  ASSERT_TRUE(push(out, ""));
  const auto frame = in.try_pop();
  EXPECT_NE(frame.data(), nullptr);
  EXPECT_EQ(frame.size(), 0u);
  EXPECT_EQ(in.try_pop().data(), nullptr);
  ring.close(out);
  ring.close(in);
}

TEST(overwrite_frame_ring, the_largest_frame_passes_wherever_the_end_is_and_a_larger_one_is_refused) {
  for (std::uint64_t at = 0; at < 128; ++at) {
    overwrite_frame_ring ring(1024, at);
    auto out = ring.open_producer();
    auto in = ring.open_consumer();
    const std::string largest(ring.max_frame_bytes(), 'x');
    for (int i = 0; i < 20; ++i) {
      ASSERT_FALSE(push(out, largest, "y"));
      ASSERT_TRUE(push(out, largest));
      ASSERT_EQ(text_of_frame(in.try_pop()), largest);
    }
    EXPECT_EQ(ring.pushed(), 20u) << "what was refused does not count";
    EXPECT_EQ(in.lost(), 0u);
    ring.close(out);
    ring.close(in);
  }
}

TEST(overwrite_frame_ring, a_frame_that_was_refused_leaves_no_trace) {
  overwrite_frame_ring ring(1024);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  ASSERT_TRUE(push(out, "before"));
  EXPECT_FALSE(push(out, std::string(ring.max_frame_bytes() + 1, 'x')));
  EXPECT_EQ(out.position(), 1u);
  ASSERT_TRUE(push(out, "after"));
  EXPECT_EQ(everything(in), (std::vector<std::string>{"before", "after"}));
  ring.close(out);
  ring.close(in);
}

TEST(overwrite_frame_ring, a_frame_is_never_split_and_a_read_that_meets_padding_gives_the_frame_behind_it) {
  overwrite_frame_ring ring(1024);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  for (char letter = 'a'; letter < 'e'; ++letter) ASSERT_TRUE(push(out, std::string(208, letter)));
  EXPECT_EQ(everything(in).size(), 4u) << "128 bytes are left in front of the end";
  ASSERT_TRUE(push(out, std::string(200, 'e')));
  EXPECT_EQ(text_of_frame(in.try_pop()), std::string(200, 'e'));
  EXPECT_EQ(in.try_pop().data(), nullptr);
  ring.close(out);
  ring.close(in);
}

TEST(overwrite_frame_ring, a_frame_stays_as_it_is_until_the_next_pop) {
  overwrite_frame_ring ring(1024);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  ASSERT_TRUE(push(out, "the first"));
  const auto frame = in.try_pop();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(push(out, "another one"));
  EXPECT_EQ(text_of_frame(frame), "the first");
  ring.close(out);
  ring.close(in);
}

TEST(overwrite_frame_ring, a_lapped_reader_learns_exactly_how_many_it_missed) {
  for (const std::uint64_t frames : {30u, 65u, 66u, 100u, 1000u, 12345u}) {
    overwrite_frame_ring ring(2048);
    auto out = ring.open_producer();
    for (std::uint64_t i = 0; i < frames; ++i) ASSERT_TRUE(push(out, text(i, 30)));
    ring.close(out);
    auto in = ring.open_consumer();
    std::uint64_t received = 0;
    std::uint64_t next = 0;
    for (auto frame = in.try_pop(); frame.data() != nullptr; frame = in.try_pop(), ++received) {
      ASSERT_GT(in.position(), next);
      next = in.position();
      ASSERT_EQ(text_of_frame(frame), text(next - 1, 30));
      ASSERT_EQ(in.lost(), next - received - 1);
    }
    EXPECT_EQ(next, frames) << "the newest frame is always read";
    ring.close(in);
    EXPECT_EQ(ring.lost() + received, frames);
    EXPECT_EQ(ring.pushed(), ring.consumed() + ring.lost());
    EXPECT_EQ(ring.left(), 0u);
  }
}

TEST(overwrite_frame_ring, a_lapped_reader_keeps_more_than_half_of_a_ring_of_small_frames) {
  overwrite_frame_ring ring(4096);
  auto out = ring.open_producer();
  for (int i = 0; i < 10000; ++i) ASSERT_TRUE(push(out, "16 bytes of text"));
  ring.close(out);
  auto in = ring.open_consumer();
  const std::size_t kept = everything(in).size();
  ring.close(in);
  EXPECT_GE(kept * 32, ring.capacity() / 2);
  EXPECT_LE(kept * 32, ring.capacity() / 4 * 3);
}

TEST(overwrite_frame_ring, a_lapped_reader_of_the_largest_frames_gets_the_newest) {
  for (std::uint64_t at = 0; at < 128; ++at) {
    basic_overwrite_frame_ring<std::uint8_t> ring(1024, static_cast<std::uint8_t>(at));
    auto out = ring.open_producer();
    auto in = ring.open_consumer();
    for (char letter = 'a'; letter <= 'e'; ++letter) ASSERT_TRUE(push(out, std::string(ring.max_frame_bytes() - 8, letter)));
    const auto texts = everything(in);
    ASSERT_FALSE(texts.empty());
    EXPECT_EQ(texts.back().front(), 'e');
    EXPECT_EQ(in.lost() + texts.size(), 5u);
    ring.close(out);
    ring.close(in);
  }
}

TEST(overwrite_frame_ring, a_closed_end_goes_on_where_it_was_with_its_counts) {
  overwrite_frame_ring ring(1024);
  std::uint64_t received = 0;
  for (std::uint64_t i = 0; i < 3000;) {
    auto out = ring.open_producer();
    EXPECT_EQ(out.position(), i);
    for (std::uint64_t end = i + 1 + i % 90; i < end; ++i) ASSERT_TRUE(push(out, text(i, 50)));
    ring.close(out);
    auto in = ring.open_consumer();
    const auto frame = in.try_pop();
    ASSERT_NE(frame.data(), nullptr);
    ASSERT_EQ(text_of_frame(frame), text(in.position() - 1, 50));
    ++received;
    EXPECT_EQ(in.position(), in.lost() + received);
    ring.close(in);
    EXPECT_EQ(ring.consumed(), received);
    EXPECT_EQ(ring.pushed(), ring.consumed() + ring.lost() + ring.left());
  }
}

template <class Counter>
class overwrite_frame_ring_wrap : public ::testing::Test {};
using counters = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(overwrite_frame_ring_wrap, counters);

/// Frames of random length in random bursts. The reader is never as far behind as an 8-bit counter counts words.
template <class Counter>
void run_random_bursts(Counter first, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random); };
  basic_overwrite_frame_ring<Counter> ring(1024, first);
  auto out = ring.open_producer();
  auto in = ring.open_consumer();
  std::uint64_t pushed = 0;
  std::uint64_t received = 0;
  std::uint64_t next = 0;
  for (int i = 0; i < 8000; ++i) {
    const std::size_t longest = pick(1) == 0 ? 20 : ring.max_frame_bytes();
    for (std::size_t words = pick(90); words > 0;) {
      const std::string frame = text(pushed, longest);
      ASSERT_TRUE(push(out, frame, ""));
      ++pushed;
      words -= std::min(words, frame.size() / 8 + 18);  // padding included, on average
    }
    bool drained = false;
    for (std::size_t n = 1 + pick(40); n > 0 && !drained; --n) {
      const auto frame = in.try_pop();
      drained = frame.data() == nullptr;
      if (drained) break;
      const std::uint64_t number = in.position() - 1;
      ASSERT_GE(number, next);
      const std::string seen = text_of_frame(frame);
      ASSERT_TRUE(seen == text(number, 20) || seen == text(number, ring.max_frame_bytes())) << "frame " << number;
      next = number + 1;
      ++received;
      ASSERT_EQ(in.lost(), next - received);
    }
    if (drained) {
      ASSERT_EQ(next, pushed);
      ASSERT_EQ(ring.left(), 0u);
    }
    ASSERT_EQ(ring.pushed(), ring.consumed() + ring.lost() + ring.left());
    if (pick(20) == 0) {
      ring.close(out);
      ring.close(in);
      out = ring.open_producer();
      in = ring.open_consumer();
    }
  }
  ring.close(out);
  ring.close(in);
}

TYPED_TEST(overwrite_frame_ring_wrap, frames_are_whole_and_losses_exact_across_the_end_of_the_counter) {
  const auto end = std::numeric_limits<TypeParam>::max();
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    run_random_bursts<TypeParam>(0, seed);
    run_random_bursts<TypeParam>(end, seed);
    run_random_bursts<TypeParam>(static_cast<TypeParam>(end - 77), seed);
    run_random_bursts<TypeParam>(static_cast<TypeParam>(end / 2 - 5), seed);
  }
}

TEST(overwrite_frame_ring_wrap_at_32_bits, a_64_bit_counter_passes_it_unharmed) {
  run_random_bursts<std::uint64_t>((std::uint64_t{1} << 32) - 100, 5);
}

#if !defined(NDEBUG) && defined(GTEST_HAS_DEATH_TEST)
TEST(overwrite_frame_ring_death_test, opening_an_end_twice_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        overwrite_frame_ring ring(1);
        auto out = ring.open_producer();
        out = ring.open_producer();
      },
      "already open");
}

TEST(overwrite_frame_ring_death_test, using_a_closed_end_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        overwrite_frame_ring ring(1);
        auto out = ring.open_producer();
        ring.close(out);
        push(out, "x");
      },
      "closed");
}

TEST(overwrite_frame_ring_death_test, destroying_a_ring_with_an_open_end_is_caught_in_debug_builds) {
  EXPECT_DEATH(
      {
        overwrite_frame_ring ring(1);
        auto in = ring.open_consumer();
        in.try_pop();
      },
      "close both ends");
}
#endif

}  // namespace
