// Every verb in random order against a deque, with counters that wrap several times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "spillway/core/spsc_ring.hpp"

namespace {

using spillway::spsc_ring;

/// A ring with both ends open, and what ought to be in it.
template <class T, class Counter>
class checked_ring {
 public:
  checked_ring(std::size_t capacity, Counter first, std::size_t publish_every, std::uint32_t seed)
      : ring_(capacity, first),
        out_(ring_.open_producer(publish_every)),
        in_(ring_.open_consumer()),
        every_(publish_every),
        random_(seed) {}
  ~checked_ring() {
    ring_.close(out_);
    ring_.close(in_);
  }

  void step() {
    switch (pick(9)) {
      case 0:
        push_some();
        break;
      case 1:
        claim_some();
        break;
      case 2:
        pop_some();
        break;
      case 3:
        drain_some();
        break;
      case 4:
        out_.publish();
        break;
      case 5:
        in_.release();
        break;
      case 6:
        reopen();
        break;
      case 7:
        cached_push();
        break;
      default:
        check_room();
        break;
    }
    ASSERT_EQ(out_.position(), static_cast<Counter>(in_.position() + expected_.size()));
    ASSERT_LE(ring_.size_estimate(), ring_.capacity());
  }

  void drain_everything() {
    out_.publish();
    while (!expected_.empty()) drain_some();
    ASSERT_EQ(in_.refresh(), 0u);
    ASSERT_EQ(out_.refresh(), ring_.capacity());
  }

 private:
  std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  std::size_t width() { return pick(ring_.capacity() + 2); }
  T make() { return T{next_value_}; }
  void made() { expected_.push_back(next_value_++); }

  void push_some() {
    for (std::size_t n = width(); n > 0; --n) {
      if (!out_.try_emplace(make())) break;
      made();
    }
    ASSERT_LE(expected_.size(), ring_.capacity());
  }
  void cached_push() {
    if (out_.try_emplace_cached(make())) made();
    if (pick(4) == 0) out_.forbid();
  }
  void claim_some() {
    const auto room = out_.claim(width());
    const std::size_t used = pick(room.size() + 1);
    for (std::size_t i = 0; i < used; ++i) {
      std::construct_at(&room[i], make());
      made();
    }
    out_.commit(used);
  }
  void take(T& record) {
    ASSERT_FALSE(expected_.empty());
    ASSERT_EQ(record, T{expected_.front()});
    expected_.pop_front();
  }
  void pop_some() {
    T record{};
    for (std::size_t n = width(); n > 0 && in_.try_pop(record); --n) take(record);
  }
  void drain_some() {
    in_.drain(width(), [this](T& record) { take(record); });
  }
  void check_room() { ASSERT_LE(expected_.size() + out_.refresh(), ring_.capacity()); }
  void reopen() {
    ring_.close(out_);
    ring_.close(in_);
    out_ = ring_.open_producer(every_);
    in_ = ring_.open_consumer();
  }

  spsc_ring<T, Counter> ring_;
  typename spsc_ring<T, Counter>::producer out_;
  typename spsc_ring<T, Counter>::consumer in_;
  std::size_t every_;
  std::mt19937 random_;
  std::deque<std::uint64_t> expected_;
  std::uint64_t next_value_ = 0;
};

struct wide_record {
  std::uint64_t words[9]{};
  wide_record() = default;
  explicit wide_record(std::uint64_t v) { std::fill(std::begin(words), std::end(words), v); }
  friend bool operator==(const wide_record&, const wide_record&) = default;
};

template <class T, class Counter>
void run_all_shapes(Counter first) {
  for (const std::size_t capacity : {1u, 2u, 4u, 8u, 16u, 128u}) {
    for (const std::size_t publish_every : {0u, 1u, 3u}) {
      checked_ring<T, Counter> ring(capacity, first, publish_every, static_cast<std::uint32_t>(capacity * 7 + publish_every));
      for (int i = 0; i < 2500; ++i) {
        ring.step();
        if (::testing::Test::HasFatalFailure())
          FAIL() << "capacity " << capacity << ", publish every " << publish_every << ", step " << i;
      }
      ring.drain_everything();
    }
  }
}

template <class Counter>
class spsc_ring_wrap : public ::testing::Test {};
using counters = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(spsc_ring_wrap, counters);

TYPED_TEST(spsc_ring_wrap, bulk_and_single_mixed_keep_order_from_zero) { run_all_shapes<std::uint64_t, TypeParam>(0); }

TYPED_TEST(spsc_ring_wrap, bulk_and_single_mixed_keep_order_across_the_end_of_the_counter) {
  const auto end = std::numeric_limits<TypeParam>::max();
  run_all_shapes<std::uint64_t, TypeParam>(end);
  run_all_shapes<std::uint64_t, TypeParam>(static_cast<TypeParam>(end - 5));
  run_all_shapes<std::uint64_t, TypeParam>(static_cast<TypeParam>(end / 2));
}

TYPED_TEST(spsc_ring_wrap, records_wider_than_a_line_keep_order) {
  run_all_shapes<wide_record, TypeParam>(static_cast<TypeParam>(-3));
}

TEST(spsc_ring_wrap_at_32_bits, a_64_bit_counter_passes_it_unharmed) {
  run_all_shapes<std::uint64_t, std::uint64_t>((std::uint64_t{1} << 32) - 1);
  run_all_shapes<std::uint64_t, std::uint64_t>((std::uint64_t{1} << 31) - 7);
}

TEST(spsc_ring_wrap_at_every_offset, each_width_of_claim_and_drain_crosses_the_end) {
  constexpr std::size_t capacity = 8;
  for (std::size_t offset = 0; offset < capacity; ++offset) {
    for (std::size_t width = 1; width <= capacity; ++width) {
      spsc_ring<std::size_t, std::uint8_t> ring(capacity, static_cast<std::uint8_t>(250 + offset));
      auto out = ring.open_producer();
      auto in = ring.open_consumer();
      std::size_t written = 0;
      std::size_t read = 0;
      while (read < 600) {
        for (std::size_t left = width; left > 0;) {
          const auto room = out.claim(left);
          ASSERT_FALSE(room.empty());
          for (std::size_t& slot : room) slot = written++;
          out.commit(room.size());
          left -= room.size();
        }
        out.publish();
        ASSERT_EQ(in.drain(width, [&](std::size_t& record) { ASSERT_EQ(record, read++); }), width);
      }
      ring.close(out);
      ring.close(in);
    }
  }
}

}  // namespace
