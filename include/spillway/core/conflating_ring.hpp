// The latest value of each of a fixed number of cells, and a list of those that changed: a slow reader gets each changed cell once.
//
// One thread at a time holds the producer, one the consumer; the counts may be read from any thread. The ring is made and destroyed by one
// thread, with both ends closed.
// 1. Values are trivially copyable; the reader copies them out and never hands out a mixture of two.
// 2. A cell is in the list at most once, so the list always has room and `update` never fails. The reader gets cells in the order of their first
//    change since it took them last.
// 3. The last update of a cell is read, or it is still to come. What it replaced unread is in `conflated`. Once the reader found nothing while
//    the producer rested, pushed == consumed + conflated.
// 4. Call the producer's `publish` before doing anything else, or the last cells wait. No verb waits, allocates or makes a system call. A reader
//    that meets a cell while it is written leaves it: the producer lists it again.
//
//     conflating_ring<int> ring(16);                  // 16 cells
//     auto out = ring.open_producer();
//     auto in = ring.open_consumer();
//     out.update(3, 70);
//     out.update(3, 71);                              // the reader was slower
//     out.publish();
//     int latest = 0;
//     while (in.try_pop(latest)) std::cout << latest << '\n';
//     assert(latest == 71 && ring.conflated() == 1);
//     ring.close(out);
//     ring.close(in);
#pragma once

#include <atomic>
#include <cassert>
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
#include "spillway/core/ring_storage.hpp"
#include "spillway/core/spsc_ring.hpp"

namespace spillway {

/// `Atomic` is a parameter so that a test can order every access.
template <class T, template <class> class Atomic = std::atomic>
class basic_conflating_ring {
  static_assert(std::is_trivially_copyable_v<T>, "spillway: a record of a conflating ring must be trivially copyable");

  struct cell {
    Atomic<std::uint64_t> number{std::uint64_t{0}};  // 2 * updates, one less while one is being written
    Atomic<std::uint32_t> listed{std::uint32_t{0}};
    atomic_record<T, Atomic> value;
    std::uint64_t updates = 0;    // the producer's
    std::uint64_t delivered = 0;  // the consumer's: the update that it read last
  };
  using list = spsc_ring<std::uint32_t, std::uint64_t, Atomic<std::uint64_t>>;

 public:
  using value_type = T;

  /// The writing end. All verbs belong to the thread that opened it.
  class producer {
   public:
    constexpr producer() noexcept = default;

    /// Replaces the value of a cell. Requires: `index` is below the number of cells.
    SPILLWAY_INLINE void update(std::uint32_t index, const T& value) noexcept {
      ring_->producer_owner_.check();
      assert(index < ring_->count_ && "spillway: update needs a cell that the ring has");
      cell& c = ring_->cells()[index];
      ++c.updates;
      // Release, here and at each word, keeps these stores in their order: a reader that gets a new word sees this number afterwards.
      c.number.store(2 * c.updates - 1, std::memory_order_release);
      c.value.store(value);
      // Release pairs with the reader's acquire load of the number: it sees all of the value.
      c.number.store(2 * c.updates, std::memory_order_release);
      // Acquire and release: the reader takes the mark away before it reads the value. Either its exchange comes later and sees this value, or this
      // exchange finds the mark gone and lists the cell again.
      if (c.listed.exchange(1, std::memory_order_acq_rel) == 0) {
        [[maybe_unused]] const bool listed = list_.try_emplace(index);
        assert(listed);
      }
      // Relaxed: a count for observers; it orders nothing.
      ring_->pushed_.store(++pushed_, std::memory_order_relaxed);
    }

    /// Shows the consumer every cell that was listed. The list publishes by itself every few cells.
    SPILLWAY_INLINE void publish() noexcept { list_.publish(); }

    /// Entries listed so far.
    SPILLWAY_INLINE std::uint64_t position() const noexcept { return list_.position(); }

   private:
    friend basic_conflating_ring;
    basic_conflating_ring* ring_ = nullptr;
    typename list::producer list_;
    std::uint64_t pushed_ = 0;
  };

  /// The reading end. All verbs belong to the thread that opened it.
  class consumer {
   public:
    constexpr consumer() noexcept = default;

    /// Copies the newest value of the cell that changed first; false when none did, and then the bytes of `to` mean nothing.
    SPILLWAY_INLINE bool try_pop(T& to) noexcept {
      ring_->consumer_owner_.check();
      while (list_.readable() > 0 || list_.refresh() > 0) {
        cell& c = ring_->cells()[list_.front()];
        list_.pop();
        list_.release();
        // Pairs with the producer's exchange: see there.
        c.listed.exchange(0, std::memory_order_acq_rel);
        if (read(c, to)) return true;
      }
      return false;
    }

    /// Entries of the list taken so far.
    SPILLWAY_INLINE std::uint64_t position() const noexcept { return list_.position(); }

