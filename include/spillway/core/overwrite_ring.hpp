// A ring whose producer never waits and never fails: a record takes the place of the oldest, and the reader learns exactly how many it missed.
//
// One thread at a time holds the producer, one the consumer; the counts may be read from any thread. The ring is made and destroyed by one
// thread, with both ends closed.
// 1. Records are trivially copyable; the reader copies them out and never sees a mixture of two.
// 2. A reader that was lapped goes on at three quarters of a ring behind the newest record, so that it is not lapped again at once; what it passed
//    over is in `lost`. Whenever both ends rest, pushed == consumed + lost + left.
// 3. Every record is visible at once. No verb waits, allocates or makes a system call.
// 4. Indices wrap with `Counter`. A reader must look at least once while the producer writes a quarter of the counter's range; with 64 bits it always does.
// The protocol is a sequence lock per slot: the number is odd while the slot is written, and even and equal to 2 * index + 2 afterwards.
//
//     overwrite_ring<quote> ring(1024);
//     auto out = ring.open_producer();            auto in = ring.open_consumer();
//     out.push(q);                                for (quote q; in.try_pop(q);) show(q);
//     ring.close(out);                            ring.close(in);
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "spillway/core/atomic_record.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/endpoint_owner.hpp"
#include "spillway/core/prefetch.hpp"
#include "spillway/core/ring_storage.hpp"

namespace spillway {

/// `Counter` and the first index are parameters so that a test can see the wrap; `Atomic` so that a test can order every access.
template <class T, std::unsigned_integral Counter = std::uint64_t, template <class> class Atomic = std::atomic>
class basic_overwrite_ring {
  static_assert(std::is_trivially_copyable_v<T>, "spillway: a record of an overwriting ring must be trivially copyable");
  static_assert(std::is_trivially_destructible_v<Atomic<Counter>>);

  // A slot that fits one line does not straddle two; larger ones follow each other without gaps.
  static constexpr std::size_t plain_bytes = 8 + atomic_record<T>::words * 8;
  static constexpr std::size_t slot_alignment = plain_bytes <= cache_line_bytes ? std::bit_ceil(plain_bytes) : 8;
  struct alignas(std::max(slot_alignment, alignof(atomic_record<T, Atomic>))) slot {
    Atomic<Counter> number;
    atomic_record<T, Atomic> record;
  };
  static constexpr std::size_t write_ahead = std::max<std::size_t>(1, prefetch_write_lines* cache_line_bytes / sizeof(slot));

  static constexpr Counter plus(Counter a, std::size_t n) noexcept { return static_cast<Counter>(a + n); }
  static constexpr Counter written_number(Counter index) noexcept { return static_cast<Counter>(2 * index + 2); }

 public:
  using value_type = T;

  class producer {
   public:
    constexpr producer() noexcept = default;

    /// Writes one record behind the others, in the place of the oldest if the ring is full.
    SPILLWAY_INLINE void push(const T& record) noexcept {
      slot& s = slots_[next_ & mask_];
      prefetch_for_write(slots_ + ((next_ + write_ahead) & mask_));
      // Release, here and at each word, keeps these stores in their order: a reader that gets a new word sees this number afterwards. And it pairs
      // with the reader's acquire load of the number: who sees the slot taken sees in written_ how far the ring has come.
      s.number.store(static_cast<Counter>(2 * next_ + 1), std::memory_order_release);
      s.record.store(record);
      // Release pairs with the reader's acquire load of the number: it sees all of the record.
      s.number.store(written_number(next_), std::memory_order_release);
      next_ = plus(next_, 1);
      // Release pairs with the acquire load in skip_lapped: slots before this index were written.
      ring_->written_.store(next_, std::memory_order_release);
    }

    /// Index of the next record.
    SPILLWAY_INLINE Counter position() const noexcept { return next_; }

   private:
    friend basic_overwrite_ring;
    slot* slots_ = nullptr;
    basic_overwrite_ring* ring_ = nullptr;
    Counter mask_ = 0;
    Counter next_ = 0;
  };

  class consumer {
   public:
    constexpr consumer() noexcept = default;

