// A ring whose producer never waits and never fails: a record takes the place of the oldest, and the reader learns exactly how many it missed.
//
// One thread at a time holds the producer, one the consumer; the counts may be read from any thread. The ring is made and destroyed by one
// thread, with both ends closed.
// 1. Records are trivially copyable; the reader copies them out and never hands out a mixture of two.
// 2. A reader that was lapped goes on at three quarters of a ring behind the newest published record, so that it is not lapped again at once; what it passed
//    over is in `lost`. Whenever both ends rest, pushed == consumed + lost + left.
// 3. The producer publishes every few records; call `publish` before doing anything else, or the last records wait. No verb waits, allocates or makes
//    a system call.
// 4. Indices wrap with `Counter`. A reader that is less than half of the counter's range behind knows where it is; it must look at least that often. With
//    64 bits it always does.
// The protocol is a sequence lock per slot: the number is odd while the slot is written, and even and equal to 2 * index + 2 afterwards.
//
//     overwrite_ring<int> ring(4);
//     auto out = ring.open_producer();
//     auto in = ring.open_consumer();
//     for (int n = 0; n < 10; ++n) out.push(n);
//     out.publish();
//     int latest = 0;
//     while (in.try_pop(latest)) std::cout << latest << '\n';
//     assert(latest == 9 && ring.consumed() + ring.lost() == 10);
//     ring.close(out);
//     ring.close(in);
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "spillway/core/atomic_record.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/endpoint_owner.hpp"
#include "spillway/core/fail.hpp"
#include "spillway/core/prefetch.hpp"
#include "spillway/core/ring_storage.hpp"

namespace spillway {

/// `Counter` and the first index are parameters so that a test can see the wrap; `Atomic` so that a test can order every access.
template <class T, std::unsigned_integral Counter = std::uint64_t, template <class> class Atomic = std::atomic>
class basic_overwrite_ring {
  static_assert(std::is_trivially_copyable_v<T>, "spillway: a record of an overwriting ring must be trivially copyable");

  // A slot that fits one line does not straddle two; larger ones follow each other without gaps.
  static constexpr std::size_t plain_bytes = 8 + atomic_record<T>::words * 8;
  static constexpr std::size_t slot_alignment = plain_bytes <= cache_line_bytes ? std::bit_ceil(plain_bytes) : 8;
  struct alignas(std::max(slot_alignment, alignof(atomic_record<T, Atomic>))) slot {
    Atomic<Counter> number;
    atomic_record<T, Atomic> record;
  };
  static constexpr std::size_t slots_per_line =
      sizeof(slot) >= cache_line_bytes ? 1 : std::bit_floor(cache_line_bytes / sizeof(slot));
  static constexpr std::size_t lines_per_slot = std::clamp<std::size_t>(sizeof(slot) / cache_line_bytes, 1, 4);
  static constexpr std::size_t write_ahead = std::max<std::size_t>(1, prefetch_write_lines* cache_line_bytes / sizeof(slot));

  static constexpr Counter plus(Counter a, std::size_t n) noexcept { return static_cast<Counter>(a + n); }
  static constexpr Counter written_number(Counter index) noexcept { return static_cast<Counter>(2 * index + 2); }
  static constexpr bool is_above_zero(Counter difference) noexcept {
    return static_cast<std::make_signed_t<Counter>>(difference) > 0;
  }

 public:
  using value_type = T;
  using counter_type = Counter;

  /// The writing end. All verbs belong to the thread that opened it.
  class producer {
   public:
    constexpr producer() noexcept = default;

    /// Writes one record behind the others, in the place of the oldest if the ring is full.
    SPILLWAY_INLINE void push(const T& record) noexcept {
      slot& s = slots_[next_ & mask_];
      prefetch_at_line_start();
      // Release, here and at each word, keeps these stores in their order: a reader that gets a new word sees this number afterwards. And it pairs
      // with the reader's acquire load of the number: who sees the slot taken sees in written_ how far the ring had come before.
      s.number.store(static_cast<Counter>(2 * next_ + 1), std::memory_order_release);
      s.record.store(record);
      // Release pairs with the reader's acquire load of the number: it sees all of the record.
      s.number.store(written_number(next_), std::memory_order_release);
      next_ = plus(next_, 1);
      if (next_ == publish_at_) store_next();
    }

    /// Shows the consumer every record so far. Costs one comparison when there is nothing new.
    SPILLWAY_INLINE void publish() noexcept {
      ring_->producer_owner_.check();
      if (next_ != static_cast<Counter>(publish_at_ - publish_every_)) store_next();
    }

    /// Index of the next record.
    SPILLWAY_INLINE Counter position() const noexcept { return next_; }

