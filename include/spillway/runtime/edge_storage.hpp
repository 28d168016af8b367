// The two ways an edge holds records: slots of a ring, or byte frames that take a record's text along.
//
// Each storage has a producer for the emitting and a consumer for the reading thread, and can move a record into a backlog and back.
// 1. `push_cached` looks at no shared line; `push` does. Both leave the record as it was when they refuse it.
// 2. A record read from a frame has its text right behind it, in the frame.
//
//     using storage = detail::slot_storage<int>;
//     storage s({.capacity = 2});
//     auto out = s.ring.open_producer();
//     arena memory;
//     backlog waiting(memory);
//     for (int n : {1, 2, 3}) {
//       if (!storage::push_cached(out, n) && !storage::push(out, n)) storage::save(waiting, n);
//     }
//     s.ring.close(out);
//     assert(s.records() == 2 && waiting.records() == 1);
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "spillway/core/frame_ring.hpp"
#include "spillway/core/spsc_ring.hpp"
#include "spillway/graph/overflow_policy.hpp"
#include "spillway/runtime/backlog.hpp"
#include "spillway/runtime/slot.hpp"

namespace spillway::detail {

template <class Slot>
struct slot_storage {
  static_assert(std::is_nothrow_move_constructible_v<Slot> && std::is_nothrow_destructible_v<Slot>,
                "spillway: a record that crosses an edge must move and be destroyed without throwing");
  using slot = Slot;
  using ring_type = spsc_ring<Slot>;
  using producer = typename ring_type::producer;
  using consumer = typename ring_type::consumer;

  explicit slot_storage(const edge_options& options) : ring(options.capacity) {}

  SPILLWAY_INLINE static bool push_cached(producer& out, Slot& s) noexcept { return out.try_emplace_cached(std::move(s)); }
  /// The same, and a slot is made from `value`, in its place, only if there is room.
  template <class Stream, class V>
  SPILLWAY_INLINE static bool emplace_cached(producer& out, V&& value, timestamp t) {
    return out.try_construct_cached([&](void* where) {
      if constexpr (stamps<typename Stream::timing>) {
        ::new (where) Slot{typename Stream::record(std::forward<V>(value)), t};
      } else {
        ::new (where) Slot(std::forward<V>(value));
      }
    });
  }
  /// There is no room, after a look at the consumer's index.
  SPILLWAY_INLINE static bool full(const producer& out) noexcept { return out.full(); }
  static bool push(producer& out, Slot& s) noexcept { return out.try_emplace(std::move(s)); }
  static void forbid(producer& out) noexcept { out.forbid(); }
  bool fits(const Slot&) const noexcept { return true; }
  /// Records published and not released. Any thread.
  std::uint64_t records() const noexcept { return ring.size_estimate(); }

  std::size_t bytes() const noexcept { return ring.capacity() * sizeof(Slot); }
  bool full() const noexcept { return records() >= ring.capacity(); }

  SPILLWAY_INLINE static void save(backlog& waiting, Slot& s) {
    ::new (static_cast<void*>(waiting.append(sizeof(Slot), alignof(Slot), backlog::kind::record))) Slot(std::move(s));
  }
  static std::size_t saved_bytes(const Slot&) noexcept { return sizeof(Slot); }
  static Slot& saved(std::byte* payload) noexcept { return *std::launder(reinterpret_cast<Slot*>(payload)); }

  SPILLWAY_INLINE static Slot& front(consumer& in) noexcept { return in.front(); }
  /// How many of up to `most` records may be read without looking again. Requires: `in.readable() > 0`.
  SPILLWAY_INLINE static std::size_t at_once(const consumer& in, std::size_t most) noexcept {
    return std::min(in.readable(), most);
  }

  ring_type ring;
};

template <class Slot>
struct frame_storage {
  static_assert(std::is_trivially_copyable_v<Slot> && alignof(Slot) <= 16,
                "spillway: a record with text that crosses an edge must be trivially copyable");
  using slot = Slot;
  using ring_type = frame_ring;
  struct producer : ring_type::producer {
    bool forbidden = false;
  };
  using consumer = typename ring_type::consumer;

  explicit frame_storage(const edge_options& options) : ring(options.text_bytes) {}

  static std::size_t saved_bytes(const Slot& s) noexcept { return sizeof(Slot) + text_of(const_cast<Slot&>(s)).size(); }
  static void write(std::byte* to, const Slot& s) noexcept {
    const text_ref text = text_of(const_cast<Slot&>(s));
    std::memcpy(to, &s, sizeof(Slot));
    if (!text.empty()) std::memcpy(to + sizeof(Slot), text.data(), text.size());
  }
  /// The record at `from`, its handle set to the text behind it.
  static Slot& read(std::byte* from) noexcept {
    Slot& s = *std::launder(reinterpret_cast<Slot*>(from));
    text_ref& text = text_of(s);
    text = text_ref(std::string_view(reinterpret_cast<const char*>(from + sizeof(Slot)), text.size()));
    return s;
  }

  static bool push_cached(producer& out, Slot& s) noexcept { return !out.forbidden && push(out, s); }
  template <class Stream, class V>
  static bool emplace_cached(producer& out, V&& value, timestamp t) {
    if (out.forbidden) return false;
    Slot s = make_slot<Stream>(typename Stream::record(std::forward<V>(value)), t);
    return push(out, s);
  }
  /// Whether there is room depends on the record: see `push`.
  static bool full(const producer&) noexcept { return false; }
  static bool push(producer& out, Slot& s) noexcept {
    out.forbidden = false;
    const std::size_t bytes = saved_bytes(s);
    std::byte* frame = out.try_claim(bytes);
    if (frame == nullptr) return false;
    write(frame, s);
    out.commit(bytes);
    return true;
  }
  static void forbid(producer& out) noexcept { out.forbidden = true; }
  bool fits(const Slot& s) const noexcept { return saved_bytes(s) <= ring.max_frame_bytes(); }
  /// Records published and not released. Any thread.
  std::uint64_t records() const noexcept {
    // The two counts order nothing, so one read later may be ahead of one read earlier.
    const std::uint64_t released = ring.consumed();
    const std::uint64_t written = ring.pushed();
    return written > released ? written - released : 0;
  }

  std::size_t bytes() const noexcept { return ring.capacity(); }
  /// Three quarters full: how much room the next frame needs is not known.
  bool full() const noexcept { return ring.bytes_estimate() >= ring.capacity() / 4 * 3; }

  static void save(backlog& waiting, Slot& s) { write(waiting.append(saved_bytes(s), 16, backlog::kind::record), s); }
  static Slot& saved(std::byte* payload) noexcept { return read(payload); }

  static Slot& front(consumer& in) noexcept { return read(in.front().data()); }
  static std::size_t at_once(const consumer&, std::size_t most) noexcept {
    return std::min<std::size_t>(1, most);
  }  // readable() counts bytes

  ring_type ring;
};

template <class Stream>
using storage_of = std::conditional_t<needs_frames<Stream>, frame_storage<slot_of<Stream>>, slot_storage<slot_of<Stream>>>;

}  // namespace spillway::detail
