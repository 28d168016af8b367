// Every interleaving of short programs on the two ends of a ring, under sequential consistency and with stores that arrive late.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "explorer.hpp"
#include "spillway/core/frame_ring.hpp"
#include "spillway/core/spsc_ring.hpp"

namespace {

using spillway::model::explorer;
using spillway::model::memory;
using spillway::model::model_atomic;
using spillway::model::tracked;
using spillway::model::world;

using counter_type = std::uint8_t;

/// Loses the orders: what the explorer must catch.
class relaxed_atomic : public model_atomic<counter_type> {
 public:
  using model_atomic::model_atomic;
  counter_type load(std::memory_order) const { return model_atomic::load(std::memory_order_relaxed); }
  void store(counter_type value, std::memory_order) { model_atomic::store(value, std::memory_order_relaxed); }
};

struct programs {
  std::size_t capacity;
  counter_type first_index;
  std::size_t publish_every;
  std::string producer;  // e push, c cached push, p publish, b claim two, r close and open again, f forbid
  std::string consumer;  // e pop, d drain, l release, r close and open again, v refresh
};

[[gnu::noinline]] void check(bool holds, const char* text) { explorer::current().check(holds, text); }

template <class Atomic>
class ring_world : public world {
 public:
  explicit ring_world(const programs& p) : programs_(p), ring_(p.capacity, p.first_index) {}

  void side(int number) override { number == 0 ? produce() : consume(); }

  void finish() override {
    auto in = ring_.open_consumer();
    in.drain(ring_.capacity(), [this](tracked& record) { take(record); });
    check(in.refresh() == 0, "a ring holds more than its capacity");
    ring_.close(in);
    check(received_ == pushed_, "a record was lost or made up");
    check(ring_.size_estimate() == 0 && ring_.pushed() == ring_.consumed(), "the account does not balance");
    auto out = ring_.open_producer();
    check(out.refresh() == ring_.capacity(), "an empty ring does not offer its whole capacity");
    ring_.close(out);
  }

 private:
  using ring_type = spillway::spsc_ring<tracked, counter_type, Atomic>;

  void produce() {
    auto out = ring_.open_producer(programs_.publish_every);
    for (const char op : programs_.producer) {
      switch (op) {
        case 'e':
          pushed_ += out.try_emplace(pushed_) ? 1 : 0;
          break;
        case 'c':
          pushed_ += out.try_emplace_cached(pushed_) ? 1 : 0;
          break;
        case 'p':
          out.publish();
          break;
        case 'f':
          out.forbid();
          break;
        case 'b': {
          const std::span<tracked> room = out.claim(2);
          for (tracked& slot : room) std::construct_at(&slot, pushed_++);
          out.commit(room.size());
          break;
        }
        default:
          ring_.close(out);
          out = ring_.open_producer(programs_.publish_every);
      }
    }
    ring_.close(out);
  }

  void consume() {
    auto in = ring_.open_consumer();
    for (const char op : programs_.consumer) {
      switch (op) {
        case 'e':
          if (in.readable() > 0 || in.refresh() > 0) {
            take(in.front());
            in.pop();
          }
          break;
        case 'd':
          in.drain(programs_.capacity, [this](tracked& record) { take(record); });
          break;
        case 'l':
          in.release();
          break;
        case 'v':
          in.refresh();
          break;
        default:
          ring_.close(in);
          in = ring_.open_consumer();
      }
    }
    ring_.close(in);
  }

  [[gnu::noinline]] void take(const tracked& record) {
    check(record.value() == received_, "a record came out of order or twice");
    ++received_;
  }

  programs programs_;
  ring_type ring_;
  int pushed_ = 0;
  int received_ = 0;
};

/// Frames of 16 and 32 bytes in a ring of 64: two large ones fill it, and padding comes and goes.
class frame_world : public world {
 public:
  explicit frame_world(const programs& p) : programs_(p), ring_(64, p.first_index) {}

  void side(int number) override { number == 0 ? produce() : consume(); }

  void finish() override {
    auto in = ring_.open_consumer();
    in.drain(100, [this](std::span<std::byte> frame) { take(frame); });
    check(in.position() == pushed_ && received_ == pushed_, "a frame was lost or made up");
    ring_.close(in);
    check(ring_.bytes_estimate() == 0 && ring_.pushed() == ring_.consumed(), "the account does not balance");
    auto out = ring_.open_producer();
    check(out.try_claim(ring_.max_frame_bytes()) != nullptr, "an empty ring does not take its largest frame");
    ring_.close(out);
  }

 private:
  using ring_type = spillway::basic_frame_ring<counter_type, model_atomic<counter_type>>;

  static void touch(std::span<std::byte> frame) {
    const std::byte* const header = frame.data() - 8;
    for (std::size_t i = 0; i < frame.size() + 8; i += 16) explorer::current().touch(header + i);
  }

  [[gnu::noinline]] void push(ring_type::producer& out, std::size_t bytes) {
    std::byte* const to = out.try_claim(bytes);
    if (to == nullptr) return;
    touch({to, bytes});
    for (std::size_t i = 0; i < bytes; ++i) to[i] = std::byte{pushed_};
    out.commit(bytes);
    ++pushed_;
  }

  void produce() {
    auto out = ring_.open_producer(programs_.publish_every);
    for (const char op : programs_.producer) {
      switch (op) {
        case 's':
          push(out, 8);
          break;
        case 'b':
          push(out, 24);
          break;
        case 'p':
          out.publish();
          break;
        case 'a':
          if (out.try_claim(24) != nullptr) out.abort();
          break;
        default:
          ring_.close(out);
          out = ring_.open_producer(programs_.publish_every);
      }
    }
    ring_.close(out);
  }

