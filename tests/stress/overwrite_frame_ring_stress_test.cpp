// Two threads, frames of random length, the writer never waiting for the reader: every frame whole, in order, and none unaccounted for.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "spillway/core/cpu_relax.hpp"
#include "spillway/core/overwrite_frame_ring.hpp"

namespace {

constexpr auto run_time = std::chrono::milliseconds(250);

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

/// Length and bytes of a frame follow from its number, so that the reader can tell them without help.
std::size_t length_of(std::uint64_t number, std::size_t longest) { return (number * 0x9e3779b97f4a7c15u >> 40) % (longest + 1); }
std::byte byte_of(std::uint64_t number) { return static_cast<std::byte>(number % 251); }

template <class Ring>
void produce(Ring& ring, std::size_t longest, outcome& result) {
  std::minstd_rand random(1);
  std::vector<std::byte> bytes(longest);
  const auto end = std::chrono::steady_clock::now() + run_time;
  auto out = ring.open_producer();
  std::uint64_t next = 0;
  while (std::chrono::steady_clock::now() < end) {
    for (int burst = 0; burst < 50; ++burst) {
      for (std::size_t n = random() % 30; n > 0; --n) {
        const std::span<std::byte> frame = std::span(bytes).first(length_of(next, longest));
        std::ranges::fill(frame, byte_of(next));
        const std::size_t head = random() % (frame.size() + 1);
        next += out.push(frame.first(head), frame.subspan(head)) ? 1 : 0;
      }
      if (random() % 8 == 0) std::this_thread::yield();
    }
    ring.close(out);
    out = ring.open_producer();
  }
  ring.close(out);
  result.pushed = next;
  // Release pairs with the consumer's acquire load: the total and the last frame are visible to whoever sees it.
  result.done.store(true, std::memory_order_release);
}

template <class Ring>
void consume(Ring& ring, std::size_t longest, outcome& result) {
  std::minstd_rand random(2);
  auto in = ring.open_consumer();
  std::uint64_t next = 0;
  for (bool last_look = false;;) {
    const std::span<std::byte> frame = in.try_pop();
    if (frame.data() != nullptr) {
      const std::uint64_t number = in.position() - 1;
      result.whole &= frame.size() == length_of(number, longest);
      for (const std::byte b : frame) result.whole &= b == byte_of(number);
      result.in_order &= number >= next;
      next = number + 1;
      ++result.received;
      result.exact &= in.lost() == next - result.received;
      continue;
    }
    if (last_look) break;
    last_look = result.done.load(std::memory_order_acquire);
    if (random() % 16 == 0) {
      std::this_thread::yield();
      ring.close(in);
      in = ring.open_consumer();
    } else {
      spillway::cpu_relax();
    }
  }
  result.lost = in.lost();
  result.newest_came = next == result.pushed;
  ring.close(in);
}

void run(std::size_t capacity, std::size_t longest) {
  spillway::overwrite_frame_ring ring(capacity);
  outcome result;
  std::thread producer([&] { produce(ring, longest, result); });
  std::thread consumer([&] { consume(ring, longest, result); });
  producer.join();
  consumer.join();
  EXPECT_TRUE(result.whole);
  EXPECT_TRUE(result.in_order);
  EXPECT_TRUE(result.exact);
  EXPECT_TRUE(result.newest_came);
  EXPECT_GT(result.received, 0u);
  EXPECT_EQ(result.received + result.lost, result.pushed);
  EXPECT_EQ(ring.pushed(), ring.consumed() + ring.lost());
  EXPECT_EQ(ring.left(), 0u);
}

TEST(overwrite_frame_ring_stress, the_smallest_ring_gives_whole_frames_and_exact_losses) {
  run(1024, 8);
  run(1024, 100);
}

TEST(overwrite_frame_ring_stress, the_largest_frames_are_whole_and_losses_exact) {
  run(1024, 240);
  run(16384, 4080);
}

TEST(overwrite_frame_ring_stress, short_texts_are_whole_and_losses_exact) { run(65536, 100); }

}  // namespace
