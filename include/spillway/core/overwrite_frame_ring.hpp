// A ring of byte frames whose producer never waits: frames take the place of the oldest, and the reader learns exactly how many it missed.
//
// One thread at a time holds the producer, one the consumer; the counts may be read from any thread. The ring is made and destroyed by one
// thread, with both ends closed.
// 1. A frame is never split: one that does not fit before the end of the block starts at its beginning, behind padding.
// 2. The reader copies a frame out into memory of its own and then makes sure that nothing wrote over it meanwhile; it never hands out a mixture.
// 3. A reader that was lapped goes on at one of the frames of the last three quarters of a ring, or at the newest. Frames are numbered, so `lost` is exact.
//    Whenever both ends rest, pushed == consumed + lost + left.
// 4. No verb waits, allocates or makes a system call.
// 5. Positions in the block count words of 8 bytes and wrap with `Counter`. A reader that is less than the counter's range behind knows where it is; it
//    must look at least that often. With 64 bits it always does.
//
//        begin                                   intent
//     ---[header|bytes.....][header|bytes][header|by      the producer says how far it will write before it writes
//
//     overwrite_frame_ring ring(1 << 20);
//     auto out = ring.open_producer();
//     auto in = ring.open_consumer();
//     const std::string_view header = "boiler,", text = "70.0";
//     bool taken = out.push(std::as_bytes(std::span(header)), std::as_bytes(std::span(text)));      // false: too large for the ring
//     assert(taken && in.try_pop().size() == header.size() + text.size());
//     assert(ring.pushed() == ring.consumed() + ring.lost());
//     ring.close(out);
//     ring.close(in);
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "spillway/core/config.hpp"
#include "spillway/core/endpoint_owner.hpp"
#include "spillway/core/ring_storage.hpp"

namespace spillway {

/// `Counter` and the first index are parameters so that a test can see the wrap; `Atomic` so that a test can order every access.
template <std::unsigned_integral Counter = std::uint64_t, template <class> class Atomic = std::atomic>
class basic_overwrite_frame_ring {
  using word = Atomic<std::uint64_t>;
  static constexpr std::size_t word_bytes = 8;
  static constexpr std::size_t header_words = 2;  // bytes of the frame, number of the frame
  static constexpr std::uint64_t padding_mark = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t parts = 8;

  // Positions count words without end.
  static constexpr Counter plus(Counter a, std::size_t n) noexcept { return static_cast<Counter>(a + n); }
  static constexpr std::size_t distance(Counter from, Counter to) noexcept { return static_cast<Counter>(to - from); }
  static constexpr std::size_t words_for(std::size_t bytes) noexcept {
    return header_words + (bytes + word_bytes - 1) / word_bytes;
  }

 public:
  using counter_type = Counter;

  /// The writing end. All verbs belong to the thread that opened it.
  class producer {
   public:
    constexpr producer() noexcept = default;

    /// Writes one frame of `head` and `tail`, one behind the other; false, and nothing happened, when it is larger than max_frame_bytes().
    bool push(std::span<const std::byte> head, std::span<const std::byte> tail = {}) noexcept {
      ring_->producer_owner_.check();
      const std::size_t bytes = head.size() + tail.size();
      if (bytes > ring_->max_frame_bytes()) return false;
      const std::size_t words = words_for(bytes);
      const std::size_t to_end = std::size_t{mask_} + 1 - (next_ & mask_);
      const std::size_t skipped = to_end < words ? to_end : 0;
      const Counter begin = plus(next_, skipped);
      const Counter end = plus(begin, words);
      // Relaxed is enough: the words are stored behind it with release, so a reader that got a word of this frame knows of it.
      ring_->intent_.store(end, std::memory_order_relaxed);
      if (skipped > 0) at(next_).store(padding_mark, std::memory_order_release);
      at(begin).store(bytes, std::memory_order_release);
      at(plus(begin, 1)).store(frames_, std::memory_order_release);
      write(plus(begin, header_words), head, tail);
      mark(begin);
      next_ = end;
      // Relaxed: a count for observers; it orders nothing.
      ring_->pushed_.store(++frames_, std::memory_order_relaxed);
      // Release pairs with the reader's acquire load: the frame before this position was written.
      ring_->written_.store(end, std::memory_order_release);
      return true;
    }

