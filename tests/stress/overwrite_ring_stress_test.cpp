// Two threads, the writer never waiting for the reader: every record whole, in order, and none unaccounted for.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>

#include "spillway/core/cpu_relax.hpp"
#include "spillway/core/overwrite_ring.hpp"

namespace {

constexpr auto run_time = std::chrono::milliseconds(200);

/// Every word follows from the number, each by another rule, so that a mixture of two shows.
template <std::size_t Words>
struct checked {
  std::array<std::uint64_t, Words> words;
  static checked of(std::uint64_t number) {
    checked result;
    for (std::size_t i = 0; i < Words; ++i) result.words[i] = number * (2 * i + 1);
    return result;
  }
  bool is_whole() const {
    for (std::size_t i = 1; i < Words; ++i) {
      if (words[i] != words[0] * (2 * i + 1)) return false;
    }
    return true;
  }
};

/// What both threads share; `pushed` is final once `done` is set.
struct outcome {
  std::atomic<bool> done{false};
  std::uint64_t pushed = 0;
  std::uint64_t received = 0;
  std::uint64_t lost = 0;
  bool whole = true;
  bool in_order = true;
  bool exact = true;
  bool newest_came = false;
};

void pause_sometimes(std::minstd_rand& random) {
  if (random() % 64 == 0) {
    std::this_thread::yield();
  } else if (random() % 4 == 0) {
    spillway::cpu_relax();
  }
}

template <class Ring>
void produce(Ring& ring, std::size_t publish_every, outcome& result) {
  std::minstd_rand random(1);
  const auto end = std::chrono::steady_clock::now() + run_time;
  auto out = ring.open_producer(publish_every);
  std::uint64_t next = 0;
  while (std::chrono::steady_clock::now() < end) {
    for (int burst = 0; burst < 50; ++burst) {
      for (std::size_t n = random() % 40; n > 0; --n) out.push(Ring::value_type::of(next++));
      if (random() % 4 == 0) out.publish();
      pause_sometimes(random);
    }
    ring.close(out);
    out = ring.open_producer(publish_every);
  }
  ring.close(out);
  result.pushed = next;
  // Release pairs with the consumer's acquire load: the total and the last publish are visible to whoever sees it.
  result.done.store(true, std::memory_order_release);
}

template <class Ring>
void consume(Ring& ring, outcome& result) {
  std::minstd_rand random(2);
  auto in = ring.open_consumer();
  std::uint64_t next = 0;
  for (bool last_look = false;;) {
    typename Ring::value_type record;
    if (in.try_pop(record)) {
      const std::uint64_t number = record.words[0];
      result.whole &= record.is_whole();
      result.in_order &= number >= next;
      next = number + 1;
      ++result.received;
      result.exact &= in.position() == next && in.lost() == next - result.received;
      if (random() % 256 == 0) pause_sometimes(random);
      continue;
    }
    if (last_look) break;
    last_look = result.done.load(std::memory_order_acquire);
    pause_sometimes(random);
    if (random() % 16 == 0) {
      ring.close(in);
      in = ring.open_consumer();
    }
  }
  result.lost = in.lost();
  result.newest_came = next == result.pushed;
  ring.close(in);
}

template <std::size_t Words>
void run(std::size_t capacity, std::size_t publish_every) {
  spillway::overwrite_ring<checked<Words>> ring(capacity);
  outcome result;
  std::thread producer([&] { produce(ring, publish_every, result); });
  std::thread consumer([&] { consume(ring, result); });
  std::uint64_t lost = 0;
  while (!result.done.load(std::memory_order_relaxed)) {
    EXPECT_LE(ring.left(), ring.capacity());
    lost = ring.lost();
    EXPECT_LE(lost, ring.pushed()) << "a loss that never was";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  producer.join();
  consumer.join();
  EXPECT_TRUE(result.whole);
  EXPECT_TRUE(result.in_order);
  EXPECT_TRUE(result.exact);
  EXPECT_TRUE(result.newest_came);
  EXPECT_GT(result.received, 0u);
  EXPECT_EQ(result.received + result.lost, result.pushed);
  EXPECT_EQ(ring.pushed(), result.pushed);
  EXPECT_EQ(ring.consumed(), result.received);
  EXPECT_EQ(ring.lost(), result.lost);
  EXPECT_EQ(ring.left(), 0u);
  EXPECT_LE(lost, ring.lost());
}

TEST(overwrite_ring_stress, a_single_slot_gives_whole_records_and_exact_losses) {
  run<2>(1, 1);
  run<8>(1, 1);
}

TEST(overwrite_ring_stress, two_and_four_slots_give_whole_records_and_exact_losses) {
  run<2>(2, 1);
  run<25>(2, 1);
  run<8>(4, 1);
}

TEST(overwrite_ring_stress, a_thousand_slots_give_whole_records_and_exact_losses) {
  run<1>(1024, 32);
  run<8>(1024, 32);
  run<8>(1024, 1);
  run<25>(1024, 256);
}

}  // namespace