    /// Updates that newer ones replaced before they were read.
    SPILLWAY_INLINE std::uint64_t conflated() const noexcept { return conflated_; }

   private:
    friend basic_conflating_ring;

    /// False when the cell is being written, and so will be listed again, or holds nothing new.
    bool read(cell& c, T& to) noexcept {
      // Acquire pairs with the producer's release stores of the number.
      const std::uint64_t number = c.number.load(std::memory_order_acquire);
      if (number % 2 != 0 || number / 2 == c.delivered) return false;
      c.value.load(to);
      // Relaxed is enough: the acquire loads of the words keep it behind them, and a word of a newer value brings that value's number along.
      if (c.number.load(std::memory_order_relaxed) != number) return false;
      conflated_ += number / 2 - c.delivered - 1;
      c.delivered = number / 2;
      // Relaxed: counts for observers; they order nothing.
      ring_->conflated_.store(conflated_, std::memory_order_relaxed);
      ring_->consumed_.store(++consumed_, std::memory_order_relaxed);
      return true;
    }

    basic_conflating_ring* ring_ = nullptr;
    typename list::consumer list_;
    std::uint64_t consumed_ = 0;
    std::uint64_t conflated_ = 0;
  };

  /// `first_index` is that of the list. Throws std::length_error when that many cells do not fit in memory or an index of 32 bits, std::bad_alloc.
  explicit basic_conflating_ring(std::size_t cells, std::uint64_t first_index = 0)
      : pushed_(std::uint64_t{0}),
        consumed_(std::uint64_t{0}),
        conflated_(std::uint64_t{0}),
        storage_(bytes_for(cells), alignof(cell)),
        count_(cells),
        list_(cells, first_index) {
    std::uninitialized_value_construct_n(this->cells(), count_);
  }

  /// Requires: both ends are closed.
  ~basic_conflating_ring() {
    producer_owner_.check_closed();
    consumer_owner_.check_closed();
    std::destroy_n(cells(), count_);
  }
  basic_conflating_ring(const basic_conflating_ring&) = delete;
  basic_conflating_ring& operator=(const basic_conflating_ring&) = delete;

  /// Takes an end, where it was closed. Requires: the end is closed; if another thread had it, its `close` happened before.
  producer open_producer() noexcept {
    producer_owner_.take();
    producer out;
    out.ring_ = this;
    out.list_ = list_.open_producer();
    out.pushed_ = pushed();
    return out;
  }
  consumer open_consumer() noexcept {
    consumer_owner_.take();
    consumer in;
    in.ring_ = this;
    in.list_ = list_.open_consumer();
    in.consumed_ = consumed();
    in.conflated_ = conflated();
    return in;
  }
  /// Hands an end back; every copy of the cursor is stale from here.
  void close(producer out) noexcept {
    list_.close(out.list_);
    producer_owner_.give_back();
  }
  void close(consumer in) noexcept {
    list_.close(in.list_);
    consumer_owner_.give_back();
  }

  std::size_t cells_count() const noexcept { return count_; }
  std::size_t memory_bytes() const noexcept { return storage_.bytes() + list_.capacity() * sizeof(std::uint32_t); }

  // Counts, from any thread. While the ends move they are of neighbouring moments.
  std::uint64_t pushed() const noexcept { return pushed_.load(std::memory_order_relaxed); }
  std::uint64_t consumed() const noexcept { return consumed_.load(std::memory_order_relaxed); }
  std::uint64_t conflated() const noexcept { return conflated_.load(std::memory_order_relaxed); }
  /// Updates that were neither read nor replaced as far as the reader has found out, counted cell by cell. Requires: both ends rest.
  std::uint64_t left() const noexcept {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < count_; ++i) all += cells()[i].updates - cells()[i].delivered;
    return all;
  }

 private:
  static std::size_t bytes_for(std::size_t cells) {
    if (cells > std::size_t{1} << 32 || cells > std::numeric_limits<std::size_t>::max() / 4 / sizeof(cell)) {
      throw_or_terminate<std::length_error>(
          "spillway: the conflating ring's cells do not fit in memory or an index of 32 bits; ask for fewer");
    }
    return cells * sizeof(cell);
  }
  cell* cells() const noexcept { return std::launder(reinterpret_cast<cell*>(storage_.data())); }

  alignas(destructive_distance_bytes) Atomic<std::uint64_t> pushed_;    // stored by the producer
  alignas(destructive_distance_bytes) Atomic<std::uint64_t> consumed_;  // stored by the consumer, as is the next
  Atomic<std::uint64_t> conflated_;
  alignas(destructive_distance_bytes) ring_storage storage_;  // from here to the owners: never written after construction
  std::size_t count_;
  endpoint_owner producer_owner_;
  endpoint_owner consumer_owner_;
  list list_;
};

template <class T>
using conflating_ring = basic_conflating_ring<T>;

}  // namespace spillway
