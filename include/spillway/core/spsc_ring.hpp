// A bounded ring between one producing and one consuming thread.
//
// One thread at a time holds the producer, one the consumer; the estimates of the ring itself may be read from any thread. The ring is made and
// destroyed by one thread, with both ends closed.
// 1. Capacity is a power of two, at least the one asked for, and all of it is usable. Indices count without end and wrap with `Counter`.
// 2. All state of an end lives in a cursor (`producer`, `consumer`): a small trivially copyable value, taken with `open_...` and handed back
//    with `close`. Kept as a local variable whose address goes nowhere, it stays in registers. It is copyable by design: a slow path out of
//    line takes it and returns it by value. Exactly one copy is in use; the others are stale.
// 3. The producer publishes every few records, and whenever it looks for room; call `publish` before doing anything else, or the last
//    records wait. The consumer gives slots back when it has drained what it saw and per quarter of the ring; call `release` before pausing
//    half way.
// 4. No verb waits, allocates or makes a system call. A constructor that throws leaves the ring unchanged.
//
//     sw::spsc_ring<int> ring(1000);
//     auto out = ring.open_producer();                // in the writing thread
//     auto in = ring.open_consumer();                 // in the reading thread
//     bool there_was_room = out.try_emplace(7);
//     out.publish();
//     int sum = 0;
//     in.drain(256, [&](int& record) { sum += record; });
//     assert(ring.capacity() == 1024 && there_was_room && sum == 7);
//     ring.close(out);
//     ring.close(in);
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/core/endpoint_owner.hpp"
#include "spillway/core/prefetch.hpp"
#include "spillway/core/ring_storage.hpp"

namespace spillway {

/// Records after which a producer publishes unless told otherwise (or a quarter of the ring, if that is less).
inline constexpr std::size_t default_publish_every = 32;

/// `Counter` and the first index are parameters so that a test can see the wrap; `Atomic` so that a test can order every access.
template <class T, std::unsigned_integral Counter = std::uint64_t, class Atomic = std::atomic<Counter>>
class spsc_ring {
  static_assert(std::is_nothrow_destructible_v<T>, "spillway: a record in a ring must have a destructor that does not throw");

  static constexpr std::size_t slots_per_line = sizeof(T) >= cache_line_bytes ? 1 : std::bit_floor(cache_line_bytes / sizeof(T));
  static constexpr std::size_t lines_per_slot = std::min<std::size_t>((sizeof(T) + cache_line_bytes - 1) / cache_line_bytes, 4);
  static constexpr std::size_t write_ahead = std::max<std::size_t>(1, prefetch_write_lines* cache_line_bytes / sizeof(T));
  static constexpr std::size_t read_ahead = std::max<std::size_t>(1, prefetch_read_lines* cache_line_bytes / sizeof(T));

  static constexpr Counter plus(Counter a, std::size_t n) noexcept { return static_cast<Counter>(a + n); }
  static constexpr std::size_t distance(Counter from, Counter to) noexcept { return static_cast<Counter>(to - from); }

 public:
  using value_type = T;
  using counter_type = Counter;

  /// The writing end. All verbs belong to the thread that opened it.
  class producer {
   public:
    constexpr producer() noexcept = default;

    /// Constructs one record behind the others; false, and nothing happened, when the ring is full.
    template <class... Args>
    SPILLWAY_INLINE bool try_emplace(Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>) {
      if (next_ == limit_ && refresh() == 0) return false;
      construct(std::forward<Args>(args)...);
      return true;
    }

    /// As `try_emplace`, but never reads the consumer's index: false as soon as the room known from the last `refresh` is used up.
    template <class... Args>
    SPILLWAY_INLINE bool try_emplace_cached(Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>) {
      if (next_ == limit_) return false;
      construct(std::forward<Args>(args)...);
      return true;
    }

    /// As `try_emplace_cached`; `make(void* where)` constructs the record there, and is called only if there is room. If it throws,
    /// nothing happened.
    template <class Make>
    SPILLWAY_INLINE bool try_construct_cached(Make&& make) {
      if (next_ == limit_) return false;
      make(static_cast<void*>(slots_ + static_cast<std::size_t>(next_ & mask_)));
      advance();
      return true;
    }

