// The head of a stage that reads edges.
//
// Belongs to the stage's thread.
// 1. Several edges are polled in turn, a bounded number of records each, beginning with another one each cycle.
// 2. The watermark behind them is the smallest of theirs; an edge that ended counts as timestamp::maximum().
// 3. On an edge whose reader recomputes, the watermark comes from the records by a copy of the emitting stage's generator, right behind the
//    record that advances it, and markers fill in what was filtered out.
//
//     int sum = 0;
//     auto a = stage<"a">(any_cpu{}, source(elements{1, 2}));
//     auto b = stage<"b">(any_cpu{}, source(elements{3}));
//     auto both = stage<"both">(any_cpu{}, from(a, b) | sink([&](int n) { sum += n; }));      // its head polls two edges in turn
//     pipeline(std::move(a), std::move(b), std::move(both)).run_inline();
//     assert(sum == 6);
#pragma once

#include <optional>
#include <utility>

#include "spillway/runtime/edge_set.hpp"
#include "spillway/time/watermark_merge.hpp"

namespace spillway::detail {

template <class Head>
class input_driver;

template <class... Specs>
class input_driver<from_head<Specs...>> {
 public:
  static constexpr std::string_view kind = "from";
  static constexpr std::size_t batch = 1024;

  explicit input_driver(from_head<Specs...> head) : edges_(std::move(head.inputs)) {}

  void connect(plan& p, reader_id to) {
    const std::size_t channels = edges_.connect(p, std::move(to));
    merge_.emplace(channels);
    open_channels_ = channels;
  }
  void open_edges() { edges_.open(); }
  void close_edges() { edges_.close(); }
  void open(stage_context&) {}
  void close() {}
  timestamp watermark() const noexcept { return watermark_; }

  template <class Pass>
  SPILLWAY_INLINE std::size_t poll(Pass& pass, bool, std::size_t& records, bool& ended) {
    std::size_t done = 0;
    if constexpr (sizeof...(Specs) == 1) {
      auto& edges = edges_.first();
      if (edges.size() == 1) [[likely]] {
        done = poll_edge<true>(pass, edges[0], records);
        ended = open_channels_ == 0;
        return done;
      }
    }
    done = poll_many(pass, records);
    ended = open_channels_ == 0;
    return done;
  }

 private:
  template <class Pass>
  SPILLWAY_NOINLINE std::size_t poll_many(Pass& pass, std::size_t& records) {
    std::size_t total = 0;
    std::size_t done = 0;
    edges_.for_each([&](auto&) { ++total; });
    const std::size_t first = turn_++ % total;
    for (std::size_t round = 0; round < 2; ++round) {
      std::size_t index = 0;
      edges_.for_each([&](auto& c) {
        const bool mine = round == 0 ? index >= first : index < first;
        ++index;
        if (mine && !c.ended && !pass.held()) done += poll_edge<false>(pass, c, records);
      });
    }
    return done;
  }

  template <bool Only, class Pass, class Connected>
  SPILLWAY_INLINE std::size_t poll_edge(Pass& pass, Connected& c, std::size_t& records) {
    std::size_t taken = 0;
    struct count_at_exit {
      std::size_t& taken;
      std::size_t& records;
      SPILLWAY_INLINE ~count_at_exit() { records += taken; }
    } const guard{taken, records};
    auto time = c.time;
    const bool recompute = c.edge->reader_recomputes;
    timestamp reached = watermark_;
    const std::size_t done = c.edge->poll(
        batch,
        [&](auto& slot) {
          ++taken;
          hand_over<Only>(pass, c, slot, time, recompute, reached);
        },
        [&](const marker& m) { take_marker<Only>(pass, c, m, reached); }, [&] { return pass.held(); });
    c.time = time;
    if constexpr (Only) watermark_ = reached;
    c.edge->note_read_watermark(Only ? reached : merge_->channel_watermark(c.channel));
    return done;
  }

  template <bool Only, class Pass, class Connected, class Slot, class Time>
  SPILLWAY_INLINE void hand_over(Pass& pass, Connected& c, Slot& slot, Time& time, bool recompute, timestamp& reached) {
    if constexpr (requires { time.generator; }) {
      const timestamp t(std::invoke(time.extract, std::as_const(slot)));
      timestamp candidate = timestamp::minimum();
      if (recompute) candidate = time.generator.on_record(std::as_const(slot), t);
      pass.emit(std::move(slot), t);
      if (recompute) advance<Only>(pass, c, candidate, reached);
    } else if constexpr (stamps<typename Connected::timing>) {
      pass.emit(std::move(slot.record), slot.at);
    } else {
      pass.emit(std::move(slot), no_timestamp);
    }
  }

  template <bool Only, class Pass, class Connected>
  SPILLWAY_INLINE void advance(Pass& pass, Connected& c, timestamp w, timestamp& reached) {
    if constexpr (Only) {
      if (w > reached) {
        reached = w;
        pass.watermark(w);
      }
    } else {
      if (const auto merged = merge_->update(c.channel, w)) {
        watermark_ = *merged;
        pass.watermark(*merged);
      }
    }
  }

  template <bool Only, class Pass, class Connected>
  void take_marker(Pass& pass, Connected& c, const marker& m, timestamp& reached) {
    if (m.kind == marker_kind::watermark) advance<Only>(pass, c, m.value, reached);
    if (m.kind == marker_kind::end && !c.ended) {
      c.ended = true;
      --open_channels_;
      advance<Only>(pass, c, timestamp::maximum(), reached);
    }
  }

  edge_set<Specs...> edges_;
  std::optional<watermark_merge> merge_;
  timestamp watermark_ = timestamp::minimum();
  std::size_t open_channels_ = 0;
  std::size_t turn_ = 0;
};

template <class... Specs>
input_driver<from_head<Specs...>> lower_head(from_head<Specs...>&& head) {
  return input_driver<from_head<Specs...>>(std::move(head));
}

}  // namespace spillway::detail
