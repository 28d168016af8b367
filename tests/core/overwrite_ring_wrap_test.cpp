// Pushes and pops in random bursts against a model of what the reader must get, with counters that wrap all the time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

#include "spillway/core/overwrite_ring.hpp"

namespace {

using spillway::basic_overwrite_ring;

/// A ring with both ends open, beside the numbers that say what it must do: a record's value is how many were pushed before it.
template <class Counter>
class checked_ring {
 public:
  checked_ring(std::size_t capacity, Counter first, std::size_t publish_every, std::uint32_t seed)
      : ring_(capacity, first),
        first_(first),
        every_(std::clamp<std::size_t>(publish_every, 1, std::max<std::size_t>(ring_.capacity() / 4, 1))),
        out_(ring_.open_producer(publish_every)),
        in_(ring_.open_consumer()),
        random_(seed) {}
  ~checked_ring() {
    ring_.close(out_);
    ring_.close(in_);
  }

  void step() {
    switch (pick(8)) {
      case 0:
        out_.publish();
        mark_published();
        break;
      case 1:
        reopen();
        break;
      case 2:
      case 3:
      case 4:
        push_some();
        break;
      default:
        pop_some();
        break;
    }
    check_counts();
  }

 private:
  std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  Counter index(std::uint64_t number) const { return static_cast<Counter>(first_ + number); }
  void mark_published() {
    published_ = pushed_;
    publish_at_ = pushed_ + every_;
  }

  void push_some() {
    // A reader that is further behind than half of the counter's range does not know where it is.
    const std::uint64_t farthest = std::min<std::uint64_t>(std::numeric_limits<Counter>::max() / 2, 5 * ring_.capacity());
    for (std::size_t n = pick(2 * ring_.capacity() + 2); n > 0 && pushed_ - read_ < farthest; --n) {
      out_.push(pushed_++);
      if (pushed_ == publish_at_) mark_published();
    }
    ASSERT_EQ(out_.position(), index(pushed_));
  }

  /// Whether there is a record to pop, which then is the one that `read_` names.
  bool advance() {
    if (read_ == published_) return false;
    if (pushed_ - read_ <= ring_.capacity()) return true;
    const std::uint64_t to = published_ - std::max<std::size_t>(1, ring_.capacity() / 4 * 3);
    lost_ += to - read_;
    read_ = to;
    return true;
  }
  void pop_some() {
    for (std::size_t n = pick(ring_.capacity() + 3); n > 0; --n) {
      std::uint64_t record = 0;
      const bool expected = advance();
      ASSERT_EQ(in_.try_pop(record), expected);
      if (!expected) break;
      ASSERT_EQ(record, read_);
      ++read_;
      ++received_;
      ASSERT_EQ(in_.position(), index(read_));
      ASSERT_EQ(in_.lost(), static_cast<Counter>(lost_));
    }
  }
  void reopen() {
    ring_.close(out_);
    ring_.close(in_);
    out_ = ring_.open_producer(every_);
    in_ = ring_.open_consumer();
    mark_published();
  }
  void check_counts() {
    ASSERT_EQ(ring_.pushed(), static_cast<Counter>(published_));
    ASSERT_EQ(ring_.consumed(), static_cast<Counter>(received_));
    ASSERT_EQ(ring_.pushed(), static_cast<Counter>(ring_.consumed() + ring_.lost() + ring_.left()));
    ASSERT_LE(ring_.left(), ring_.capacity());
  }

  using ring_type = basic_overwrite_ring<std::uint64_t, Counter>;
  ring_type ring_;
  Counter first_;
  std::size_t every_;
  typename ring_type::producer out_;
  typename ring_type::consumer in_;
  std::mt19937 random_;
  std::uint64_t pushed_ = 0;
  std::uint64_t published_ = 0;
  std::uint64_t publish_at_ = every_;
  std::uint64_t read_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t lost_ = 0;
};

template <class Counter>
void run_all_shapes(Counter first) {
  for (const std::size_t capacity : {1u, 2u, 3u, 8u, 32u}) {
    for (const std::size_t publish_every : {1u, 2u, 1000u}) {
      checked_ring<Counter> ring(capacity, first, publish_every, static_cast<std::uint32_t>(capacity * 7 + publish_every));
      for (int i = 0; i < 2500; ++i) {
        ring.step();
        if (::testing::Test::HasFatalFailure())
          FAIL() << "capacity " << capacity << ", publish every " << publish_every << ", step " << i;
      }
    }
  }
}

template <class Counter>
class overwrite_ring_wrap : public ::testing::Test {};
using counters = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(overwrite_ring_wrap, counters);

TYPED_TEST(overwrite_ring_wrap, every_record_and_every_loss_is_as_the_model_says) {
  const auto end = std::numeric_limits<TypeParam>::max();
  run_all_shapes<TypeParam>(0);
  run_all_shapes<TypeParam>(end);
  run_all_shapes<TypeParam>(static_cast<TypeParam>(end - 5));
  run_all_shapes<TypeParam>(static_cast<TypeParam>(end / 2));
  run_all_shapes<TypeParam>(static_cast<TypeParam>(end / 4));
}

TEST(overwrite_ring_wrap_at_32_bits, a_64_bit_counter_passes_it_unharmed) {
  run_all_shapes<std::uint64_t>((std::uint64_t{1} << 32) - 1);
  run_all_shapes<std::uint64_t>((std::uint64_t{1} << 31) - 7);
}

TEST(overwrite_ring_wrap_at_8_bits, a_reader_knows_where_it_is_at_every_distance_below_half_of_the_range) {
  for (const std::size_t capacity : {1u, 2u, 4u, 32u}) {
    for (unsigned first = 0; first < 256; first += 3) {
      for (unsigned behind = 1; behind < 128; ++behind) {
        basic_overwrite_ring<std::uint8_t, std::uint8_t> ring(capacity, static_cast<std::uint8_t>(first));
        auto out = ring.open_producer(1);
        for (unsigned i = 0; i < behind; ++i) out.push(static_cast<std::uint8_t>(i));
        ring.close(out);
        auto in = ring.open_consumer();
        std::uint8_t record = 0;
        unsigned received = 0;
        for (; in.try_pop(record); ++received) ASSERT_EQ(record, static_cast<std::uint8_t>(in.position() - first - 1));
        ASSERT_EQ(record, behind - 1);
        ASSERT_EQ(in.lost() + received, behind);
        ring.close(in);
      }
    }
  }
}

}  // namespace
