// The head of a stage that reads edges.
//
// Belongs to the stage's thread.
// 1. Several edges are polled in turn, a bounded number of records each, beginning with another one each cycle.
// 2. The watermark behind them is the smallest of theirs; an edge that ended counts as timestamp::maximum().
// 3. On an edge whose reader recomputes, the watermark comes from the records by a copy of the emitting stage's generator, right behind the
//    record that advances it, and markers fill in what was filtered out.
//
//     from(a, b)                                  // becomes a head with one input for each edge
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "spillway/graph/from.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/runtime/plan.hpp"
#include "spillway/time/watermark_merge.hpp"

namespace spillway::detail {

/// The watermark generator of a reading stage; nothing where time travels beside the records.
template <class Timing>
struct recomputed_time {
  explicit recomputed_time(const Timing&) {}
};
template <class Extract, class Generator>
struct recomputed_time<timed_by_record<Extract, Generator>> {
  explicit recomputed_time(const timed_by_record<Extract, Generator>& timing)
      : extract(timing.extract), generator(timing.generator) {}
  [[no_unique_address]] Extract extract;
  Generator generator;
};

template <class Spec>
struct input_edges {
  using stream_type = typename Spec::input_type::stream_type;
  using timing = typename stream_type::timing;
  static constexpr bool by_record = !std::is_same_v<timing, untimed> && !std::is_same_v<timing, timed>;

  struct connected {
    using timing = input_edges::timing;
    edge_of<stream_type>* edge;
    recomputed_time<timing> time;
    std::size_t channel;
    bool ended = false;
  };

  explicit input_edges(Spec s) : spec(std::move(s)) {}

  Spec spec;
  std::vector<connected> edges{};
};

template <class Head>
class input_driver;

template <class... Specs>
class input_driver<from_head<Specs...>> {
 public:
  static constexpr std::string_view kind = "from";
  static constexpr std::size_t batch = 1024;

  explicit input_driver(from_head<Specs...> head)
      : inputs_(std::apply([](auto&&... s) { return std::tuple(input_edges<Specs>(std::move(s))...); }, std::move(head.inputs))) {
  }

  void connect(plan& p, std::string_view to) {
    std::size_t channels = 0;
    std::apply([&](auto&... input) { (connect_input(p, to, input, channels), ...); }, inputs_);
    merge_.emplace(channels);
    open_channels_ = channels;
  }
  void open_edges() {
    for_each_edge([](auto& c) { c.edge->open_reader(); });
  }
  void close_edges() {
    for_each_edge([](auto& c) { c.edge->close_reader(); });
  }
  void open(stage_context&) {}
  void close() {}
  timestamp watermark() const noexcept { return watermark_; }

  template <class Pass>
  SPILLWAY_INLINE std::size_t poll(Pass& pass, bool, std::size_t& records, bool& ended) {
    std::size_t done = 0;
    if constexpr (sizeof...(Specs) == 1) {
      auto& edges = std::get<0>(inputs_).edges;
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
  template <class Input>
  void connect_input(plan& p, std::string_view to, Input& input, std::size_t& channels) {
    using stream_type = typename Input::stream_type;
    const auto& spec = input.spec;
    p.connect_to<stream_type>(
        spec.input.stage_name(), spec.input.tag_name(), to, spec.policy.lowered(), spec.options,
        [&](edge_of<stream_type>& made, bool first_reader) {
          // Only an emitting stage's first edge keeps track of what its reader knows.
          made.reader_recomputes = Input::by_record && first_reader && spec.policy.lowered().kind == overflow::block;
          input.edges.push_back({&made, recomputed_time<typename Input::timing>(spec.input.timing), channels++});
        });
  }

  template <class F>
  void for_each_edge(F&& f) {
    std::apply(
        [&](auto&... input) {
          (..., [&](auto& edges) {
            for (auto& c : edges) f(c);
          }(input.edges));
        },
        inputs_);
  }

  template <class Pass>
  SPILLWAY_NOINLINE std::size_t poll_many(Pass& pass, std::size_t& records) {
    std::size_t total = 0;
    std::size_t done = 0;
    for_each_edge([&](auto&) { ++total; });
    const std::size_t first = turn_++ % total;
    for (std::size_t round = 0; round < 2; ++round) {
      std::size_t index = 0;
      for_each_edge([&](auto& c) {
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

  std::tuple<input_edges<Specs>...> inputs_;
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