   private:
    friend basic_overwrite_ring;

    SPILLWAY_INLINE void store_next() noexcept {
      // Release pairs with the consumer's acquire loads of this index: slots before it were written.
      ring_->written_.store(next_, std::memory_order_release);
      publish_at_ = plus(next_, publish_every_);
    }

    SPILLWAY_INLINE void prefetch_at_line_start() const noexcept {
      if ((next_ & (slots_per_line - 1)) != 0) return;
      const slot* ahead = slots_ + ((next_ + write_ahead) & mask_);
      for (std::size_t i = 0; i < lines_per_slot; ++i)
        prefetch_for_write(reinterpret_cast<const std::byte*>(ahead) + i * cache_line_bytes);
    }

    slot* slots_ = nullptr;
    basic_overwrite_ring* ring_ = nullptr;
    Counter mask_ = 0;
    Counter next_ = 0;
    Counter publish_every_ = 1;
    Counter publish_at_ = 1;
  };

  /// The reading end. All verbs belong to the thread that opened it.
  class consumer {
   public:
    constexpr consumer() noexcept = default;

    /// Copies the next record out; false when there is none now, and then the bytes of `to` mean nothing.
    SPILLWAY_INLINE bool try_pop(T& to) noexcept {
      for (;;) {
        // The index is looked at only when all that was seen is read: a reader that looked at slots instead would take their lines from the producer.
        if (next_ == seen_) {
          ring_->consumer_owner_.check();
          // Acquire pairs with the producer's release store of the index.
          seen_ = ring_->written_.load(std::memory_order_acquire);
          if (next_ == seen_) return false;
        }
        const slot& s = slots_[next_ & mask_];
        // Acquire pairs with the producer's release stores of the number.
        const Counter number = s.number.load(std::memory_order_acquire);
        if (number == written_number(next_)) [[likely]] {
          s.record.load(to);
          // Relaxed is enough: the acquire loads of the words keep it behind them, and a word of a newer record brings that record's number along.
          if (s.number.load(std::memory_order_relaxed) == number) [[likely]] {
            next_ = plus(next_, 1);
            // Relaxed: a count for observers; it orders nothing.
            ring_->consumed_.store(++consumed_, std::memory_order_relaxed);
            return true;
          }
        }
        if (!skip_lapped()) return false;
      }
    }

    /// Index of the next record to be read: one more than that of the record that `try_pop` gave last.
    SPILLWAY_INLINE Counter position() const noexcept { return next_; }

    /// Records passed over so far, modulo `Counter`.
    SPILLWAY_INLINE Counter lost() const noexcept { return lost_; }

   private:
    friend basic_overwrite_ring;

    /// Goes to where records are likely to stay for a while. False when the one that is being written is the only one ahead.
    SPILLWAY_NOINLINE bool skip_lapped() noexcept {
      // Acquire pairs with the producer's release store of the index.
      const Counter written = seen_ = ring_->written_.load(std::memory_order_acquire);
      const std::size_t kept = std::max<std::size_t>(1, (std::size_t{mask_} + 1) / 4 * 3);
      const Counter to = static_cast<Counter>(written - kept);
      const Counter passed = static_cast<Counter>(to - next_);
      if (!is_above_zero(passed)) return false;
      next_ = to;
      lost_ = plus(lost_, passed);
      // Relaxed: a count for observers; it orders nothing.
      ring_->lost_.store(lost_, std::memory_order_relaxed);
      return true;
    }

    slot* slots_ = nullptr;
    basic_overwrite_ring* ring_ = nullptr;
    Counter mask_ = 0;
    Counter next_ = 0;
    Counter seen_ = 0;
    Counter consumed_ = 0;
    Counter lost_ = 0;
  };

  /// Capacity is a power of two, at least the one asked for and 1. Throws std::length_error when the capacity does not fit in memory or exceeds an eighth of the range of `Counter`, std::bad_alloc.
  explicit basic_overwrite_ring(std::size_t min_capacity, Counter first_index = 0)
      : written_(first_index),
        consumed_(Counter{0}),
        lost_(Counter{0}),
        saved_next_(first_index),
        saved_read_(first_index),
        storage_(capacity_for(min_capacity) * sizeof(slot), alignof(slot)),
        mask_(static_cast<Counter>(capacity_for(min_capacity) - 1)),
        first_(first_index) {
    for (std::size_t i = 0; i <= std::size_t{mask_}; ++i) {
      slot* s = std::construct_at(slots() + ((first_index + i) & mask_));
      // As if the lap before had been written.
      s->number.store(written_number(static_cast<Counter>(first_index + i - capacity())), std::memory_order_relaxed);
    }
  }

