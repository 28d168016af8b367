// A bounded ring of byte frames of any length between one producing and one consuming thread: raw lines of text, serialised records.
//
// Threads, cursors, publishing and releasing are those of `spsc_ring`.
// 1. A frame is one piece of memory, aligned to 16 bytes, never split: what does not fit in front of the end goes to the start, and padding fills
//    the gap. Padding is published together with its frame, so a consumer never meets padding alone.
// 2. A frame of up to `max_frame_bytes()` (half of the ring) fits whenever the ring is empty.
// 3. `try_claim` changes nothing; only `commit` does. An abandoned claim needs no undoing.
// 4. `position()` counts frames, not bytes, on either side: the n-th frame in is the n-th frame out.
//
//     sw::frame_ring ring(65536);
//     auto out = ring.open_producer();
//     auto in = ring.open_consumer();
//     const std::string_view line = "boiler,1000,70.0";
//     if (std::byte* to = out.try_claim(line.size())) {
//       std::memcpy(to, line.data(), line.size());
//       out.commit(line.size());
//     }
//     out.publish();
//     in.drain(256, [&](std::span<std::byte> frame) { assert(frame.size() == line.size()); });
//     ring.close(out);
//     ring.close(in);
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "spillway/core/bits.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/endpoint_owner.hpp"
#include "spillway/core/prefetch.hpp"
#include "spillway/core/ring_storage.hpp"
#include "spillway/core/spsc_ring.hpp"

namespace spillway {

template <std::unsigned_integral Counter = std::uint64_t, class Atomic = std::atomic<Counter>>
class basic_frame_ring {
  enum class frame_kind : std::uint32_t { payload, padding };
  struct frame_header {
    std::uint32_t size;
    frame_kind kind;
  };
  static constexpr std::size_t alignment = 16;

  static constexpr Counter plus(Counter a, std::size_t n) noexcept { return static_cast<Counter>(a + n); }
  static constexpr std::size_t distance(Counter from, Counter to) noexcept { return static_cast<Counter>(to - from); }
  static constexpr std::size_t whole_frame(std::size_t payload) noexcept {
    return align_up(payload + sizeof(frame_header), alignment);
  }
  static constexpr std::size_t max_payload(Counter mask) noexcept {
    return std::min((std::size_t{mask} + 1) / 2, std::size_t{std::numeric_limits<std::uint32_t>::max()}) - sizeof(frame_header);
  }

 public:
  using counter_type = Counter;

  /// The writing end. All verbs belong to the thread that opened it.
  class producer {
   public:
    constexpr producer() noexcept = default;

    /// Room for a frame of `bytes`, aligned to 16; null when there is none, and always for more than `max_frame_bytes()`. The next verb is
    /// `commit` or `abort`.
    SPILLWAY_INLINE std::byte* try_claim(std::size_t bytes) noexcept {
      std::byte* const room = try_claim_cached(bytes);
      if (room != nullptr || bytes > max_payload(mask_)) return room;
      refresh();
      return try_claim_cached(bytes);
    }

    /// As `try_claim`, but never reads the consumer's index: null when the room known from the last `refresh` is too small.
    SPILLWAY_INLINE std::byte* try_claim_cached(std::size_t bytes) noexcept {
      if (bytes > max_payload(mask_)) return nullptr;
      const std::size_t whole = whole_frame(bytes);
      const std::size_t to_end = std::size_t{mask_} + 1 - offset(next_);
      const std::size_t padding = whole > to_end ? to_end : 0;
      if (whole + padding > distance(next_, limit_)) return nullptr;
      claimed_ = plus(next_, padding);
      claimed_bytes_ = bytes;
      return payload_at(claimed_);
    }

    /// Appends the claimed frame with its first `bytes_used` bytes. Requires: an open claim of at least that many bytes.
    SPILLWAY_INLINE void commit(std::size_t bytes_used) noexcept {
      assert(bytes_used <= claimed_bytes_ && "spillway: commit needs a claim that is at least as large");
      if (claimed_ != next_)
        write_header(next_, {static_cast<std::uint32_t>(distance(next_, claimed_) - sizeof(frame_header)), frame_kind::padding});
      write_header(claimed_, {static_cast<std::uint32_t>(bytes_used), frame_kind::payload});
      next_ = plus(claimed_, whole_frame(bytes_used));
      abort();
      ++frames_;
      prefetch_for_write(payload_at(plus(next_, prefetch_write_lines * cache_line_bytes)));
      if (frames_ == publish_at_ || distance(published_, next_) >= quarter()) store_next();
    }