  void consume() {
    auto in = ring_.open_consumer();
    for (const char op : programs_.consumer) {
      switch (op) {
        case 'e':
          if (const std::span<std::byte> frame = in.front(); frame.data() != nullptr) {
            take(frame);
            in.pop();
          }
          break;
        case 'd':
          in.drain(2, [this](std::span<std::byte> frame) { take(frame); });
          break;
        case 'l':
          in.release();
          break;
        default:
          ring_.close(in);
          in = ring_.open_consumer();
      }
    }
    ring_.close(in);
  }

  [[gnu::noinline]] void take(std::span<std::byte> frame) {
    if (explorer::current().running() != explorer::nobody) touch(frame);
    for (const std::byte b : frame) check(b == std::byte{received_}, "a frame came out of order, twice or damaged");
    ++received_;
  }

  programs programs_;
  ring_type ring_;
  counter_type pushed_ = 0;
  counter_type received_ = 0;
};

/// All words of `length` letters.
std::vector<std::string> words(const std::string& letters, std::size_t length) {
  std::vector<std::string> result{""};
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<std::string> longer;
    for (const std::string& word : result) {
      for (const char letter : letters) longer.push_back(word + letter);
    }
    result = longer;
  }
  return result;
}

using plain_ring = ring_world<model_atomic<counter_type>>;

template <class World = plain_ring>
std::string explore(memory kind, const programs& p, std::size_t* executions = nullptr) {
  explorer explore(kind);
  explore.run([&] { return std::make_unique<World>(p); });
  if (executions != nullptr) *executions += explore.executions();
  return explore.failure();
}

/// Sanitizers watch the memory, not the schedules, and make an execution many times dearer: there, a sample of the programs.
#ifdef SPILLWAY_MODEL_ASAN
constexpr std::size_t every_nth_pair = 23;
#else
constexpr std::size_t every_nth_pair = 1;
#endif

/// Every producer program against every consumer program, each two operations longer than the capacity.
template <class World = plain_ring>
void explore_all(memory kind, std::size_t capacity, std::size_t publish_every, const std::string& producer_letters,
                 const std::string& consumer_letters) {
  std::size_t executions = 0;
  std::size_t pair = 0;
  for (const std::string& producer : words(producer_letters, capacity + 2)) {
    for (const std::string& consumer : words(consumer_letters, capacity + 2)) {
      if (pair++ % every_nth_pair != 0) continue;
      const programs p{capacity, 254, publish_every, producer, consumer};
      ASSERT_EQ(explore<World>(kind, p, &executions), "") << "capacity " << capacity << ", publish every " << publish_every
                                                          << ", producer " << producer << ", consumer " << consumer;
    }
  }
  ::testing::Test::RecordProperty("executions", std::to_string(executions));
}

TEST(ring_interleavings, capacity_1_with_every_verb) { explore_all(memory::sequential, 1, 1, "epbr", "edlr"); }

TEST(ring_interleavings, capacity_2_pushes_and_publishes_against_pops_and_drains) {
  for (const std::size_t publish_every : {1u, 2u}) explore_all(memory::sequential, 2, publish_every, "ep", "ed");
}

TEST(ring_interleavings, capacity_2_bulk_and_reopened_producers_against_every_consumer) {
  explore_all(memory::sequential, 2, 2, "eb", "edlr");
  explore_all(memory::sequential, 2, 2, "ber", "ed");
}

TEST(ring_interleavings, capacity_2_cached_pushes_and_forbidding) { explore_all(memory::sequential, 2, 2, "cef", "dv"); }

TEST(ring_interleavings, capacity_1_when_stores_arrive_late) { explore_all(memory::weak, 1, 1, "epb", "edr"); }

TEST(ring_interleavings, capacity_2_when_stores_arrive_late) { explore_all(memory::weak, 2, 2, "ep", "ed"); }

TEST(frame_ring_interleavings, frames_publishes_and_aborts_against_pops_and_drains) {
  for (const std::size_t publish_every : {1u, 3u}) explore_all<frame_world>(memory::sequential, 2, publish_every, "sb", "ed");
  explore_all<frame_world>(memory::sequential, 2, 3, "sbp", "er");
  explore_all<frame_world>(memory::sequential, 2, 3, "sab", "ed");
}

TEST(frame_ring_interleavings, when_stores_arrive_late) { explore_all<frame_world>(memory::weak, 2, 1, "sb", "e"); }

TEST(interleavings_explorer, a_ring_without_its_orders_is_caught) {
  const programs p{1, 0, 1, "eee", "eee"};
  EXPECT_EQ(explore(memory::sequential, p), "");
  EXPECT_EQ(explore<ring_world<relaxed_atomic>>(memory::sequential, p), "data race on a record");
  EXPECT_EQ(explore<ring_world<relaxed_atomic>>(memory::weak, p), "data race on a record");
}

TEST(interleavings_explorer, merging_equal_states_loses_no_ending) {
  for (const memory kind : {memory::sequential, memory::weak}) {
    for (const char* producer : {"eee", "ebp", "epr"}) {
      const programs p{1, 255, 1, producer, "edl"};
      explorer merged(kind);
      merged.run([&] { return std::make_unique<plain_ring>(p); });
      explorer every(kind, false);
      every.run([&] { return std::make_unique<plain_ring>(p); });
      EXPECT_EQ(merged.endings(), every.endings());
      EXPECT_LE(merged.executions(), every.executions());
      EXPECT_GT(merged.endings().size(), 1u);
    }
  }
}

}  // namespace