    /// Number of the next frame.
    std::uint64_t position() const noexcept { return frames_; }

   private:
    friend basic_overwrite_frame_ring;

    SPILLWAY_INLINE word& at(Counter position) const noexcept { return block_[position & mask_]; }

    /// Gathers two spans into words.
    void write(Counter to, std::span<const std::byte> head, std::span<const std::byte> tail) noexcept {
      std::array<std::byte, word_bytes> pending{};
      std::size_t held = 0;
      for (std::span<const std::byte> from : {head, tail}) {
        if (held > 0) {
          const std::size_t n = std::min(word_bytes - held, from.size());
          std::copy_n(from.data(), n, pending.data() + held);
          held += n;
          from = from.subspan(n);
          if (held < word_bytes) continue;
          put(to, pending.data());
        }
        for (; from.size() >= word_bytes; from = from.subspan(word_bytes)) put(to, from.data());
        std::copy_n(from.data(), from.size(), pending.data());
        held = from.size();
      }
      if (held > 0) put(to, pending.data());
    }
    SPILLWAY_INLINE void put(Counter& to, const std::byte* bytes) noexcept {
      std::uint64_t plain;
      std::memcpy(&plain, bytes, word_bytes);
      // Release pairs with the reader's acquire load of the word: see push.
      at(to).store(plain, std::memory_order_release);
      to = plus(to, 1);
    }

    /// Notes for each part of the block the first frame that begins in it or, when none does, behind it: no mark stays from an earlier lap, which a
    /// counter that wraps could take for a new one.
    void mark(Counter begin) noexcept {
      for (const std::size_t part = ring_->part_of(begin); part_ != part;) {
        part_ = (part_ + 1) % parts;
        // Release pairs with the reader's acquire load: the frame that begins here has its header.
        ring_->marks_[part_].store(begin, std::memory_order_release);
      }
      ring_->newest_.store(begin, std::memory_order_release);
    }

    word* block_ = nullptr;
    basic_overwrite_frame_ring* ring_ = nullptr;
    Counter mask_ = 0;
    Counter next_ = 0;
    std::uint64_t frames_ = 0;
    std::size_t part_ = 0;
  };

  /// The reading end. All verbs belong to the thread that opened it.
  class consumer {
   public:
    constexpr consumer() noexcept = default;

    /// The next frame, in the reader's own memory and valid until the next call. No frame now: `data()` is null (a frame of no bytes has an address).
    std::span<std::byte> try_pop() noexcept {
      ring_->consumer_owner_.check();
      for (;;) {
        // Acquire pairs with the producer's release store: what is before that position was written.
        if (ring_->written_.load(std::memory_order_acquire) == next_) return {};
        const std::uint64_t bytes = at(next_).load(std::memory_order_acquire);
        if (overwritten()) {
          if (!skip_lapped()) return {};
          continue;
        }
        if (bytes == padding_mark) {
          next_ = plus(next_, words() - (next_ & mask_));
          continue;
        }
        const std::uint64_t number = at(plus(next_, 1)).load(std::memory_order_acquire);
        copy_out(bytes);
        if (overwritten()) {
          if (!skip_lapped()) return {};
          continue;
        }
        next_ = plus(next_, words_for(bytes));
        count(number);
        return {ring_->reader_bytes_.get(), bytes};
      }
    }

    /// Number of the next frame to be read: one more than that of the frame that `try_pop` gave last.
    std::uint64_t position() const noexcept { return frames_; }

    /// Frames passed over so far.
    std::uint64_t lost() const noexcept { return lost_; }

