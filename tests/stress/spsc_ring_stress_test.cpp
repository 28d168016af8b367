// Two threads, every value and its order checked, single and batched verbs mixed.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "spillway/core/cpu_relax.hpp"
#include "spillway/core/spsc_ring.hpp"

namespace {

using spillway::spsc_ring;

constexpr auto run_time = std::chrono::milliseconds(250);

struct line_record {
  std::uint64_t words[8];
};

std::uint64_t make(std::uint64_t i, const std::uint64_t*) { return i; }
line_record make(std::uint64_t i, const line_record*) { return {{i, ~i, i, ~i, i, ~i, i, ~i}}; }
std::string make(std::uint64_t i, const std::string*) { return std::to_string(i) + ", longer than a small string holds"; }

bool is(std::uint64_t record, std::uint64_t i) { return record == i; }
bool is(const line_record& record, std::uint64_t i) {
  for (std::size_t w = 0; w < 8; ++w) {
    if (record.words[w] != (w % 2 == 0 ? i : ~i)) return false;
  }
  return true;
}
bool is(const std::string& record, std::uint64_t i) { return record == make(i, &record); }

/// What both threads share; `pushed` is final once `done` is set.
struct outcome {
  std::atomic<bool> done{false};
  std::uint64_t pushed = 0;
  std::uint64_t received = 0;
  bool in_order = true;
};

/// One thread may have to wait for a time slice of the other where processors are few.
void wait_a_little(unsigned& empty_looks) {
  if (++empty_looks % 64 == 0) {
    std::this_thread::yield();
  } else {
    spillway::cpu_relax();
  }
}

template <class T, class Counter>
void produce(spsc_ring<T, Counter>& ring, std::size_t publish_every, outcome& result) {
  std::minstd_rand random(1);
  const auto end = std::chrono::steady_clock::now() + run_time;
  auto out = ring.open_producer(publish_every);
  std::uint64_t next = 0;
  unsigned waits = 0;
  while (std::chrono::steady_clock::now() < end) {
    for (int burst = 0; burst < 200; ++burst) {
      switch (random() % 4) {
        case 0: {
          const auto room = out.claim(random() % 100);
          for (T& slot : room) std::construct_at(&slot, make(next++, &slot));
          out.commit(room.size());
          break;
        }
        case 1:
          out.publish();
          break;
        case 2:
          while (out.try_emplace_cached(make(next, static_cast<T*>(nullptr)))) ++next;
          break;
        default:
          if (out.try_emplace(make(next, static_cast<T*>(nullptr)))) {
            ++next;
          } else {
            wait_a_little(waits);
          }
      }
    }
    ring.close(out);
    out = ring.open_producer(publish_every);
  }
  ring.close(out);
  result.pushed = next;
  // Release pairs with the consumer's acquire load: the total and the last publish are visible to whoever sees it.
  result.done.store(true, std::memory_order_release);
}

template <class T, class Counter>
void consume(spsc_ring<T, Counter>& ring, outcome& result) {
  std::minstd_rand random(2);
  auto in = ring.open_consumer();
  std::uint64_t next = 0;
  unsigned waits = 0;
  const auto take = [&](T& record) { result.in_order &= is(record, next++); };
  for (;;) {
    const bool last_look = result.done.load(std::memory_order_acquire);
    const std::uint64_t before = next;
    switch (random() % 4) {
      case 0:
        in.drain(random() % 200, take);
        break;
      case 1:
        in.release();
        break;
      case 2:
        for (std::size_t n = random() % 100; n > 0 && (in.readable() > 0 || in.refresh() > 0); --n) {
          take(in.front());
          in.pop();
        }
        break;
      default:
        T record;
        while (in.try_pop(record)) take(record);
    }
    if (next != before) continue;
    if (last_look && in.refresh() == 0) break;
    wait_a_little(waits);
  }
  ring.close(in);
  result.received = next;
}

template <class T, class Counter = std::uint64_t>
void run(std::size_t capacity, std::size_t publish_every) {
  spsc_ring<T, Counter> ring(capacity, static_cast<Counter>(-100));
  outcome result;
  std::thread producer([&] { produce(ring, publish_every, result); });
  std::thread consumer([&] { consume(ring, result); });
  while (!result.done.load(std::memory_order_relaxed)) {
    EXPECT_LE(ring.size_estimate(), ring.capacity());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  producer.join();
  consumer.join();
  EXPECT_TRUE(result.in_order);
  EXPECT_GT(result.pushed, 0u);
  EXPECT_EQ(result.pushed, result.received);
  EXPECT_EQ(ring.size_estimate(), 0u);
}

TEST(spsc_ring_stress, a_single_slot_hands_over_in_order) {
  run<std::uint64_t>(1, 0);
  run<line_record>(1, 0);
}

TEST(spsc_ring_stress, two_slots_hand_over_in_order) {
  run<std::uint64_t>(2, 2);
  run<line_record>(2, 1);
}

TEST(spsc_ring_stress, a_thousand_slots_hand_over_in_order) {
  run<std::uint64_t>(1024, 0);
  run<std::uint64_t>(1024, 1);
  run<line_record>(1024, 0);
  run<line_record>(1024, 1024);
}

TEST(spsc_ring_stress, records_that_own_memory_hand_over_in_order) {
  run<std::string>(2, 1);
  run<std::string>(1024, 0);
}

TEST(spsc_ring_stress, a_counter_that_wraps_all_the_time_hands_over_in_order) {
  run<std::uint64_t, std::uint8_t>(128, 0);
  run<std::uint64_t, std::uint8_t>(4, 1);
}

}  // namespace
