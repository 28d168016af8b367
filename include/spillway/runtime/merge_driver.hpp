// The head of a stage that reads edges in the order of their time.
//
// Belongs to the stage's thread.
// 1. Items, records and watermarks alike, have a place: (time, channel, number within the channel), where a record's time is the larger of its
//    timestamp and its channel's watermark, and a watermark's time is itself.
// 2. What a channel still may send has places not before (its watermark, channel). So the item with the least place goes out once that place is not
//    behind the least (watermark, channel) of all.
// 3. It takes what its edges offer and keeps it; the order and the limit, not the ring sizes, decide when something goes out.
// 4. How many watermarks come between two records of a channel depends on how its emitting stage's work fell into cycles; the last of them does not. So
//    that one alone has a place, and goes out once something followed it.
//
//     std::vector<double> merged;
//     auto a = stage<"a">(any_cpu{}, readings({1, 3}));
//     auto b = stage<"b">(any_cpu{}, readings({2, 4}));
//     auto both = stage<"both">(any_cpu{}, merge_by_time(a, b) | sink([&](const reading& r) { merged.push_back(r.celsius); }));
//     pipeline(std::move(a), std::move(b), std::move(both)).run_inline();
//     assert((merged == std::vector<double>{1, 2, 3, 4}));            // equal times in the order of the inputs
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "spillway/graph/merge_by_time.hpp"
#include "spillway/runtime/edge_set.hpp"
#include "spillway/state/pool.hpp"
#include "spillway/time/watermark_merge.hpp"
#include "spillway/windows/due_heap.hpp"

namespace spillway::detail {

template <class Record>
class merge_store {
 public:
  struct place {
    timestamp time;
    std::uint64_t number;
    std::uint32_t channel;
    std::uint32_t record;  // pool index, or none for a watermark
    bool before(const place& other) const noexcept {
      if (time != other.time) return time < other.time;
      return channel != other.channel ? channel < other.channel : number < other.number;
    }
  };
  struct held_record {
    Record record;
    timestamp at;
  };
  static constexpr std::uint32_t none = pool<held_record>::none;

  void open(arena& memory) noexcept {
    records_.open(memory);
    order_.open(memory);
  }
  void add_record(std::size_t channel, timestamp time, Record&& record, timestamp at) {
    const std::uint32_t i = records_.create(held_record{std::move(record), at});
    order_.push({time, number_++, static_cast<std::uint32_t>(channel), i});
  }
  void add_watermark(std::size_t channel, timestamp w) { order_.push({w, number_++, static_cast<std::uint32_t>(channel), none}); }

  bool empty() const noexcept { return order_.empty(); }
  const place& first() const noexcept { return order_.top(); }
  held_record& record(std::uint32_t i) noexcept { return records_[i]; }
  void drop_first() {
    if (order_.top().record != none) records_.destroy(order_.top().record);
    order_.pop();
  }
  std::size_t bytes() const noexcept { return records_.size() * sizeof(held_record) + order_.size() * sizeof(place); }

 private:
  pool<held_record> records_;
  due_heap<place> order_;
  std::uint64_t number_ = 0;
};

template <class... Specs>
class merge_driver {
  using record = typename merge_head<Specs...>::record;

 public:
  static constexpr std::string_view kind = "merge_by_time";
  static constexpr std::size_t batch = 1024;

  explicit merge_driver(merge_head<Specs...> head) : options_(head.options), edges_(std::move(head.inputs)) {}

  void connect(plan& p, reader_id to) {
    const std::size_t channels = edges_.connect(p, std::move(to));
    merge_.emplace(channels);
    reached_.assign(channels, timestamp::minimum());
    unplaced_.assign(channels, timestamp::minimum());
    open_channels_ = channels;
  }
  void open_edges() { edges_.open(); }
  void close_edges() { edges_.close(); }
  void open(stage_context& context) { store_.open(context.memory()); }
  void close() {}
  timestamp watermark() const noexcept { return merge_->watermark(); }

