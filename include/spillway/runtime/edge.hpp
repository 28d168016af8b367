// An edge: one emitting stage, one tag, one reading stage; it owns a ring, a lane of markers, one policy and its counts.
//
// The `cursor` and all that takes one belong to the emitting thread, `poll` to the reading thread.
// 1. Nothing here waits. A record that finds no room is dealt with by the policy: into the backlog (`block`, `spill`), dropped and counted, or into
//    the place of an older one (`overwrite_oldest`, `conflate`).
// 2. While the backlog holds anything, all that follows queues behind it: records and markers keep their order.
// 3. Markers travel beside the ring, stamped with the number of the record they belong before, and are published before that record: a
//    reader that sees the record sees the marker.
// 4. Watermarks at one position are one marker, the latest. On a lossy edge whose lane is full the watermark waits; it never goes ahead of a
//    record that was emitted before it.
//
//     edge_of<stream<int>> edge("ingest", "", "average", block.lowered(), {.capacity = 1024}, nullptr);
//     edge.open_writer();
//     edge.open_reader();
//     auto c = edge.writer();
//     edge.push(c, 7);
//     edge.watermark(c, timestamp(1s));
//     edge.writer() = edge.flush(c);
//     int sum = 0;
//     edge.poll(100, [&](int& n) { sum += n; }, [](const marker& m) { assert(m.value == timestamp(1s)); }, [] { return false; });
//     edge.close_reader();
//     edge.close_writer();
//     assert(sum == 7 && edge.counts().balanced());
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include "spillway/runtime/edge_base.hpp"
#include "spillway/runtime/edge_storage.hpp"
#include "spillway/runtime/loose_storage.hpp"
#include "spillway/runtime/marker.hpp"

namespace spillway {

template <class Stream>
class edge_of final : public edge_base {
  using storage = detail::storage_of<Stream>;

 public:
  using slot = typename storage::slot;

  /// The emitting end's working state: copied into registers by a pass, and written back.
  struct cursor {
    typename storage::producer ring;
    timestamp pending = timestamp::minimum();  // a watermark not yet placed; minimum: none
    timestamp offered = timestamp::minimum();  // the largest watermark given to this edge
    timestamp placed = timestamp::minimum();   // the watermark of the last record, if nothing is pending
    bool held = false;                         // a blocking edge with a backlog
  };

  /// `loose`: what holds the records instead of the ring, for policies that replace them; null for the others.
  edge_of(std::string_view from, std::string_view tag, std::string_view to, overflow_policy policy, const edge_options& options,
          const report_hook* report, std::unique_ptr<loose_storage<Stream>> loose = nullptr)
      : edge_base(from, tag, to, policy, report),
        options_(options),
        drops_newest_(policy.kind == overflow::drop_newest),
        loose_(std::move(loose)),
        storage_(loose_ == nullptr ? options : smallest(options)),
        lane_(lane_capacity(policy, options)),
        waiting_(memory_) {
    if (set_aside_bytes() > 0) waiting_.set_aside(set_aside_bytes());
    growth_before_start_ = memory_.growth_events();
  }

  ~edge_of() override {
    while (!waiting_.empty()) pop_waiting();
  }

  /// True: the reading stage finds the watermark in the records itself, so that only what it cannot see is sent.
  bool reader_recomputes = false;

  // --- the emitting end ---

  void open_writer() {
    writer_ = cursor{};
    static_cast<typename storage::ring_type::producer&>(writer_.ring) =
        storage_.ring.open_producer(options_.publish_each ? 1 : 0);
    lane_writer_ = lane_.open_producer(1);
    if (loose_ != nullptr) {
      loose_->open_writer();
      storage::forbid(writer_.ring);  // every record is "refused", and so comes to push_loose
    }
  }
  void close_writer() {
    if (writer_.held) count_blocked_time();
    if (loose_ != nullptr) loose_->close_writer();
    storage_.ring.close(writer_.ring);
    lane_.close(lane_writer_);
  }
  /// The cursor as it was settled last. A side output works on it in place; a pass works on a copy.
  SPILLWAY_INLINE cursor& writer() noexcept { return writer_; }

