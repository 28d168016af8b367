// One edge of the plan as everybody but its two ends sees it: its names, its policy, its counts.
//
// Names are fixed when the plan is made. `counts()` may be called from any thread; while the pipeline runs the numbers are a moment's, and
// records that were not published yet are not in them. The rest belongs to the emitting stage's thread.
// 1. When the pipeline has ended, `pushed == consumed + dropped() + conflated + left` for each edge.
//
//     auto ingest = sw::stage<"ingest">(sw::any_cpu{}, readings());
//     auto publish = sw::stage<"publish">(sw::any_cpu{}, sw::from(ingest) | sw::discard());
//     sw::pipeline p(std::move(ingest), std::move(publish));
//     p.run();
//     const sw::edge_counts counts = p.edges().front().counts;
//     assert(counts.balanced() && counts.consumed == 4 && counts.dropped() == 0);
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "spillway/core/config.hpp"
#include "spillway/core/counter.hpp"
#include "spillway/graph/overflow_policy.hpp"
#include "spillway/operators/stop_signal.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

/// What happened on one edge, in records.
struct edge_counts {
  std::uint64_t pushed = 0;            // offered by the emitting stage
  std::uint64_t consumed = 0;          // taken by the reading stage
  std::uint64_t left = 0;              // neither: in the ring or in the backlog
  std::uint64_t dropped_full = 0;      // refused because the ring was full
  std::uint64_t dropped_limit = 0;     // refused because the spill limit, or the number of keys to conflate, was reached
  std::uint64_t dropped_oversize = 0;  // refused because the text is larger than a frame of the ring
  std::uint64_t overwritten = 0;       // by newer records before the reading stage came to them
  std::uint64_t conflated = 0;         // replaced by a newer record of their key before the reading stage came to them
  std::uint64_t spilled = 0;           // went through memory segments on their way
  std::uint64_t blocked_ns = 0;        // how long the emitting stage was held
  std::uint64_t growth_events = 0;     // allocations after the start

  std::uint64_t dropped() const noexcept { return dropped_full + dropped_limit + dropped_oversize + overwritten; }
  bool balanced() const noexcept { return pushed == consumed + dropped() + conflated + left; }
};

class edge_base {
 public:
  edge_base(std::string_view from, std::string_view tag, std::string_view to, overflow_policy policy, const report_hook* report)
      : from_(from), tag_(tag), to_(to), policy_(policy), report_(report) {
    note_read_watermark(timestamp::minimum());
  }
  virtual ~edge_base() = default;
  edge_base(const edge_base&) = delete;
  edge_base& operator=(const edge_base&) = delete;

  const std::string& from() const noexcept { return from_; }
  const std::string& tag() const noexcept { return tag_; }  // empty: the main output
  const std::string& to() const noexcept { return to_; }
  overflow_policy policy() const noexcept { return policy_; }
  virtual std::size_t capacity() const noexcept = 0;
  /// Memory of ring, marker lane and what is set aside, in bytes, before any growth.
  virtual std::size_t memory_bytes() const noexcept = 0;
  /// The ring has no room, or nearly none: the reading stage is behind. Any thread; a moment's answer.
  virtual bool full() const noexcept = 0;
  virtual edge_counts counts() const noexcept = 0;

  /// The watermark up to which the reading stage has read this edge; timestamp::minimum() where none came. Any thread.
  timestamp read_watermark() const noexcept { return timestamp(static_cast<std::int64_t>(read_watermark_.get())); }
  void note_read_watermark(timestamp w) noexcept { read_watermark_.set(static_cast<std::uint64_t>(w.ns)); }

  /// Records in the ring point to text in the source's own memory.
  virtual bool holds_source_text() const noexcept = 0;
  /// How far the reading stage has released what was pushed: `released_past(position())` of an earlier moment is true once all of that was released.
  virtual std::uint64_t position() const noexcept = 0;
  virtual bool released_past(std::uint64_t position) const noexcept = 0;

 protected:
  void report_first_loss(std::string_view reason) {
    if (!loss_reported()) tell_first_loss(reason);
  }
  /// Relaxed: at worst the exchange is made in vain.
  bool loss_reported() const noexcept { return reported_.load(std::memory_order_relaxed); }

  counter dropped_full_;
  counter dropped_limit_;
  counter dropped_oversize_;
  counter spilled_;
  counter blocked_ns_;

 private:
  SPILLWAY_COLD void tell_first_loss(std::string_view reason) {
    if (reported_.exchange(true) || report_ == nullptr || !*report_) return;
    (*report_)("spillway: edge '" + from_ + (tag_.empty() ? std::string() : "." + tag_) + "' -> '" + to_ +
               "' loses records: " + std::string(reason));
  }

  counter read_watermark_;
  std::string from_;
  std::string tag_;
  std::string to_;
  overflow_policy policy_;
  const report_hook* report_;
  std::atomic<bool> reported_{false};  // either end may be the first to meet a loss
};

}  // namespace spillway