   private:
    friend basic_overwrite_frame_ring;

    SPILLWAY_INLINE word& at(Counter position) const noexcept { return block_[position & mask_]; }
    SPILLWAY_INLINE std::size_t words() const noexcept { return std::size_t{mask_} + 1; }

    /// The producer has begun to write where the frame at hand begins, or beyond.
    bool overwritten() const noexcept {
      // Relaxed is enough: it stands behind acquire loads of words, and a word of a newer frame brings the intent along.
      return distance(next_, ring_->intent_.load(std::memory_order_relaxed)) > words();
    }

    void copy_out(std::size_t bytes) noexcept {
      std::byte* to = ring_->reader_bytes_.get();
      const std::size_t end = words_for(bytes);
      for (std::size_t i = header_words; i < end; ++i) {
        // Acquire pairs with the producer's release store of the word: see push.
        const std::uint64_t plain = at(plus(next_, i)).load(std::memory_order_acquire);
        std::memcpy(to, &plain, word_bytes);
        to += word_bytes;
      }
    }

    void count(std::uint64_t number) noexcept {
      lost_ += number - frames_;
      frames_ = number + 1;
      // Relaxed: counts for observers; they order nothing.
      ring_->lost_.store(lost_, std::memory_order_relaxed);
      ring_->consumed_.store(frames_ - lost_, std::memory_order_relaxed);
    }

    /// Goes to a frame that is likely to stay for a while. False when the producer was too quick to name one.
    SPILLWAY_NOINLINE bool skip_lapped() noexcept {
      // Acquire pairs with the producer's release stores, here and at the marks: what is before that position, and the frame that begins there, were
      // written. The intent, read behind them, is ahead of them all.
      const Counter written = ring_->written_.load(std::memory_order_acquire);
      const Counter newest = ring_->newest_.load(std::memory_order_acquire);
      const Counter intent = ring_->intent_.load(std::memory_order_relaxed);
      // Measured from the intent, and not from what is written: so the choice is always in front of where the reader was.
      const std::size_t far = words() / 4 * 3;
      Counter best = written;
      const auto consider = [&](Counter begin) {
        const bool is_written =
            distance(begin, written) <= words();  // otherwise it is newer than the index that was read before it
        if (is_written && distance(begin, intent) <= far && distance(begin, written) > distance(best, written)) best = begin;
      };
      consider(newest);
      for (const Atomic<Counter>& mark : ring_->marks_) consider(mark.load(std::memory_order_acquire));
      if (best == written) return false;
      next_ = best;
      return true;
    }

    word* block_ = nullptr;
    basic_overwrite_frame_ring* ring_ = nullptr;
    Counter mask_ = 0;
    Counter next_ = 0;
    std::uint64_t frames_ = 0;
    std::uint64_t lost_ = 0;
  };

  /// Room for at least `min_bytes` bytes, and 1024, headers (16 bytes a frame, rounded up to 8 with the frame) included. Throws std::length_error when
  /// that does not fit in memory or exceeds half of the range of `Counter` in words, std::bad_alloc.
  explicit basic_overwrite_frame_ring(std::size_t min_bytes, Counter first_index = 0)
      : intent_(first_index),
        written_(first_index),
        newest_(first_index),
        pushed_(std::uint64_t{0}),
        consumed_(std::uint64_t{0}),
        lost_(std::uint64_t{0}),
        saved_position_(first_index),
        saved_read_position_(first_index),
        words_(words_in(min_bytes)),
        storage_(words_ * sizeof(word), alignof(word)),
        reader_bytes_(new std::byte[reader_room()]) {
    for (std::size_t i = 0; i < words_; ++i) std::construct_at(block() + i, std::uint64_t{0});
    for (Atomic<Counter>& m : marks_) m.store(first_index, std::memory_order_relaxed);
  }