    /// Copies the next record out; false when there is none now.
    SPILLWAY_INLINE bool try_pop(T& to) noexcept {
      for (;;) {
        const slot& s = slots_[next_ & mask_];
        // Acquire pairs with the producer's release stores of the number.
        const Counter number = s.number.load(std::memory_order_acquire);
        if (number == written_number(next_)) [[likely]] {
          s.record.load(to);
          // Relaxed is enough: the acquire loads of the words keep it behind them, and a word of a newer record brings that record's number along.
          if (s.number.load(std::memory_order_relaxed) == number) [[likely]] {
            next_ = plus(next_, 1);
            ring_->read_.store(next_, std::memory_order_relaxed);
            return true;
          }
        } else if (!is_ahead(number)) {
          return false;
        }
        if (!skip_lapped()) return false;
      }
    }

    /// Index of the next record to be read: one more than that of the record that `try_pop` gave last.
    SPILLWAY_INLINE Counter position() const noexcept { return next_; }

   private:
    friend basic_overwrite_ring;

    /// The slot belongs to a later lap.
    bool is_ahead(Counter number) const noexcept {
      return static_cast<std::make_signed_t<Counter>>(static_cast<Counter>(number - written_number(next_))) > 0;
    }

    /// Goes to where records are likely to stay for a while. False when the one that is being written is the only one ahead.
    SPILLWAY_NOINLINE bool skip_lapped() noexcept {
      // Acquire pairs with the producer's release store of the index.
      const Counter written = ring_->written_.load(std::memory_order_acquire);
      const std::size_t kept = std::max<std::size_t>(1, (std::size_t{mask_} + 1) / 4 * 3);
      const Counter to = static_cast<Counter>(written - kept);
      const Counter passed = static_cast<Counter>(to - next_);
      if (static_cast<std::make_signed_t<Counter>>(passed) <= 0) return false;
      ring_->lost_.store(plus(ring_->lost_.load(std::memory_order_relaxed), passed), std::memory_order_relaxed);
      next_ = to;
      ring_->read_.store(next_, std::memory_order_relaxed);
      return true;
    }

    slot* slots_ = nullptr;
    basic_overwrite_ring* ring_ = nullptr;
    Counter mask_ = 0;
    Counter next_ = 0;
  };

  /// Throws std::length_error when the capacity does not fit in memory or exceeds an eighth of the range of `Counter`, std::bad_alloc.
  explicit basic_overwrite_ring(std::size_t min_capacity, Counter first_index = 0)
      : written_(first_index),
        read_(first_index),
        lost_(0),
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

  ~basic_overwrite_ring() {
    producer_owner_.check_closed();
    consumer_owner_.check_closed();
  }
  basic_overwrite_ring(const basic_overwrite_ring&) = delete;
  basic_overwrite_ring& operator=(const basic_overwrite_ring&) = delete;

  /// Takes the writing end, where it was closed. Requires: the end is closed; if another thread had it, its `close` happened before.
  producer open_producer() noexcept {
    producer_owner_.take();
    producer out;
    out.slots_ = slots();
    out.ring_ = this;
    out.mask_ = mask_;
    out.next_ = saved_next_;
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
    return in;
  }
  /// Hands an end back; every copy of the cursor is stale from here.
  void close(producer out) noexcept {
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
  Counter consumed() const noexcept {
    return static_cast<Counter>(read_.load(std::memory_order_relaxed) - first_ - lost_.load(std::memory_order_relaxed));
  }
  /// Overwritten before they were read, those that the reader has yet to find out about included.
  Counter lost() const noexcept {
    const Counter ahead = distance_ahead();
    const Counter found = lost_.load(std::memory_order_relaxed);
    return ahead > capacity() ? static_cast<Counter>(found + ahead - capacity()) : found;
  }
  /// Written and neither read nor lost.
  Counter left() const noexcept { return static_cast<Counter>(std::min<std::size_t>(distance_ahead(), capacity())); }

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
  Counter distance_ahead() const noexcept {
    // The reader's index first: the other way round the difference could fall below zero. Acquire keeps that order.
    const Counter read = read_.load(std::memory_order_acquire);
    return static_cast<Counter>(written_.load(std::memory_order_relaxed) - read);
  }
  slot* slots() const noexcept { return std::launder(reinterpret_cast<slot*>(storage_.data())); }

  alignas(destructive_distance_bytes) Atomic<Counter> written_;  // stored by the producer
  alignas(destructive_distance_bytes) Atomic<Counter> read_;     // stored by the consumer
  Atomic<Counter> lost_;                                         // the same
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
