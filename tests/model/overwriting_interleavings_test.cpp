// Every interleaving, word by word, of short programs on the two ends of the rings whose producer writes over what is being read.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "explorer.hpp"
#include "spillway/core/conflating_ring.hpp"
#include "spillway/core/overwrite_frame_ring.hpp"
#include "spillway/core/overwrite_ring.hpp"

namespace {

using spillway::model::explorer;
using spillway::model::memory;
using spillway::model::model_atomic;
using spillway::model::world;

[[gnu::noinline]] void check(bool holds, const char* text) { explorer::current().check(holds, text); }

/// Loses the orders: what the explorer must catch.
template <class Value>
class relaxed_atomic : public model_atomic<Value> {
 public:
  using model_atomic<Value>::model_atomic;
  Value load(std::memory_order) const { return model_atomic<Value>::load(std::memory_order_relaxed); }
  void store(Value value, std::memory_order) { model_atomic<Value>::store(value, std::memory_order_relaxed); }
  Value exchange(Value value, std::memory_order) { return model_atomic<Value>::exchange(value, std::memory_order_relaxed); }
};

/// Two words that tell a mixture of two records.
struct record {
  std::uint64_t number;
  std::uint64_t inverse;
};
constexpr record make(std::uint64_t number) { return {number, ~number}; }
void check_whole(const record& r) { check(r.inverse == ~r.number, "a mixture of two records came out"); }

struct programs {
  std::size_t capacity;
  std::uint64_t first_index;
  std::string producer;
  std::string consumer;
  bool full = false;  // at the start
};

/// p push, f publish, r close and open again; p pop, r as before. A large ring publishes per quarter.
template <template <class> class Atomic>
class overwrite_world : public world {
 public:
  explicit overwrite_world(const programs& p) : programs_(p), ring_(p.capacity, static_cast<counter_type>(p.first_index)) {
    if (!p.full) return;
    auto out = ring_.open_producer();
    while (pushed_ < ring_.capacity()) out.push(make(pushed_++));
    ring_.close(out);
  }

  void side(int number) override { number == 0 ? produce() : consume(); }

  void finish() override {
    check(ring_.pushed() == counter_type(ring_.consumed() + ring_.lost() + ring_.left()), "the account does not balance");
    auto in = ring_.open_consumer();
    while (pop(in)) {}
    check(in.position() == counter_type(programs_.first_index + pushed_), "the reader rests before the newest record");
    check(in.lost() == ring_.lost() && ring_.left() == 0, "a drained ring has something left");
    ring_.close(in);
    check(received_ + ring_.lost() == pushed_ && ring_.consumed() == received_, "a record was lost without a count");
  }

 private:
  using counter_type = std::uint8_t;
  using ring_type = spillway::basic_overwrite_ring<record, counter_type, Atomic>;

  void produce() {
    auto out = ring_.open_producer();
    for (const char op : programs_.producer) {
      if (op == 'p') {
        out.push(make(pushed_++));
      } else if (op == 'f') {
        out.publish();
      } else {
        ring_.close(out);
        out = ring_.open_producer();
      }
    }
    ring_.close(out);
  }
  void consume() {
    auto in = ring_.open_consumer();
    for (const char op : programs_.consumer) {
      if (op == 'p') {
        pop(in);
      } else {
        ring_.close(in);
        in = ring_.open_consumer();
      }
    }
    ring_.close(in);
  }
  [[gnu::noinline]] bool pop(typename ring_type::consumer& in) {
    record r{};
    if (!in.try_pop(r)) return false;
    check_whole(r);
    check(r.number >= next_, "a record came out of order or twice");
    check(in.position() == counter_type(programs_.first_index + r.number + 1), "the position does not name the record");
    next_ = r.number + 1;
    ++received_;
    check(in.lost() == next_ - received_, "lost does not tell what was passed over");
    return true;
  }

  programs programs_;
  ring_type ring_;
  std::uint64_t pushed_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t next_ = 0;
};

/// Starts with a ring that is full, and its reader at the oldest frame. s, m: push a frame of one word, of three; p pop.
template <template <class> class Atomic>
class overwrite_frame_world : public world {
 public:
  explicit overwrite_frame_world(const programs& p) : programs_(p), ring_(1024, static_cast<counter_type>(p.first_index)) {
    auto out = ring_.open_producer();
    for (std::size_t words = 0; words < 128; words += 4) push(out, 16);
    ring_.close(out);
  }

  void side(int number) override { number == 0 ? produce() : consume(); }

  void finish() override {
    check(ring_.pushed() == ring_.consumed() + ring_.lost() + ring_.left(), "the account does not balance");
    auto in = ring_.open_consumer();
    while (pop(in)) {}
    check(in.position() == pushed_, "the reader rests before the newest frame");
    check(in.lost() == ring_.lost() && ring_.left() == 0, "a drained ring has something left");
    ring_.close(in);
    check(received_ + ring_.lost() == pushed_ && ring_.consumed() == received_, "a frame was lost without a count");
  }

