// Two threads, frames of random length, every byte and the order checked.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <thread>

#include "spillway/core/cpu_relax.hpp"
#include "spillway/core/frame_ring.hpp"

namespace {

constexpr auto run_time = std::chrono::milliseconds(300);

struct outcome {
  std::atomic<bool> done{false};
  std::uint64_t pushed = 0;
  std::uint64_t received = 0;
  bool intact = true;
};

void wait_a_little(unsigned& empty_looks) {
  if (++empty_looks % 64 == 0) {
    std::this_thread::yield();
  } else {
    spillway::cpu_relax();
  }
}

/// Length and bytes of a frame follow from its number, so that the reader can tell them without help.
std::size_t length_of(std::uint64_t number, std::size_t longest) { return (number * 0x9e3779b97f4a7c15u >> 40) % (longest + 1); }
std::byte byte_of(std::uint64_t number) { return static_cast<std::byte>(number % 251); }

template <class Ring>
void produce(Ring& ring, std::size_t publish_every, std::size_t longest, outcome& result) {
  std::minstd_rand random(1);
  const auto end = std::chrono::steady_clock::now() + run_time;
  auto out = ring.open_producer(publish_every);
  std::uint64_t next = 0;
  unsigned waits = 0;
  while (std::chrono::steady_clock::now() < end) {
    for (int burst = 0; burst < 200; ++burst) {
      const std::size_t length = length_of(next, longest);
      std::byte* const to = random() % 2 == 0 ? out.try_claim(length) : out.try_claim_cached(length);
      if (to == nullptr) {
        wait_a_little(waits);
        out.refresh();
        continue;
      }
      if (random() % 16 == 0) {
        out.abort();
        continue;
      }
      std::memset(to, static_cast<int>(byte_of(next)), length);
      out.commit(length);
      ++next;
      if (random() % 16 == 0) out.publish();
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
void consume(Ring& ring, std::size_t longest, outcome& result) {
  std::minstd_rand random(2);
  auto in = ring.open_consumer();
  std::uint64_t next = 0;
  unsigned waits = 0;
  const auto take = [&](std::span<std::byte> frame) {
    result.intact &= frame.size() == length_of(next, longest);
    for (const std::byte b : frame) result.intact &= b == byte_of(next);
    ++next;
  };
  for (;;) {
    const bool last_look = result.done.load(std::memory_order_acquire);
    const std::uint64_t before = next;
    if (random() % 2 == 0) {
      in.drain(random() % 100, take);
    } else {
      for (std::size_t n = random() % 100; n > 0; --n) {
        const std::span<std::byte> frame = in.front();
        if (frame.data() == nullptr) break;
        take(frame);
        in.pop();
      }
    }
    if (next != before) continue;
    if (last_look && in.refresh() == 0) break;
    wait_a_little(waits);
  }
  ring.close(in);
  result.received = next;
}

template <class Counter = std::uint64_t>
void run(std::size_t capacity, std::size_t publish_every, std::size_t longest) {
  spillway::basic_frame_ring<Counter> ring(capacity, static_cast<Counter>(-100));
  outcome result;
  std::thread producer([&] { produce(ring, publish_every, longest, result); });
  std::thread consumer([&] { consume(ring, longest, result); });
  producer.join();
  consumer.join();
  EXPECT_TRUE(result.intact);
  EXPECT_GT(result.pushed, 0u);
  EXPECT_EQ(result.pushed, result.received);
  EXPECT_EQ(ring.bytes_estimate(), 0u);
}

TEST(frame_ring_stress, the_smallest_ring_hands_over_in_order) { run(64, 0, 24); }

TEST(frame_ring_stress, short_texts_hand_over_in_order) { run(65536, 0, 100); }

TEST(frame_ring_stress, the_largest_frames_hand_over_in_order) {
  run(4096, 1, 2040);
  run(4096, 0, 2040);
}

TEST(frame_ring_stress, a_counter_that_wraps_all_the_time_hands_over_in_order) { run<std::uint8_t>(128, 1, 56); }

}  // namespace