    /// Gives up the claim; the ring is as before it.
    SPILLWAY_INLINE void abort() noexcept {
      claimed_ = next_;
      claimed_bytes_ = 0;
    }

    /// Publishes, looks at the consumer's index and returns the number of free bytes, frame headers and padding included.
    SPILLWAY_INLINE std::size_t refresh() noexcept {
      publish();
      // Acquire pairs with the consumer's release store of this index: without it a frame could be written over one still being read.
      limit_ = plus(ring_->released_.load(std::memory_order_acquire), ring_->capacity());
      return distance(next_, limit_);
    }

    /// Makes `try_claim_cached` fail until the next `refresh`: something older has to go first.
    SPILLWAY_INLINE void forbid() noexcept { limit_ = next_; }

    /// Shows the consumer every frame so far. Costs one comparison when there is nothing new.
    SPILLWAY_INLINE void publish() noexcept {
      ring_->producer_owner_.check();
      if (next_ != published_) store_next();
    }

    /// The number of the next frame: the frames ever committed, modulo `Counter`.
    SPILLWAY_INLINE Counter position() const noexcept { return frames_; }

   private:
    friend basic_frame_ring;

    SPILLWAY_INLINE std::size_t offset(Counter at) const noexcept { return static_cast<std::size_t>(at & mask_); }
    SPILLWAY_INLINE std::size_t quarter() const noexcept { return (std::size_t{mask_} + 1) / 4; }
    SPILLWAY_INLINE std::byte* payload_at(Counter at) const noexcept { return bytes_ + offset(at) + sizeof(frame_header); }
    SPILLWAY_INLINE void write_header(Counter at, frame_header header) const noexcept {
      std::memcpy(bytes_ + offset(at), &header, sizeof header);
    }

    SPILLWAY_INLINE void store_next() noexcept {
      // Relaxed: a count for observers; it orders nothing.
      ring_->frames_written_.store(frames_, std::memory_order_relaxed);
      // Release pairs with the consumer's acquire load of this index: without it the consumer could see the index before the frames.
      ring_->written_.store(next_, std::memory_order_release);
      published_ = next_;
      publish_at_ = static_cast<Counter>(frames_ + publish_every_);
    }

    std::byte* bytes_ = nullptr;
    basic_frame_ring* ring_ = nullptr;
    std::size_t claimed_bytes_ = 0;
    Counter mask_ = 0;
    Counter next_ = 0;
    Counter claimed_ = 0;
    Counter limit_ = 0;
    Counter published_ = 0;
    Counter frames_ = 0;
    Counter publish_at_ = 0;
    Counter publish_every_ = 1;
  };

  /// The reading end. All verbs belong to the thread that opened it.
  class consumer {
   public:
    constexpr consumer() noexcept = default;

    /// Bytes known to be there since the last `refresh`, frame headers and padding included; 0 means no frame.
    SPILLWAY_INLINE std::size_t readable() const noexcept { return distance(next_, seen_); }

    /// Looks at the producer's index and returns the number of readable bytes.
    SPILLWAY_INLINE std::size_t refresh() noexcept {
      ring_->consumer_owner_.check();
      // Acquire pairs with the producer's release store of this index: without it a frame could be read before it is written.
      seen_ = ring_->written_.load(std::memory_order_acquire);
      return readable();
    }

    /// The oldest frame, in place, valid until it is popped. No frame: `data()` is null (a frame of no bytes has an address).
    SPILLWAY_INLINE std::span<std::byte> front() noexcept {
      if (next_ == seen_ && refresh() == 0) return {};
      return known_front();
    }

    /// Takes the oldest frame off. Requires: the last `front()` had a frame.
    SPILLWAY_INLINE void pop() noexcept {
      pass_front();
      if (next_ == seen_ || distance(released_, next_) >= quarter()) store_next();
    }