  /// For a cursor in registers: the slow paths take it and give it back by value.
  SPILLWAY_INLINE void push(cursor& c, slot&& s) {
    if (c.pending != timestamp::minimum()) [[unlikely]]
      c = with_pending_placed(c);
    if (!storage::push_cached(c.ring, s)) [[unlikely]]
      c = with_refused(c, s);
  }
  /// For the cursor at rest, `writer()`, at watermark `w`; `value` is what a record is made from. True when the edge is left holding the stage.
  template <class V>
  SPILLWAY_INLINE bool push_in_place(V&& value, timestamp t, timestamp w) {
    if (w != writer_.placed) [[unlikely]]
      catch_up(w);
    if (storage::template emplace_cached<Stream>(writer_.ring, std::forward<V>(value), t)) [[likely]]
      return false;
    // Dropping is the one thing to do with a full ring that needs neither the record nor a call.
    if (drops_newest_ && storage::full(writer_.ring)) {
      dropped_full_.add();
      return false;
    }
    // A slot of its own, so that the record's address goes nowhere and the record may stay in registers.
    slot s = detail::make_slot<Stream>(typename Stream::record(std::forward<V>(value)), t);
    return refuse_in_place(s);
  }

  SPILLWAY_INLINE void watermark(cursor& c, timestamp w) const noexcept {
    if (w > c.offered) {
      c.offered = w;
      c.pending = w;
    }
  }

  /// Makes everything visible that was emitted so far; tries to empty the backlog first.
  cursor flush(cursor c) {
    if (!waiting_.empty()) advance(c);
    if (c.pending != timestamp::minimum()) place_pending(c);
    if (end_ == end_state::wanted && c.pending == timestamp::minimum()) place_end(c);
    c.ring.publish();
    if (loose_ != nullptr) loose_->publish();
    if (!loss_reported() && dropped_full_.get() > 0) report_first_loss("the ring is full");
    return c;
  }

  /// No record will follow.
  void end(cursor& c) {
    if (end_ == end_state::none) end_ = end_state::wanted;
    c = flush(c);
  }

  /// Nothing emitted is still on this side of the ring. Requires: the cursor is settled.
  bool delivered() const noexcept {
    return waiting_.empty() && end_ != end_state::wanted && writer_.pending == timestamp::minimum();
  }

  /// Items that went from the backlog into ring and lane so far.
  std::uint64_t moved() const noexcept { return moved_; }

  /// True once the end marker is in the lane or in the backlog.
  bool ended() const noexcept { return end_ == end_state::placed; }

  // --- the reading end ---

  void open_reader() {
    reader_ = storage_.ring.open_consumer();
    lane_reader_ = lane_.open_consumer();
    if (loose_ != nullptr) loose_->open_reader();
  }
  void close_reader() {
    if (loose_ != nullptr) loose_->close_reader();
    storage_.ring.close(reader_);
    lane_.close(lane_reader_);
  }