 private:
  using counter_type = std::uint8_t;
  using ring_type = spillway::basic_overwrite_frame_ring<counter_type, Atomic>;

  void push(typename ring_type::producer& out, std::size_t bytes) {
    std::array<std::uint64_t, 3> words;
    words.fill(pushed_++);
    out.push(std::as_bytes(std::span(words)).first(bytes));
  }
  void produce() {
    auto out = ring_.open_producer();
    for (const char op : programs_.producer) push(out, op == 's' ? 8 : 24);
    ring_.close(out);
  }
  void consume() {
    auto in = ring_.open_consumer();
    for (std::size_t i = 0; i < programs_.consumer.size(); ++i) pop(in);
    ring_.close(in);
  }
  [[gnu::noinline]] bool pop(typename ring_type::consumer& in) {
    const std::span<std::byte> frame = in.try_pop();
    if (frame.data() == nullptr) return false;
    std::uint64_t number = 0;
    std::memcpy(&number, frame.data(), 8);
    for (std::size_t at = 0; at < frame.size(); at += 8) {
      check(std::memcmp(&number, frame.data() + at, 8) == 0, "a mixture of two frames came out");
    }
    check(number >= next_, "a frame came out of order or twice");
    check(in.position() == number + 1, "the position does not name the frame");
    next_ = number + 1;
    ++received_;
    check(in.lost() == next_ - received_, "lost does not tell what was passed over");
    return true;
  }

  programs programs_;
  ring_type ring_;
  std::uint64_t pushed_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t next_ = 0;
};

/// a, b: update that cell; p pop.
template <template <class> class Atomic>
class conflating_world : public world {
 public:
  explicit conflating_world(const programs& p) : programs_(p), ring_(p.capacity, p.first_index) {}

  void side(int number) override { number == 0 ? produce() : consume(); }

  void finish() override {
    check(ring_.pushed() == pushed_, "an update was not counted");
    check(ring_.pushed() == ring_.consumed() + ring_.conflated() + ring_.left(), "the account does not balance");
    auto in = ring_.open_consumer();
    while (pop(in)) {}
    check(in.position() == listed_, "the reader rests before the end of the list");
    ring_.close(in);
    check(ring_.left() == 0 && ring_.consumed() + ring_.conflated() == pushed_, "a drained ring has something left");
    check(ring_.consumed() == received_, "a value was not counted");
    for (std::size_t cell = 0; cell < 2; ++cell)
      check(delivered_[cell] == updates_[cell], "the newest value of a cell never came");
  }

 private:
  using ring_type = spillway::basic_conflating_ring<record, Atomic>;

  void produce() {
    auto out = ring_.open_producer();
    for (const char op : programs_.producer) {
      const auto cell = static_cast<std::uint32_t>(op - 'a');
      out.update(cell, make(2 * ++updates_[cell] + cell));
      ++pushed_;
    }
    listed_ = out.position();
    ring_.close(out);
  }
  void consume() {
    auto in = ring_.open_consumer();
    for (std::size_t i = 0; i < programs_.consumer.size(); ++i) pop(in);
    ring_.close(in);
  }
  [[gnu::noinline]] bool pop(typename ring_type::consumer& in) {
    record r{};
    if (!in.try_pop(r)) return false;
    check_whole(r);
    const std::size_t cell = r.number % 2;
    check(r.number / 2 > delivered_[cell], "a value came out of order or twice");
    delivered_[cell] = r.number / 2;
    ++received_;
    return true;
  }

