// The latest value of each of a fixed number of cells, and a list of those that changed: a slow reader gets each changed cell once.
//
// One thread at a time holds the producer, one the consumer; the counts may be read from any thread. The ring is made and destroyed by one
// thread, with both ends closed.
// 1. Values are trivially copyable; the reader copies them out and never sees a mixture of two.
// 2. A cell is in the list at most once, so the list always has room and `update` never fails. The reader gets cells in the order of their first
//    change since it took them last.
// 3. The last update of a cell is read, or it is still to come. What it replaced unread is in `conflated`. Once the reader found nothing while
//    the producer rested, pushed == consumed + conflated.
// 4. No verb waits, allocates or makes a system call. A reader that meets a cell while it is written leaves it: the producer lists it again.
//
//     conflating_ring<quote> ring(instruments);
//     auto out = ring.open_producer();            auto in = ring.open_consumer();
//     out.update(cell_of(q.symbol), q);           for (quote q; in.try_pop(q);) show(q);
//     ring.close(out);                            ring.close(in);
#pragma once

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
#include "spillway/core/ring_storage.hpp"
#include "spillway/core/spsc_ring.hpp"

namespace spillway {

/// `Atomic` is a parameter so that a test can order every access.
template <class T, template <class> class Atomic = std::atomic>
class basic_conflating_ring {
  static_assert(std::is_trivially_copyable_v<T>, "spillway: a record of a conflating ring must be trivially copyable");

  struct cell {
    Atomic<std::uint64_t> number{0};  // 2 * updates, one less while one is being written
    Atomic<std::uint32_t> listed{0};
    atomic_record<T, Atomic> value;
    std::uint64_t updates = 0;    // the producer's
    std::uint64_t delivered = 0;  // the consumer's: the update that it read last
  };
  using list = spsc_ring<std::uint32_t, std::uint64_t, Atomic<std::uint64_t>>;

 public:
  using value_type = T;

  class producer {
   public:
    constexpr producer() noexcept = default;

    /// Replaces the value of a cell. Requires: `index` is below the number of cells.
    SPILLWAY_INLINE void update(std::uint32_t index, const T& value) noexcept {
      cell& c = ring_->cells()[index];
      ++c.updates;
      // Release, here and at each word, keeps these stores in their order: a reader that gets a new word sees this number afterwards.
      c.number.store(2 * c.updates - 1, std::memory_order_release);
      c.value.store(value);
      // Release pairs with the reader's acquire load of the number: it sees all of the value.
      c.number.store(2 * c.updates, std::memory_order_release);
      // Acquire and release: the reader takes the mark away before it reads the value. Either its exchange comes later and sees this value, or this
      // exchange finds the mark gone and lists the cell again.
      if (c.listed.exchange(1, std::memory_order_acq_rel) == 0) (void)list_.try_emplace(index);
      ring_->pushed_.store(ring_->pushed_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    /// Entries listed so far.
    SPILLWAY_INLINE std::uint64_t position() const noexcept { return list_.position(); }

   private:
    friend basic_conflating_ring;
    basic_conflating_ring* ring_ = nullptr;
    typename list::producer list_;
  };

  class consumer {
   public:
    constexpr consumer() noexcept = default;

    /// Copies the newest value of the cell that changed first; false when none did.
    SPILLWAY_INLINE bool try_pop(T& to) noexcept {
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
      const std::uint64_t replaced = number / 2 - c.delivered - 1;
      c.delivered = number / 2;
      ring_->conflated_.store(ring_->conflated_.load(std::memory_order_relaxed) + replaced, std::memory_order_relaxed);
      ring_->consumed_.store(ring_->consumed_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      return true;
    }

    basic_conflating_ring* ring_ = nullptr;
    typename list::consumer list_;
  };

  /// Throws std::length_error when that many cells do not fit in memory, std::bad_alloc.
  explicit basic_conflating_ring(std::size_t cells, std::uint64_t first_index = 0)
      : pushed_(0),
        consumed_(0),
        conflated_(0),
        list_(cells, first_index),
        storage_(ring_capacity<std::uint64_t>(cells, sizeof(cell)) * sizeof(cell), alignof(cell)),
        count_(cells) {
    for (std::size_t i = 0; i < cells; ++i) std::construct_at(reinterpret_cast<cell*>(storage_.data()) + i);
  }
  basic_conflating_ring(const basic_conflating_ring&) = delete;
  basic_conflating_ring& operator=(const basic_conflating_ring&) = delete;

  /// Takes an end, where it was closed. Requires: the end is closed; if another thread had it, its `close` happened before.
  producer open_producer() noexcept {
    producer out;
    out.ring_ = this;
    out.list_ = list_.open_producer(1);
    return out;
  }
  consumer open_consumer() noexcept {
    consumer in;
    in.ring_ = this;
    in.list_ = list_.open_consumer();
    return in;
  }
  /// Hands an end back; every copy of the cursor is stale from here.
  void close(producer out) noexcept { list_.close(out.list_); }
  void close(consumer in) noexcept { list_.close(in.list_); }

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
  cell* cells() const noexcept { return std::launder(reinterpret_cast<cell*>(storage_.data())); }

  alignas(destructive_distance_bytes) Atomic<std::uint64_t> pushed_;    // stored by the producer
  alignas(destructive_distance_bytes) Atomic<std::uint64_t> consumed_;  // stored by the consumer
  Atomic<std::uint64_t> conflated_;                                     // the same
  alignas(destructive_distance_bytes) list list_;
  ring_storage storage_;
  std::size_t count_;
};

template <class T>
using conflating_ring = basic_conflating_ring<T>;

}  // namespace spillway