    /// Publishes, looks at the consumer's index and returns the number of free slots.
    SPILLWAY_INLINE std::size_t refresh() noexcept {
      publish();
      // Acquire pairs with the consumer's release store of this index: without it a record could be written before the last one left its slot.
      limit_ = plus(ring_->released_.load(std::memory_order_acquire), ring_->capacity());
      return distance(next_, limit_);
    }

    /// Looks at the consumer's index, and changes nothing: is there still no room behind the last record?
    SPILLWAY_INLINE bool full() const noexcept {
      // Relaxed is enough: nothing is written on the strength of it.
      return distance(ring_->released_.load(std::memory_order_relaxed), next_) == std::size_t{mask_} + 1;
    }

    /// Makes `try_emplace_cached` fail until the next `refresh`: something older has to go first.
    SPILLWAY_INLINE void forbid() noexcept { limit_ = next_; }

    /// Up to `n` free slots in one piece, uninitialised: fewer when the ring is nearly full or ends there, none when it is full. Construct records in
    /// the first m of them (std::construct_at; plain assignment will do for trivially copyable types), then `commit(m)`.
    SPILLWAY_INLINE std::span<T> claim(std::size_t n) noexcept {
      if (distance(next_, limit_) < n) refresh();
      const std::size_t index = next_ & mask_;
      return {slots_ + index, std::min({n, distance(next_, limit_), std::size_t{mask_} + 1 - index})};
    }

    /// Appends the first `m` slots of the last `claim`. Requires: `m` is at most its size.
    SPILLWAY_INLINE void commit(std::size_t m) noexcept {
      assert(m <= distance(next_, limit_));
      next_ = plus(next_, m);
      if (distance(published(), next_) >= publish_every_) store_next();
      // Behind the publishing, and as far as the next batch is likely to reach: in front of it the hints would delay the records.
      for (std::size_t ahead = 0; ahead < std::min(m * sizeof(T), prefetch_write_lines * cache_line_bytes);
           ahead += cache_line_bytes) {
        prefetch_for_write(slots_ + (static_cast<std::size_t>(next_ + ahead / sizeof(T)) & mask_));
      }
    }

    /// Shows the consumer every record so far. Costs one comparison when there is nothing new.
    SPILLWAY_INLINE void publish() noexcept {
      ring_->producer_owner_.check();
      if (next_ != published()) store_next();
    }

    /// The index of the next record: the first index plus the number of records ever constructed, modulo `Counter`.
    SPILLWAY_INLINE Counter position() const noexcept { return next_; }

   private:
    friend spsc_ring;

    template <class... Args>
    SPILLWAY_INLINE void construct(Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>) {
      std::construct_at(slots_ + static_cast<std::size_t>(next_ & mask_), std::forward<Args>(args)...);
      advance();
    }

    /// One more record was constructed.
    SPILLWAY_INLINE void advance() noexcept {
      ++next_;
      prefetch_at_line_start();
      if (next_ == publish_at_) store_next();
    }

    SPILLWAY_INLINE void prefetch_at_line_start() const noexcept {
      if ((next_ & (slots_per_line - 1)) != 0) return;
      const T* slot = slots_ + (static_cast<std::size_t>(next_ + write_ahead) & mask_);
      for (std::size_t i = 0; i < lines_per_slot; ++i)
        prefetch_for_write(reinterpret_cast<const std::byte*>(slot) + i * cache_line_bytes);
    }

    SPILLWAY_INLINE Counter published() const noexcept { return static_cast<Counter>(publish_at_ - publish_every_); }

    SPILLWAY_INLINE void store_next() noexcept {
      // Release pairs with the consumer's acquire load of this index: without it the consumer could see the index before the records.
      ring_->written_.store(next_, std::memory_order_release);
      publish_at_ = static_cast<Counter>(next_ + publish_every_);
    }

    T* slots_ = nullptr;
    spsc_ring* ring_ = nullptr;
    Counter mask_ = 0;
    Counter next_ = 0;
    Counter limit_ = 0;
    Counter publish_at_ = 0;
    Counter publish_every_ = 1;
  };

  /// The reading end. All verbs belong to the thread that opened it.
  class consumer {
   public:
    constexpr consumer() noexcept = default;

    /// Records known to be there since the last `refresh`.
    SPILLWAY_INLINE std::size_t readable() const noexcept { return distance(next_, seen_); }