  /// Requires: both ends are closed.
  ~basic_overwrite_frame_ring() {
    producer_owner_.check_closed();
    consumer_owner_.check_closed();
    std::destroy_n(block(), words_);
  }
  basic_overwrite_frame_ring(const basic_overwrite_frame_ring&) = delete;
  basic_overwrite_frame_ring& operator=(const basic_overwrite_frame_ring&) = delete;

  /// Takes an end, where it was closed. Requires: the end is closed; if another thread had it, its `close` happened before.
  producer open_producer() noexcept {
    producer_owner_.take();
    producer out;
    out.block_ = block();
    out.ring_ = this;
    out.mask_ = mask();
    out.next_ = saved_position_;
    out.frames_ = pushed();
    out.part_ = part_of(newest_.load(std::memory_order_relaxed));
    return out;
  }
  consumer open_consumer() noexcept {
    consumer_owner_.take();
    consumer in;
    in.block_ = block();
    in.ring_ = this;
    in.mask_ = mask();
    in.next_ = saved_read_position_;
    in.lost_ = lost();
    in.frames_ = consumed() + lost();
    return in;
  }
  /// Hands an end back; every copy of the cursor is stale from here.
  void close(producer out) noexcept {
    saved_position_ = out.next_;
    producer_owner_.give_back();
  }
  void close(consumer in) noexcept {
    saved_read_position_ = in.next_;
    consumer_owner_.give_back();
  }

  std::size_t capacity() const noexcept { return words_ * word_bytes; }
  std::size_t memory_bytes() const noexcept { return storage_.bytes() + reader_room(); }
  /// The largest frame that `push` takes: with its header a quarter of the ring.
  std::size_t max_frame_bytes() const noexcept { return words_ / 4 * word_bytes - header_words * word_bytes; }

  // Counts of frames, from any thread. While the ends move they are of neighbouring moments.
  std::uint64_t pushed() const noexcept { return pushed_.load(std::memory_order_relaxed); }
  std::uint64_t consumed() const noexcept { return consumed_.load(std::memory_order_relaxed); }
  /// Overwritten before they were read, as far as the reader has found out.
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }
  /// Written and neither read nor known to be lost.
  std::uint64_t left() const noexcept {
    const std::uint64_t all = pushed();
    const std::uint64_t done = consumed() + lost();
    return all > done ? all - done : 0;
  }

 private:
  static std::size_t words_in(std::size_t min_bytes) {
    constexpr std::size_t least = 1024;
    return ring_capacity<Counter>((std::max(min_bytes, least) - 1) / word_bytes + 1, sizeof(word));
  }
  /// A whole number of words: the last one of a frame is copied as a whole.
  std::size_t reader_room() const noexcept { return max_frame_bytes() + word_bytes; }
  std::size_t part_of(Counter begin) const noexcept { return (begin & mask()) * parts / words_; }
  Counter mask() const noexcept { return static_cast<Counter>(words_ - 1); }
  word* block() const noexcept { return std::launder(reinterpret_cast<word*>(storage_.data())); }

  alignas(destructive_distance_bytes) Atomic<Counter> intent_;  // these are stored by the producer
  Atomic<Counter> written_;
  Atomic<Counter> newest_;
  std::array<Atomic<Counter>, parts> marks_{};
  Atomic<std::uint64_t> pushed_;
  alignas(destructive_distance_bytes) Atomic<std::uint64_t> consumed_;  // these by the consumer
  Atomic<std::uint64_t> lost_;
  alignas(destructive_distance_bytes) Counter saved_position_;
  endpoint_owner producer_owner_;
  alignas(destructive_distance_bytes) Counter saved_read_position_;
  endpoint_owner consumer_owner_;
  alignas(destructive_distance_bytes) std::size_t words_;  // from here: never written after construction
  ring_storage storage_;
  std::unique_ptr<std::byte[]> reader_bytes_;
};

using overwrite_frame_ring = basic_overwrite_frame_ring<>;

}  // namespace spillway