  template <class Pass>
  SPILLWAY_INLINE std::size_t poll(Pass& pass, bool, std::size_t& records, bool& ended) {
    std::size_t done = 0;
    edges_.for_each([&](auto& c) {
      if (!c.ended) done += take(c);
    });
    done += give(pass, records);
    ended = open_channels_ == 0 && store_.empty();
    return done;
  }

 private:
  /// Takes what one edge offers into the store.
  template <class Connected>
  std::size_t take(Connected& c) {
    auto time = c.time;
    const bool recompute = c.edge->reader_recomputes;
    const std::size_t done = c.edge->poll(
        batch, [&](auto& slot) { keep(c, slot, time, recompute); },
        [&](const marker& m) {
          if (m.kind == marker_kind::watermark) reach(c.channel, m.value);
          if (m.kind == marker_kind::end && !c.ended) {
            c.ended = true;
            --open_channels_;
            reach(c.channel, timestamp::maximum());
          }
        },
        [] { return false; });
    c.time = time;
    c.edge->note_read_watermark(reached_[c.channel]);
    if (store_.bytes() > options_.limit_bytes) too_much(c.edge->from());
    return done;
  }

  template <class Connected, class Slot, class Time>
  void keep(Connected& c, Slot& slot, Time& time, bool recompute) {
    place_watermark(c.channel);
    if constexpr (requires { time.generator; }) {
      const timestamp t(std::invoke(time.extract, std::as_const(slot)));
      timestamp next = timestamp::minimum();
      if (recompute) next = time.generator.on_record(std::as_const(slot), t);
      store_.add_record(c.channel, std::max(t, reached_[c.channel]), std::move(slot), t);
      if (recompute) reach(c.channel, next);
    } else {
      store_.add_record(c.channel, std::max(slot.at, reached_[c.channel]), std::move(slot.record), slot.at);
    }
  }
  void reach(std::size_t channel, timestamp w) {
    if (w <= reached_[channel]) return;
    reached_[channel] = w;
    unplaced_[channel] = w;
    if (w == timestamp::maximum()) place_watermark(channel);
  }
  void place_watermark(std::size_t channel) {
    timestamp& w = unplaced_[channel];
    if (w == timestamp::minimum()) return;
    store_.add_watermark(channel, w);
    w = timestamp::minimum();
  }

  template <class Pass>
  std::size_t give(Pass& pass, std::size_t& records) {
    const auto least = std::min_element(reached_.begin(), reached_.end());
    const timestamp until = *least;
    // A channel at the end of time sends nothing more, so it holds back no other.
    const auto channel = until == timestamp::maximum() ? reached_.size() : static_cast<std::size_t>(least - reached_.begin());
    std::size_t done = 0;
    while (!store_.empty() && done < batch && !pass.held()) {
      const auto first = store_.first();
      if (first.time > until || (first.time == until && first.channel > channel)) break;
      ++done;
      if (first.record != store_.none) {
        ++records;
        auto& kept = store_.record(first.record);
        const timestamp at = kept.at;
        record r = std::move(kept.record);
        store_.drop_first();
        pass.emit(std::move(r), at);
      } else {
        store_.drop_first();
        if (const auto merged = merge_->update(first.channel, first.time)) pass.watermark(*merged);
      }
    }
    return done;
  }

  SPILLWAY_COLD [[noreturn]] void too_much(const std::string& from) const {
    throw std::length_error("spillway: merge_by_time holds more than its limit of " + std::to_string(options_.limit_bytes) +
                            " bytes, because an input beside '" + from +
                            "' is behind in time or silent; raise limit_bytes, or give that input watermarks");
  }

  merge_options options_;
  edge_set<Specs...> edges_;
  std::optional<watermark_merge> merge_;
  std::vector<timestamp> reached_;   // the watermark of each channel, as taken from its edge
  std::vector<timestamp> unplaced_;  // the same while nothing has followed it; minimum: none
  merge_store<record> store_;
  std::size_t open_channels_ = 0;
};

template <class... Specs>
merge_driver<Specs...> lower_head(merge_head<Specs...>&& head) {
  return merge_driver<Specs...>(std::move(head));
}

}  // namespace spillway::detail
