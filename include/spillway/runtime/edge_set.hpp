// The edges that a stage reads, input by input.
//
// Belongs to the stage's thread.
// 1. An input is one `from` argument; it has an edge from each replica of each stage that emits it.
// 2. Channels are numbered over all edges, in the order of inputs, emitting stages and their replicas.
//
//     auto a = stage<"a">(any_cpu{}, source(elements{1, 2}));
//     auto b = stage<"b">(any_cpu{}, source(elements{3}));
//     auto both = stage<"both">(any_cpu{}, from(a, b) | discard());      // its head has an edge_set of two inputs
//     pipeline p(std::move(a), std::move(b), std::move(both));
//     assert(p.edges().size() == 2 && p.edges()[1].from == "b");
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "spillway/graph/from.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/runtime/plan.hpp"

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

template <class... Specs>
class edge_set {
 public:
  explicit edge_set(std::tuple<Specs...> specs)
      : inputs_(std::apply([](auto&&... s) { return std::tuple(input_edges<Specs>(std::move(s))...); }, std::move(specs))) {}

  /// Makes the edges; returns how many.
  std::size_t connect(plan& p, reader_id to) {
    std::size_t channels = 0;
    std::apply([&](auto&... input) { (connect_input(p, to, input, channels), ...); }, inputs_);
    return channels;
  }
  void open() {
    for_each([](auto& c) { c.edge->open_reader(); });
  }
  void close() {
    for_each([](auto& c) { c.edge->close_reader(); });
  }

  template <class F>
  void for_each(F&& f) {
    std::apply(
        [&](auto&... input) {
          (..., [&](auto& edges) {
            for (auto& c : edges) f(c);
          }(input.edges));
        },
        inputs_);
  }
  /// The edges of the first input.
  auto& first() noexcept { return std::get<0>(inputs_).edges; }

 private:
  template <class Input>
  void connect_input(plan& p, reader_id& to, Input& input, std::size_t& channels) {
    using stream_type = typename Input::stream_type;
    const auto& spec = input.spec;
    p.connect_to<stream_type>(
        spec.input.stage_name(), spec.input.tag_name(), to, spec, [&](edge_of<stream_type>& made, bool first_reader) {
          // Only an emitting stage's first edge keeps track of what its reader knows, and a replica does not see every record.
          made.reader_recomputes =
              Input::by_record && first_reader && !spec.partitioned && spec.policy.lowered().kind == overflow::block;
          input.edges.push_back({&made, recomputed_time<typename Input::timing>(spec.input.timing), channels++});
        });
    ++to.input;
  }

  std::tuple<input_edges<Specs>...> inputs_;
};

}  // namespace spillway::detail