  /// Hands over up to `limit` records in order, each to `on_record(slot&)`, and the markers between them to `on_marker(marker)`, until `stop()`.
  /// Returns how many of both. A record whose handler throws counts as consumed.
  template <class OnRecord, class OnMarker, class Stop>
  SPILLWAY_INLINE std::size_t poll(std::size_t limit, OnRecord&& on_record, OnMarker&& on_marker, Stop&& stop) {
    if (loose_ != nullptr) [[unlikely]]
      return poll_loose(limit, on_record, on_marker, stop);
    auto in = reader_;
    struct put_back {
      edge_of& self;
      typename storage::consumer& in;
      SPILLWAY_INLINE ~put_back() {
        in.release();
        self.reader_ = in;
      }
    } const guard{*this, in};
    std::size_t done = 0;
    std::size_t room = limit;
    for (;;) {
      while (next_marker_.position == in.position() && has_marker_) {
        has_marker_ = false;
        const marker m = next_marker_;
        look_for_marker();
        ++done;
        on_marker(m);
        if (stop()) return done;
      }
      if (in.readable() == 0) {
        // The lane is looked at after the ring: the marker before a record is published before the record.
        const std::size_t seen = in.refresh();
        look_for_marker();
        if (seen == 0) {
          if (has_marker_ && next_marker_.position == in.position()) continue;
          return done;
        }
        continue;
      }
      std::size_t most = room;
      if (has_marker_) most = std::min<std::size_t>(most, next_marker_.position - in.position());
      const std::size_t run = storage::at_once(in, most);
      for (std::size_t i = 0; i < run; ++i) {
        try {
          on_record(storage::front(in));
        } catch (...) {
          in.pop();
          throw;
        }
        in.pop();
        if (stop()) return done + i + 1;
      }
      done += run;
      room -= run;
      if (room == 0) return done;
    }
  }

  // --- seen from outside ---

  std::size_t capacity() const noexcept override { return loose_ == nullptr ? storage_.ring.capacity() : loose_->capacity(); }

  std::size_t memory_bytes() const noexcept override {
    const std::size_t ring = loose_ == nullptr ? storage_.bytes() : loose_->memory_bytes();
    return ring + lane_.capacity() * sizeof(marker) + set_aside_bytes();
  }
  bool full() const noexcept override { return loose_ == nullptr && (waiting_.records() > 0 || storage_.full()); }

  edge_counts counts() const noexcept override {
    edge_counts c;
    c.dropped_full = dropped_full_.get();
    c.dropped_limit = dropped_limit_.get();
    c.dropped_oversize = dropped_oversize_.get();
    c.spilled = spilled_.get();
    c.blocked_ns = blocked_ns_.get();
    c.growth_events = memory_.growth_events() - growth_before_start_;
    if (loose_ != nullptr) {
      const loose_counts held = loose_->counts();
      c.consumed = held.consumed;
      c.overwritten = held.overwritten;
      c.conflated = held.conflated;
      c.growth_events += held.growth_events;
      c.left = held.left;
      c.pushed = held.pushed + c.dropped_limit + c.dropped_oversize;
      return c;
    }
    c.consumed = storage_.ring.consumed();
    c.left = storage_.records() + waiting_.records();
    c.pushed = storage_.ring.pushed() + waiting_.records() + c.dropped();
    return c;
  }
  std::uint64_t position() const noexcept override { return writer_.ring.position() + waiting_.records(); }
  bool holds_source_text() const noexcept override { return text_record<slot> && !detail::needs_frames<Stream>; }
  bool released_past(std::uint64_t position) const noexcept override {
    if constexpr (detail::needs_frames<Stream>) {
      return storage_.ring.consumed() >= position;
    } else {
      return storage_.ring.released() >= position;
    }
  }

 private:
  enum class end_state { none, wanted, placed };

  /// A full lane sends what follows to the backlog, so where that has a limit there must be room for a watermark behind each record of the ring.
  static std::size_t lane_capacity(overflow_policy policy, const edge_options& options) {
    constexpr std::size_t usual_frame_bytes = 64;
    if (policy.kind != overflow::spill) return std::clamp<std::size_t>(options.capacity, 4, 1024);
    return std::max<std::size_t>(detail::needs_frames<Stream> ? options.text_bytes / usual_frame_bytes : options.capacity, 4);
  }

  std::size_t set_aside_bytes() const noexcept { return policy().set_aside_bytes; }

  /// A ring of the least size, for an edge that does not use it.
  static edge_options smallest(edge_options options) {
    options.capacity = 1;
    options.text_bytes = 1;
    return options;
  }