    /// Looks at the producer's index and returns the number of readable records.
    SPILLWAY_INLINE std::size_t refresh() noexcept {
      ring_->consumer_owner_.check();
      // Acquire pairs with the producer's release store of this index: without it a record could be read before it is written.
      seen_ = ring_->written_.load(std::memory_order_acquire);
      return readable();
    }

    /// The oldest record, in place. Requires: `readable() > 0`.
    SPILLWAY_INLINE T& front() const noexcept {
      assert(readable() > 0);
      return slots_[static_cast<std::size_t>(next_ & mask_)];
    }

    /// Destroys the oldest record. Requires: `readable() > 0`.
    SPILLWAY_INLINE void pop() noexcept {
      std::destroy_at(&front());
      ++next_;
      if (next_ == seen_ || distance(released_, next_) == quarter()) {
        store_next();
      } else {
        prefetch_at_line_start();
      }
    }

    /// Moves the oldest record to `record`; false when there is none.
    SPILLWAY_INLINE bool try_pop(T& record) noexcept {
      static_assert(std::is_nothrow_move_assignable_v<T>,
                    "spillway: try_pop needs a move assignment that does not throw; use front() and pop()");
      if (next_ == seen_ && refresh() == 0) return false;
      record = std::move(front());
      pop();
      return true;
    }

    /// Calls `f(T&)` for up to `max` records in place, destroys them and releases once; returns how many. An `f` that returns bool ends the drain by
    /// false. If `f` throws, its record counts as consumed, and what was consumed is released. `f` must not use this cursor.
    template <class F>
    SPILLWAY_INLINE std::size_t drain(std::size_t max, F&& f) {
      if (readable() < max) refresh();
      const Counter first = next_;
      const Counter end = plus(first, std::min(max, readable()));
      const release_at_exit guard{*this};
      while (next_ != end) {
        prefetch_at_line_start();
        const destroy_at_exit consumed{*this};
        if constexpr (std::is_same_v<std::invoke_result_t<F&, T&>, bool>) {
          if (!f(front())) break;
        } else {
          f(front());
        }
      }
      return distance(first, next_);
    }

    /// Gives back the slots of every record consumed so far. Costs one comparison when there is nothing new.
    SPILLWAY_INLINE void release() noexcept {
      ring_->consumer_owner_.check();
      if (next_ != released_) store_next();
    }

    /// The index of the oldest record not yet consumed; matches the producer's `position()` before it was written.
    SPILLWAY_INLINE Counter position() const noexcept { return next_; }

   private:
    friend spsc_ring;

    SPILLWAY_INLINE std::size_t quarter() const noexcept { return std::max<std::size_t>(1, (std::size_t{mask_} + 1) / 4); }

    SPILLWAY_INLINE void prefetch_at_line_start() const noexcept {
      // Only what is published: a line asked for while it is being written has to be fetched twice.
      if ((next_ & (slots_per_line - 1)) != 0 || readable() <= read_ahead) return;
      const T* slot = slots_ + (static_cast<std::size_t>(next_ + read_ahead) & mask_);
      for (std::size_t i = 0; i < lines_per_slot; ++i)
        prefetch_for_read(reinterpret_cast<const std::byte*>(slot) + i * cache_line_bytes);
    }

    SPILLWAY_INLINE void store_next() noexcept {
      // Release pairs with the producer's acquire load of this index: without it a slot could be overwritten while its record is still read.
      ring_->released_.store(next_, std::memory_order_release);
      released_ = next_;
    }

    struct destroy_at_exit {
      consumer& in;
      SPILLWAY_INLINE ~destroy_at_exit() {
        std::destroy_at(&in.front());
        ++in.next_;
      }
    };
    struct release_at_exit {
      consumer& in;
      SPILLWAY_INLINE ~release_at_exit() { in.release(); }
    };

    T* slots_ = nullptr;
    spsc_ring* ring_ = nullptr;
    Counter mask_ = 0;
    Counter next_ = 0;
    Counter seen_ = 0;
    Counter released_ = 0;
  };

  /// Throws std::length_error when the capacity does not fit in memory or exceeds half of the range of `Counter`, std::bad_alloc.
  explicit spsc_ring(std::size_t min_capacity, Counter first_index = 0)
      : written_(first_index),
        released_(first_index),
        saved_producer_{first_index, plus(first_index, ring_capacity<Counter>(min_capacity, sizeof(T)))},
        saved_consumer_{first_index, first_index},
        storage_(ring_capacity<Counter>(min_capacity, sizeof(T)) * sizeof(T), alignof(T)),
        mask_(static_cast<Counter>(ring_capacity<Counter>(min_capacity, sizeof(T)) - 1)),
        first_(first_index) {}