  programs programs_;
  ring_type ring_;
  std::array<std::uint64_t, 2> updates_{};
  std::array<std::uint64_t, 2> delivered_{};
  std::uint64_t pushed_ = 0;
  std::uint64_t listed_ = 0;
  std::uint64_t received_ = 0;
};

/// Sanitizers watch the memory, not the schedules, and make an execution many times dearer: there, a sample of the programs.
#ifdef SPILLWAY_MODEL_ASAN
constexpr std::size_t every_nth_program = 11;
#else
constexpr std::size_t every_nth_program = 1;
#endif

template <class World>
std::string explore(memory kind, const programs& p) {
  static std::size_t program = 0;
  if (kind == memory::sequential && program++ % every_nth_program != 0) return "";
  explorer explore(kind);
  explore.run([&] { return std::make_unique<World>(p); });
  return explore.failure();
}

std::string times(std::size_t n, char letter) { return std::string(n, letter); }

TEST(overwrite_ring_interleavings, capacity_1_and_2_never_give_a_mixture_and_count_every_loss) {
  for (const std::size_t capacity : {1u, 2u}) {
    for (const std::uint64_t first : {0u, 125u, 254u}) {
      for (std::size_t pushes = 1; pushes <= capacity + 2; ++pushes) {
        for (std::size_t pops = 1; pops <= 3; ++pops) {
          ASSERT_EQ(
              explore<overwrite_world<model_atomic>>(memory::sequential, {capacity, first, times(pushes, 'p'), times(pops, 'p')}),
              "")
              << "capacity " << capacity << ", first index " << first << ", " << pushes << " pushes, " << pops << " pops";
        }
      }
    }
  }
}

TEST(overwrite_ring_interleavings, ends_that_close_and_open_again_lose_no_count) {
  for (const std::size_t capacity : {1u, 2u}) {
    ASSERT_EQ(explore<overwrite_world<model_atomic>>(memory::sequential, {capacity, 255, "prpp", "prp"}), "");
  }
}

TEST(overwrite_ring_interleavings, a_full_ring_lapped_by_records_that_are_not_published_yet) {
  for (const char* producer : {"p", "pp", "ppp", "pfpp"}) {
    for (const char* consumer : {"p", "pp"}) {
      ASSERT_EQ(explore<overwrite_world<model_atomic>>(memory::sequential, {8, 250, producer, consumer, true}), "")
          << producer << consumer;
      ASSERT_EQ(explore<overwrite_world<model_atomic>>(memory::sequential, {4, 250, producer, consumer, true}), "")
          << producer << consumer;
    }
  }
  ASSERT_EQ(explore<overwrite_world<model_atomic>>(memory::weak, {8, 250, "pp", "pp", true}), "");
}

TEST(overwrite_ring_interleavings, when_stores_arrive_late) {
  ASSERT_EQ(explore<overwrite_world<model_atomic>>(memory::weak, {1, 254, "pp", "pp"}), "");
  ASSERT_EQ(explore<overwrite_world<model_atomic>>(memory::weak, {1, 254, "ppp", "p"}), "");
  ASSERT_EQ(explore<overwrite_world<model_atomic>>(memory::weak, {2, 254, "ppp", "pp"}), "");
  ASSERT_EQ(explore<overwrite_world<model_atomic>>(memory::weak, {2, 254, "pppp", "p"}), "");
}

TEST(overwrite_ring_interleavings, a_ring_without_its_orders_is_caught) {
  EXPECT_EQ(explore<overwrite_world<relaxed_atomic>>(memory::weak, {1, 0, "pp", "pp"}), "a mixture of two records came out");
}

TEST(overwrite_frame_ring_interleavings, a_full_ring_read_while_it_is_overwritten_never_gives_a_mixture) {
  for (const std::uint64_t first : {0u, 100u, 250u}) {
    for (const char* producer : {"s", "m", "ss", "sm"}) {
      for (const char* consumer : {"p", "pp"}) {
        ASSERT_EQ(explore<overwrite_frame_world<model_atomic>>(memory::sequential, {0, first, producer, consumer}), "")
            << "first index " << first << ", producer " << producer << ", consumer " << consumer;
      }
    }
  }
}

TEST(overwrite_frame_ring_interleavings, when_stores_arrive_late) {
  ASSERT_EQ(explore<overwrite_frame_world<model_atomic>>(memory::weak, {0, 252, "s", "p"}), "");
  ASSERT_EQ(explore<overwrite_frame_world<model_atomic>>(memory::weak, {0, 252, "ss", "p"}), "");
}

TEST(overwrite_frame_ring_interleavings, a_ring_without_its_orders_is_caught) {
  EXPECT_EQ(explore<overwrite_frame_world<relaxed_atomic>>(memory::weak, {0, 0, "s", "p"}), "a frame came out of order or twice");
}

TEST(conflating_ring_interleavings, every_cell_comes_out_whole_and_its_newest_value_always) {
  for (const char* producer : {"a", "aa", "aaa"}) {
    for (const char* consumer : {"p", "pp", "ppp"}) {
      ASSERT_EQ(explore<conflating_world<model_atomic>>(memory::sequential, {1, ~std::uint64_t{0}, producer, consumer}), "")
          << producer << consumer;
    }
  }
  for (const char* producer : {"ab", "aab", "aba", "abb", "aabb"}) {
    for (const char* consumer : {"p", "pp", "ppp"}) {
      ASSERT_EQ(explore<conflating_world<model_atomic>>(memory::sequential, {2, ~std::uint64_t{0}, producer, consumer}), "")
          << producer << consumer;
    }
  }
}

TEST(conflating_ring_interleavings, when_stores_arrive_late) {
  for (const char* producer : {"aa", "aaa"}) {
    for (const char* consumer : {"p", "pp"}) {
      ASSERT_EQ(explore<conflating_world<model_atomic>>(memory::weak, {1, 0, producer, consumer}), "") << producer << consumer;
    }
  }
  ASSERT_EQ(explore<conflating_world<model_atomic>>(memory::weak, {2, 0, "aba", "pp"}), "");
}

TEST(conflating_ring_interleavings, a_ring_without_its_orders_is_caught) {
  EXPECT_NE(explore<conflating_world<relaxed_atomic>>(memory::weak, {1, 0, "aa", "pp"}), "");
}

}  // namespace
