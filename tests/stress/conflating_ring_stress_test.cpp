// Two threads, the writer never waiting for the reader: every value whole, newer than the cell's last, and the newest of each cell always read.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "spillway/core/conflating_ring.hpp"
#include "spillway/core/cpu_relax.hpp"

namespace {

constexpr auto run_time = std::chrono::milliseconds(250);

/// Every word follows from the first two, each by another rule, so that a mixture of two values shows.
struct value {
  std::uint64_t cell;
  std::uint64_t number;
  std::array<std::uint64_t, 6> words;
  static value of(std::uint64_t cell, std::uint64_t number) {
    value result{cell, number, {}};
    for (std::size_t i = 0; i < 6; ++i) result.words[i] = number * (2 * i + 3) + cell;
    return result;
  }
  bool is_whole() const {
    for (std::size_t i = 0; i < 6; ++i) {
      if (words[i] != number * (2 * i + 3) + cell) return false;
    }
    return true;
  }
};
using ring_type = spillway::conflating_ring<value>;

/// What both threads share; all but `done` is read when both have ended.
struct outcome {
  explicit outcome(std::size_t cells) : updates(cells), delivered(cells) {}
  std::atomic<bool> done{false};
  std::vector<std::uint64_t> updates;
  std::vector<std::uint64_t> delivered;
  std::uint64_t pushed = 0;
  std::uint64_t received = 0;
  std::uint64_t entries = 0;
  bool whole = true;
  bool rising = true;
};

void produce(ring_type& ring, outcome& result) {
  std::minstd_rand random(1);
  const auto end = std::chrono::steady_clock::now() + run_time;
  auto out = ring.open_producer();
  while (std::chrono::steady_clock::now() < end) {
    for (int burst = 0; burst < 200; ++burst) {
      const std::size_t cell = random() % result.updates.size();
      for (std::size_t n = random() % 6; n > 0; --n, ++result.pushed) {
        out.update(static_cast<std::uint32_t>(cell), value::of(cell, ++result.updates[cell]));
      }
      if (random() % 4 == 0) out.publish();
      if (random() % 64 == 0) std::this_thread::yield();
    }
    ring.close(out);
    out = ring.open_producer();
  }
  result.entries = out.position();
  ring.close(out);
  // Release pairs with the consumer's acquire load: the last publish is visible to whoever sees it.
  result.done.store(true, std::memory_order_release);
}

void consume(ring_type& ring, outcome& result) {
  std::minstd_rand random(2);
  auto in = ring.open_consumer();
  for (bool last_look = false;;) {
    value v;
    if (in.try_pop(v)) {
      result.whole &= v.is_whole() && v.cell < result.delivered.size();
      if (!result.whole) break;
      result.rising &= v.number > result.delivered[v.cell];
      result.delivered[v.cell] = v.number;
      ++result.received;
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
  ring.close(in);
}

void run(std::size_t cells) {
  ring_type ring(cells, ~std::uint64_t{0} - 100);
  outcome result(cells);
  std::thread producer([&] { produce(ring, result); });
  std::thread consumer([&] { consume(ring, result); });
  producer.join();
  consumer.join();
  EXPECT_TRUE(result.whole);
  EXPECT_TRUE(result.rising);
  EXPECT_EQ(result.updates, result.delivered) << "the newest value of each cell comes, and nothing newer";
  EXPECT_GT(result.received, 0u);
  EXPECT_EQ(ring.pushed(), result.pushed);
  EXPECT_EQ(ring.consumed(), result.received);
  EXPECT_EQ(ring.pushed(), ring.consumed() + ring.conflated());
  EXPECT_EQ(ring.left(), 0u);
  auto in = ring.open_consumer();
  EXPECT_EQ(in.position(), result.entries);
  ring.close(in);
}

TEST(conflating_ring_stress, one_cell_is_whole_and_its_newest_value_comes) { run(1); }

TEST(conflating_ring_stress, a_few_cells_are_whole_and_their_newest_values_come) {
  run(2);
  run(7);
}

TEST(conflating_ring_stress, a_thousand_cells_are_whole_and_their_newest_values_come) { run(1000); }

}  // namespace