    /// Calls `f(std::span<std::byte>)` for up to `max` frames in place and releases once; returns how many. An `f` that returns bool ends the drain by
    /// false. If `f` throws, its frame counts as consumed, and what was consumed is released. `f` must not use this cursor.
    template <class F>
    SPILLWAY_INLINE std::size_t drain(std::size_t max, F&& f) {
      const release_at_exit guard{*this};
      refresh();
      std::size_t done = 0;
      while (done != max && next_ != seen_) {
        const std::span<std::byte> frame = known_front();
        const pass_at_exit consumed{*this};
        ++done;
        if constexpr (std::is_same_v<std::invoke_result_t<F&, std::span<std::byte>>, bool>) {
          if (!f(frame)) break;
        } else {
          f(frame);
        }
      }
      return done;
    }

    /// Gives back the bytes of every frame consumed so far. Costs one comparison when there is nothing new.
    SPILLWAY_INLINE void release() noexcept {
      ring_->consumer_owner_.check();
      if (next_ != released_) store_next();
    }

    /// The number of the oldest frame not yet consumed.
    SPILLWAY_INLINE Counter position() const noexcept { return frames_; }

   private:
    friend basic_frame_ring;

    SPILLWAY_INLINE std::size_t quarter() const noexcept { return (std::size_t{mask_} + 1) / 4; }

    SPILLWAY_INLINE frame_header header() const noexcept {
      frame_header result;
      std::memcpy(&result, bytes_ + static_cast<std::size_t>(next_ & mask_), sizeof result);
      return result;
    }

    SPILLWAY_INLINE std::span<std::byte> known_front() noexcept {
      if (header().kind == frame_kind::padding) next_ = plus(next_, whole_frame(header().size));
      return {bytes_ + static_cast<std::size_t>(next_ & mask_) + sizeof(frame_header), header().size};
    }

    SPILLWAY_INLINE void pass_front() noexcept {
      assert(readable() > 0 && header().kind == frame_kind::payload);
      next_ = plus(next_, whole_frame(header().size));
      ++frames_;
    }

    SPILLWAY_INLINE void store_next() noexcept {
      // Relaxed: a count for observers; it orders nothing.
      ring_->frames_released_.store(frames_, std::memory_order_relaxed);
      // Release pairs with the producer's acquire load of this index: without it a frame could be overwritten while it is still read.
      ring_->released_.store(next_, std::memory_order_release);
      released_ = next_;
    }

    struct pass_at_exit {
      consumer& in;
      SPILLWAY_INLINE ~pass_at_exit() { in.pass_front(); }
    };
    struct release_at_exit {
      consumer& in;
      SPILLWAY_INLINE ~release_at_exit() { in.release(); }
    };

    std::byte* bytes_ = nullptr;
    basic_frame_ring* ring_ = nullptr;
    Counter mask_ = 0;
    Counter next_ = 0;
    Counter seen_ = 0;
    Counter released_ = 0;
    Counter frames_ = 0;
  };

  /// Room for at least `min_capacity` bytes, and 64, frame headers (8 bytes each, rounded up to 16 with the frame) included. Byte indices start at
  /// `first_index` rounded down to a multiple of 16. Throws std::length_error as `spsc_ring` does, std::bad_alloc.
  explicit basic_frame_ring(std::size_t min_capacity, Counter first_index = 0)
      : written_(first_byte(first_index)),
        frames_written_(Counter{0}),
        released_(first_byte(first_index)),
        frames_released_(Counter{0}),
        saved_producer_{first_byte(first_index), plus(first_byte(first_index), capacity_for(min_capacity)), 0},
        saved_consumer_{first_byte(first_index), first_byte(first_index), 0},
        storage_(capacity_for(min_capacity) + alignment, cache_line_bytes),
        mask_(static_cast<Counter>(capacity_for(min_capacity) - 1)) {}

  /// Requires: both ends are closed.
  ~basic_frame_ring() {
    producer_owner_.check_closed();
    consumer_owner_.check_closed();
  }

  basic_frame_ring(const basic_frame_ring&) = delete;
  basic_frame_ring& operator=(const basic_frame_ring&) = delete;