  /// Requires: both ends are closed.
  ~basic_overwrite_ring() {
    producer_owner_.check_closed();
    consumer_owner_.check_closed();
    std::destroy_n(slots(), capacity());
  }
  basic_overwrite_ring(const basic_overwrite_ring&) = delete;
  basic_overwrite_ring& operator=(const basic_overwrite_ring&) = delete;

  /// Takes the writing end, where it was closed. `publish_every`: at most a quarter of the capacity, so that a lapped reader finds a way ahead.
  /// Requires: the end is closed; if another thread had it, its `close` happened before.
  producer open_producer(std::size_t publish_every = 32) noexcept {
    producer_owner_.take();
    producer out;
    out.slots_ = slots();
    out.ring_ = this;
    out.mask_ = mask_;
    out.next_ = saved_next_;
    out.publish_every_ =
        static_cast<Counter>(std::clamp<std::size_t>(publish_every, 1, std::max<std::size_t>(capacity() / 4, 1)));
    out.publish_at_ = plus(out.next_, out.publish_every_);
    return out;
  }
  /// Takes the reading end, where it was closed. Requires: as `open_producer`.
  consumer open_consumer() noexcept {
    consumer_owner_.take();
    consumer in;
    in.slots_ = slots();
    in.ring_ = this;
    in.mask_ = mask_;
    in.next_ = saved_read_;
    in.seen_ = saved_read_;
    in.consumed_ = consumed_.load(std::memory_order_relaxed);
    in.lost_ = lost_.load(std::memory_order_relaxed);
    return in;
  }
  /// Hands an end back, the writing one published; every copy of the cursor is stale from here.
  void close(producer out) noexcept {
    out.publish();
    saved_next_ = out.next_;
    producer_owner_.give_back();
  }
  void close(consumer in) noexcept {
    saved_read_ = in.next_;
    consumer_owner_.give_back();
  }

  std::size_t capacity() const noexcept { return std::size_t{mask_} + 1; }
  std::size_t memory_bytes() const noexcept { return storage_.bytes(); }

  // Counts modulo `Counter`, from any thread. While the ends move they are of neighbouring moments.
  Counter pushed() const noexcept { return static_cast<Counter>(written_.load(std::memory_order_relaxed) - first_); }
  Counter consumed() const noexcept { return consumed_.load(std::memory_order_relaxed); }
  /// Passed over by the reader or overwritten in front of it, which it has yet to find out.
  Counter lost() const noexcept {
    const moment m = look();
    return m.ahead > capacity() ? static_cast<Counter>(m.lost + m.ahead - capacity()) : m.lost;
  }
  /// Written and neither read nor lost.
  Counter left() const noexcept { return static_cast<Counter>(std::min<std::size_t>(look().ahead, capacity())); }

 private:
  static std::size_t capacity_for(std::size_t min_capacity) {
    // A sequence number counts two for each index, and has to tell earlier from later laps.
    const std::size_t capacity = ring_capacity<Counter>(min_capacity, sizeof(slot));
    if (sizeof(Counter) < sizeof(std::size_t) && capacity > (std::size_t{1} << (std::numeric_limits<Counter>::digits - 3))) {
      throw_or_terminate<std::length_error>(
          "spillway: the ring's capacity exceeds an eighth of its counter's range; ask for a smaller capacity");
    }
    return capacity;
  }
  struct moment {
    Counter ahead;
    Counter lost;
  };
  /// The producer's index first, and acquire keeps it there: so what the reader did meanwhile never looks like a loss, and at worst like a distance
  /// below zero.
  moment look() const noexcept {
    const Counter written = written_.load(std::memory_order_acquire);
    const Counter lost = lost_.load(std::memory_order_relaxed);
    const Counter read = static_cast<Counter>(first_ + consumed_.load(std::memory_order_relaxed) + lost);
    const Counter ahead = static_cast<Counter>(written - read);
    return {is_above_zero(ahead) ? ahead : Counter{0}, lost};
  }
  slot* slots() const noexcept { return std::launder(reinterpret_cast<slot*>(storage_.data())); }

  alignas(destructive_distance_bytes) Atomic<Counter> written_;   // stored by the producer
  alignas(destructive_distance_bytes) Atomic<Counter> consumed_;  // stored by the consumer, as is the next
  Atomic<Counter> lost_;
  alignas(destructive_distance_bytes) Counter saved_next_;
  endpoint_owner producer_owner_;
  alignas(destructive_distance_bytes) Counter saved_read_;
  endpoint_owner consumer_owner_;
  alignas(destructive_distance_bytes) ring_storage storage_;  // from here: never written after construction
  Counter mask_;
  Counter first_;
};

template <class T>
using overwrite_ring = basic_overwrite_ring<T>;

}  // namespace spillway