  /// Markers that find the lane full go to the backlog. On the other edges nothing waits in memory: there the marker is tried again.
  bool saves_markers() const noexcept { return policy().kind == overflow::block || policy().kind == overflow::spill; }
  std::uint64_t next_position(const cursor& c) const noexcept {
    return loose_ == nullptr ? c.ring.position() : loose_->written();
  }

  SPILLWAY_NOINLINE cursor with_pending_placed(cursor c) {
    place_pending(c);
    return c;
  }
  SPILLWAY_NOINLINE void place_pending(cursor& c) {
    const marker m{next_position(c), c.pending, marker_kind::watermark};
    if (waiting_.empty() && lane_writer_.try_emplace(m)) {
      c.pending = timestamp::minimum();
    } else if (saves_markers()) {
      save_marker(c, m);
      c.pending = timestamp::minimum();
    }
  }

  void place_end(cursor& c) {
    const marker m{next_position(c), {}, marker_kind::end};
    if (waiting_.empty() && lane_writer_.try_emplace(m)) {
      end_ = end_state::placed;
    } else if (saves_markers()) {
      save_marker(c, m);
      end_ = end_state::placed;
    }
  }

  /// A watermark right behind another one takes its place, so that time that moves on alone takes no memory.
  void save_marker(cursor& c, const marker& m) {
    if (last_waiting_watermark_ != nullptr && m.kind == marker_kind::watermark) {
      *last_waiting_watermark_ = m;
      return;
    }
    auto* saved =
        std::construct_at(reinterpret_cast<marker*>(waiting_.append(sizeof(marker), alignof(marker), backlog::kind::marker)), m);
    last_waiting_watermark_ = m.kind == marker_kind::watermark ? saved : nullptr;
    // Nothing may pass it, but it holds nobody up: what waits behind a full lane is one watermark, however far time moves on.
    storage::forbid(c.ring);
  }

  /// From here on nothing may pass the backlog.
  void behind_backlog(cursor& c) {
    storage::forbid(c.ring);
    if (policy().kind == overflow::block && !c.held) {
      c.held = true;
      held_since_ = std::chrono::steady_clock::now();
    }
  }

  SPILLWAY_NOINLINE void catch_up(timestamp w) {
    watermark(writer_, w);
    if (writer_.pending != timestamp::minimum()) place_pending(writer_);
    if (writer_.pending == timestamp::minimum()) writer_.placed = w;
  }

  SPILLWAY_NOINLINE cursor with_refused(cursor c, slot& s) {
    refuse(c, s);
    return c;
  }
  SPILLWAY_NOINLINE bool refuse_in_place(slot& s) {
    refuse(writer_, s);
    return writer_.held;
  }

  void refuse(cursor& c, slot& s) {
    if (loose_ != nullptr) return push_loose(c, s);
    if (!storage_.fits(s)) return refuse_oversize(c, s);
    if (waiting_.empty() && storage::push(c.ring, s)) return;
    switch (policy().kind) {
      case overflow::drop_newest:
        return dropped_full_.add();
      case overflow::spill:
        if (waiting_.bytes() + storage::saved_bytes(s) > policy().limit_bytes) {
          storage::forbid(c.ring);
          dropped_limit_.add();
          return report_first_loss("the spill limit is reached");
        }
        spilled_.add();
        break;
      case overflow::block:
      case overflow::overwrite_oldest:  // these two never come here
      case overflow::conflate:
        break;
    }
    storage::save(waiting_, s);
    last_waiting_watermark_ = nullptr;
    behind_backlog(c);
  }

  void push_loose(cursor& c, slot& s) {
    switch (loose_->push(s)) {
      case loose_push::stored:
        break;
      case loose_push::too_large:
        return refuse_oversize(c, s);
      case loose_push::no_key_left:
        dropped_limit_.add();
        report_first_loss("there are more keys to conflate than its capacity; raise the capacity");
        break;
    }
  }