  /// Destroys the records that nobody consumed. Requires: both ends are closed.
  ~spsc_ring() {
    producer_owner_.check_closed();
    consumer_owner_.check_closed();
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (Counter i = saved_consumer_.next; i != saved_producer_.next; ++i)
        std::destroy_at(slots() + static_cast<std::size_t>(i & mask_));
    }
  }

  spsc_ring(const spsc_ring&) = delete;
  spsc_ring& operator=(const spsc_ring&) = delete;

  /// Takes the writing end, with the state it was closed with. `publish_every`: 1 publishes each record at once, 0 means the default; more than the
  /// capacity means the capacity. Requires: the end is closed; if another thread had it, its `close` happened before.
  SPILLWAY_INLINE producer open_producer(std::size_t publish_every = 0) noexcept {
    producer_owner_.take();
    if (publish_every == 0) publish_every = std::clamp<std::size_t>(capacity() / 4, 1, default_publish_every);
    producer out;
    out.slots_ = slots();
    out.ring_ = this;
    out.mask_ = mask_;
    out.next_ = saved_producer_.next;
    out.limit_ = saved_producer_.limit;
    out.publish_every_ = static_cast<Counter>(std::min(publish_every, capacity()));
    out.publish_at_ = static_cast<Counter>(out.next_ + out.publish_every_);
    return out;
  }

  /// Takes the reading end, with the state it was closed with. Requires: as `open_producer`.
  SPILLWAY_INLINE consumer open_consumer() noexcept {
    consumer_owner_.take();
    consumer in;
    in.slots_ = slots();
    in.ring_ = this;
    in.mask_ = mask_;
    in.next_ = saved_consumer_.next;
    in.seen_ = saved_consumer_.seen;
    in.released_ = saved_consumer_.next;
    return in;
  }

  /// Hands the writing end back and publishes; every copy of the cursor is stale from here.
  SPILLWAY_INLINE void close(producer out) noexcept {
    out.publish();
    saved_producer_ = {out.next_, out.limit_};
    producer_owner_.give_back();
  }

  /// Hands the reading end back and releases; every copy of the cursor is stale from here.
  SPILLWAY_INLINE void close(consumer in) noexcept {
    in.release();
    saved_consumer_ = {in.next_, in.seen_};
    consumer_owner_.give_back();
  }

  std::size_t capacity() const noexcept { return std::size_t{mask_} + 1; }

  /// Records published so far, modulo `Counter`. Any thread.
  Counter pushed() const noexcept { return static_cast<Counter>(written_.load(std::memory_order_relaxed) - first_); }

  /// Records released so far, modulo `Counter`. Any thread.
  Counter consumed() const noexcept { return static_cast<Counter>(released_.load(std::memory_order_relaxed) - first_); }

  /// As `consumed`, and what the consumer did with those records is over: their memory, and what they point to, may be used again.
  Counter released() const noexcept {
    // Acquire pairs with the consumer's release store of this index: without it the caller could overwrite what is still being read.
    return static_cast<Counter>(released_.load(std::memory_order_acquire) - first_);
  }

  /// Records published and not released, at some moment during the call. Any thread.
  std::size_t size_estimate() const noexcept {
    // Acquire keeps the second load behind the first: the other way round the difference could fall below zero.
    const Counter released = released_.load(std::memory_order_acquire);
    return std::min(capacity(), distance(released, written_.load(std::memory_order_relaxed)));
  }

 private:
  struct producer_state {
    Counter next;
    Counter limit;
  };
  struct consumer_state {
    Counter next;
    Counter seen;
  };

  T* slots() const noexcept { return reinterpret_cast<T*>(storage_.data()); }

  alignas(destructive_distance_bytes) Atomic written_;   // stored by the producer
  alignas(destructive_distance_bytes) Atomic released_;  // stored by the consumer
  alignas(destructive_distance_bytes) producer_state saved_producer_;
  endpoint_owner producer_owner_;
  alignas(destructive_distance_bytes) consumer_state saved_consumer_;
  endpoint_owner consumer_owner_;
  alignas(destructive_distance_bytes) ring_storage storage_;  // from here: never written after construction
  Counter mask_;
  Counter first_;
};

}  // namespace spillway