  /// Takes the writing end, with the state it was closed with. `publish_every` frames (0: the default of `spsc_ring`), or a quarter of the bytes.
  /// Requires: the end is closed; if another thread had it, its `close` happened before.
  SPILLWAY_INLINE producer open_producer(std::size_t publish_every = 0) noexcept {
    producer_owner_.take();
    if (publish_every == 0) publish_every = default_publish_every;
    producer out;
    out.bytes_ = bytes();
    out.ring_ = this;
    out.mask_ = mask_;
    out.next_ = out.claimed_ = out.published_ = saved_producer_.next;
    out.limit_ = saved_producer_.known;
    out.frames_ = saved_producer_.frames;
    out.publish_every_ = static_cast<Counter>(std::min(publish_every, capacity()));
    out.publish_at_ = static_cast<Counter>(out.frames_ + out.publish_every_);
    return out;
  }

  /// Takes the reading end, with the state it was closed with. Requires: as `open_producer`.
  SPILLWAY_INLINE consumer open_consumer() noexcept {
    consumer_owner_.take();
    consumer in;
    in.bytes_ = bytes();
    in.ring_ = this;
    in.mask_ = mask_;
    in.next_ = in.released_ = saved_consumer_.next;
    in.seen_ = saved_consumer_.known;
    in.frames_ = saved_consumer_.frames;
    return in;
  }

  /// Hands the writing end back and publishes; an open claim is given up, every copy of the cursor is stale from here.
  SPILLWAY_INLINE void close(producer out) noexcept {
    out.publish();
    saved_producer_ = {out.next_, out.limit_, out.frames_};
    producer_owner_.give_back();
  }

  /// Hands the reading end back and releases; every copy of the cursor is stale from here.
  SPILLWAY_INLINE void close(consumer in) noexcept {
    in.release();
    saved_consumer_ = {in.next_, in.seen_, in.frames_};
    consumer_owner_.give_back();
  }

  std::size_t capacity() const noexcept { return std::size_t{mask_} + 1; }

  /// The largest frame that `try_claim` ever gives.
  std::size_t max_frame_bytes() const noexcept { return max_payload(mask_); }

  /// Frames published so far, modulo `Counter`. Any thread.
  Counter pushed() const noexcept { return frames_written_.load(std::memory_order_relaxed); }

  /// Frames released so far, modulo `Counter`. Any thread.
  Counter consumed() const noexcept { return frames_released_.load(std::memory_order_relaxed); }

  /// Bytes published and not released, at some moment during the call. Any thread.
  std::size_t bytes_estimate() const noexcept {
    // Acquire keeps the second load behind the first: the other way round the difference could fall below zero.
    const Counter released = released_.load(std::memory_order_acquire);
    return std::min(capacity(), distance(released, written_.load(std::memory_order_relaxed)));
  }

 private:
  struct saved_state {
    Counter next;
    Counter known;  // the limit of a producer, what a consumer has seen
    Counter frames;
  };

  static std::size_t capacity_for(std::size_t min_capacity) {
    return ring_capacity<Counter>(std::max<std::size_t>(min_capacity, 64), 1);
  }
  static constexpr Counter first_byte(Counter first_index) noexcept {
    return static_cast<Counter>(first_index & ~(alignment - 1));
  }

  // Headers stand 8 bytes behind a multiple of 16, so that the payload behind each is aligned without spare bytes.
  std::byte* bytes() const noexcept { return storage_.data() + (alignment - sizeof(frame_header)); }

  alignas(destructive_distance_bytes) Atomic written_;  // stored by the producer, as is the next
  Atomic frames_written_;
  alignas(destructive_distance_bytes) Atomic released_;  // stored by the consumer, as is the next
  Atomic frames_released_;
  alignas(destructive_distance_bytes) saved_state saved_producer_;
  endpoint_owner producer_owner_;
  alignas(destructive_distance_bytes) saved_state saved_consumer_;
  endpoint_owner consumer_owner_;
  alignas(destructive_distance_bytes) ring_storage storage_;  // from here: never written after construction
  Counter mask_;
};

using frame_ring = basic_frame_ring<>;

}  // namespace spillway