  SPILLWAY_COLD void refuse_oversize(cursor&, slot& s) {
    if (policy().kind == overflow::block) {
      throw std::length_error("spillway: a record with " + std::to_string(storage::saved_bytes(s)) +
                              " bytes does not fit the edge from '" + from() + "' to '" + to() + "'; raise its text_bytes");
    }
    dropped_oversize_.add();
    report_first_loss("a record's text is larger than a frame of the ring; raise text_bytes");
  }

  /// Moves the backlog into ring and lane as far as there is room.
  SPILLWAY_NOINLINE void advance(cursor& c) {
    while (!waiting_.empty()) {
      const auto item = waiting_.front();
      if (item.what == backlog::kind::marker) {
        marker m = *reinterpret_cast<marker*>(item.payload);
        m.position = c.ring.position();
        if (!lane_writer_.try_emplace(m)) break;
      } else if (!storage::push(c.ring, storage::saved(item.payload))) {
        break;
      }
      pop_waiting();
      ++moved_;
    }
    if (!waiting_.empty()) {
      storage::forbid(c.ring);
    } else if (c.held) {
      c.held = false;
      count_blocked_time();
    }
  }

  /// A record may come from behind markers whose place was overwritten: they go first.
  template <class OnRecord, class OnMarker, class Stop>
  SPILLWAY_NOINLINE std::size_t poll_loose(std::size_t limit, OnRecord& on_record, OnMarker& on_marker, Stop& stop) {
    std::size_t done = 0;
    std::size_t records = 0;
    while (records < limit) {
      if (in_hand_ == nullptr) in_hand_ = loose_->next();
      // The lane is looked at after the records: the marker before a record is published before the record.
      look_for_marker();
      const std::uint64_t reached = loose_->taken() - (in_hand_ == nullptr ? 0u : 1u);
      if (has_marker_ && next_marker_.position <= reached) {
        has_marker_ = false;
        ++done;
        on_marker(marker(next_marker_));
      } else if (in_hand_ != nullptr) {
        ++records;
        on_record(*std::exchange(in_hand_, nullptr));
      } else {
        break;
      }
      if (stop()) break;
    }
    if (!loss_reported() && loose_->counts().overwritten > 0)
      report_first_loss("its reader is too slow, and older records were overwritten");
    return done + records;
  }

  void count_blocked_time() noexcept {
    blocked_ns_.add(static_cast<std::uint64_t>((std::chrono::steady_clock::now() - held_since_).count()));
  }

  void pop_waiting() noexcept {
    const auto item = waiting_.front();
    if (item.what == backlog::kind::record) std::destroy_at(&storage::saved(item.payload));
    waiting_.pop();
    if (waiting_.empty()) last_waiting_watermark_ = nullptr;
  }

  void look_for_marker() noexcept {
    if (!has_marker_ && (lane_reader_.readable() > 0 || lane_reader_.refresh() > 0)) {
      next_marker_ = lane_reader_.front();
      lane_reader_.pop();
      lane_reader_.release();
      has_marker_ = true;
    }
  }

  edge_options options_;
  bool drops_newest_;
  std::uint64_t growth_before_start_ = 0;
  std::unique_ptr<loose_storage<Stream>> loose_;
  storage storage_;
  spsc_ring<marker> lane_;

  alignas(destructive_distance_bytes) cursor writer_;  // from here: the emitting thread's
  typename spsc_ring<marker>::producer lane_writer_;
  arena memory_;
  backlog waiting_;
  marker* last_waiting_watermark_ = nullptr;  // the newest item of the backlog, if it is a watermark
  end_state end_ = end_state::none;
  std::uint64_t moved_ = 0;
  std::chrono::steady_clock::time_point held_since_;

  alignas(destructive_distance_bytes) typename storage::consumer reader_;  // from here: the reading thread's
  typename spsc_ring<marker>::consumer lane_reader_;
  marker next_marker_;
  bool has_marker_ = false;
  slot* in_hand_ = nullptr;  // taken from the loose storage, but markers go first
};

}  // namespace spillway
