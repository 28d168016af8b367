// The head of a stage that reads other stages: each input is an edge with a ring, a policy and a capacity.
//
// Values and types only.
// 1. `from(stage)` reads a main output, `from(tag)` a tag of all stages that emit it, `from(stage.side(tag))` a tag of one stage.
// 2. Several inputs, `from(a, b)`, are polled fairly; the watermark behind them is the smallest of theirs. Give one of them a policy or
//    options with `edge(a, policy, {.capacity = n})`.
// 3. Without a policy main edges `block` and side outputs `spill`.
// 4. `partition_by(key)` or `round_robin`, before the policy, spreads an input over the replicas of the reading stage.
//
//     int sum = 0;
//     auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(sw::elements{1, 2, 3}));
//     auto b = sw::stage<"b">(sw::any_cpu{}, sw::source(sw::elements{10, 20}));
//     auto both = sw::stage<"both">(sw::any_cpu{},
//         sw::from(sw::edge(a, sw::block, {.capacity = 65536}), b)
//             | sw::sink([&](int n) { sum += n; }));
//     sw::pipeline(std::move(a), std::move(b), std::move(both)).run();
//     assert(sum == 36);
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "spillway/core/text_ref.hpp"
#include "spillway/graph/overflow_policy.hpp"
#include "spillway/graph/partitioning.hpp"
#include "spillway/graph/stage.hpp"

namespace spillway {

// What a stage reads, as the checks of the pipeline see it.
template <fixed_string Stage, class Record>
struct reads_main {};
template <class Tag>
struct reads_tag {};
template <fixed_string Stage, class Tag>
struct reads_side {};

namespace detail {

template <class T>
concept any_stage = requires {
  typename T::is_stage;
  T::name;
};
template <class T>
concept healthy_stage = any_stage<T> && requires { typename T::output; };

/// Finds the value of the `watermarks` operator that the stream's time still rests on.
template <class Timing, class Expression>
constexpr Timing timing_of(const Expression& expression) {
  if constexpr (std::is_empty_v<Timing> && std::is_default_constructible_v<Timing>) {
    return Timing{};
  } else if constexpr (requires { expression.timing; }) {
    return expression.timing;
  } else if constexpr (requires { requires std::is_same_v<decltype(expression.op.timing_value()), Timing>; }) {
    return expression.op.timing_value();
  } else {
    return timing_of<Timing>(expression.previous);
  }
}

template <fixed_string Stage, class Stream>
struct main_input {
  using stream_type = Stream;
  using reads = reads_main<Stage, typename Stream::record>;
  using default_policy = block_policy;
  static constexpr std::string_view stage_name() noexcept { return Stage.view(); }
  static constexpr std::string_view tag_name() noexcept { return {}; }
  [[no_unique_address]] typename Stream::timing timing;
};

template <class Tag>
using tag_stream = stream<typename Tag::record, no_key, timed, text_home::elsewhere>;

template <class Tag>
struct tag_input {
  using stream_type = tag_stream<Tag>;
  using reads = reads_tag<Tag>;
  using default_policy = spill_policy;
  static constexpr std::string_view stage_name() noexcept { return {}; }
  static constexpr std::string_view tag_name() noexcept { return Tag::name(); }
  timed timing;
};

template <fixed_string Stage, class Tag>
struct side_input {
  using stream_type = tag_stream<Tag>;
  using reads = reads_side<Stage, Tag>;
  using default_policy = spill_policy;
  static constexpr std::string_view stage_name() noexcept { return Stage.view(); }
  static constexpr std::string_view tag_name() noexcept { return Tag::name(); }
  timed timing;
};

/// The input itself, if an edge can hold its records.
template <class Input>
constexpr auto crossing(Input input) {
  using record = typename Input::stream_type::record;
  constexpr bool moves = std::is_nothrow_move_constructible_v<record> && std::is_nothrow_destructible_v<record>;
  constexpr bool text_goes_along = !text_record<record> || Input::stream_type::text == text_home::source ||
                                   (std::is_trivially_copyable_v<record> && alignof(record) <= 16);
  if constexpr (!moves) {
    static_assert(never<record>, "spillway: a record that crosses an edge must move and be destroyed without throwing");
    return poison{};
  } else if constexpr (!text_goes_along) {
    static_assert(never<record>, "spillway: a record with text that crosses an edge must be trivially copyable");
    return poison{};
  } else {
    return input;
  }
}

template <class What>
constexpr auto input_of(const What& what) {
  if constexpr (any_output_tag<What>) {
    return crossing(tag_input<What>{});
  } else if constexpr (healthy_stage<What>) {
    if constexpr (has_main<What>) {
      using stream_type = typename What::output;
      return crossing(
          main_input<What::name, typename stream_type::kept>{timing_of<typename stream_type::timing>(what.expression)});
    } else {
      static_assert(never<What>, "spillway: from(stage) reads a stage that has no main output");
      return poison{};
    }
  } else {
    static_assert(any_stage<What> || std::is_same_v<What, poison>,
                  "spillway: from takes a stage, a tag, stage.side(tag), or edge(...) of one of them");
    return poison{};
  }
}
template <fixed_string Stage, class Tag>
constexpr auto input_of(const side_of<Stage, Tag>&) {
  return crossing(side_input<Stage, Tag>{});
}

/// Can an edge with this policy hold the records of the stream? `refuse` says why not.
template <class Policy>
struct policy_fits {
  template <class Stream>
  static constexpr bool accepts = true;
};
template <>
struct policy_fits<overwrite_oldest_policy> {
  template <class Stream>
  static constexpr bool accepts = std::is_trivially_copyable_v<typename Stream::record> &&
                                  (!text_record<typename Stream::record> || Stream::text == text_home::elsewhere);
  template <class Stream>
  static constexpr void refuse() {
    static_assert(
        never<Stream>,
        "spillway: overwrite_oldest needs trivially copyable records, whose text, if any, is not in the source's memory");
  }
};
template <class Key>
struct policy_fits<conflate_policy<Key>> {
  template <class Stream>
  static constexpr bool accepts =
      std::is_trivially_copyable_v<typename Stream::record> && !text_record<typename Stream::record> &&
      partition_by_key<Key>::template accepts<typename Stream::record>;
  template <class Stream>
  static constexpr void refuse() {
    static_assert(
        never<Stream>,
        "spillway: conflate needs trivially copyable records without text, and a function of the record that returns text or a "
        "trivially copyable key with ==");
  }
};

/// One input with its policy and options.
template <class Input, class Policy, class Partitioning = unpartitioned>
struct edge_spec {
  using is_edge_spec = void;
  using input_type = Input;
  using policy_type = Policy;
  static constexpr bool partitioned = !std::is_same_v<Partitioning, unpartitioned>;
  Input input;
  Policy policy;
  edge_options options;
  [[no_unique_address]] Partitioning partitioning{};
};

template <class T>
concept any_edge_spec = requires { typename T::is_edge_spec; };

template <class Input, class Policy, class Partitioning = unpartitioned>
constexpr auto make_spec(Input input, Policy policy, edge_options options, Partitioning partitioning = {}) {
  if constexpr (std::is_same_v<Input, poison>) {
    return poison{};
  } else {
    using stream_type = typename Input::stream_type;
    if constexpr (!policy_fits<Policy>::template accepts<stream_type>) {
      policy_fits<Policy>::template refuse<stream_type>();
      return poison{};
    } else if constexpr (!Partitioning::template accepts<typename stream_type::record>) {
      static_assert(
          never<Input, Partitioning>,
          "spillway: partition_by needs a function of the record that returns text or a trivially copyable key with ==");
      return poison{};
    } else {
      return edge_spec<Input, Policy, Partitioning>{std::move(input), std::move(policy), options, std::move(partitioning)};
    }
  }
}

/// The same with the policy that the input has by default.
template <class Input, class Partitioning>
constexpr auto default_spec(Input input, edge_options options, Partitioning partitioning) {
  if constexpr (std::is_same_v<Input, poison>) {
    return poison{};
  } else {
    return make_spec(std::move(input), typename Input::default_policy{}, options, std::move(partitioning));
  }
}

template <class What>
constexpr auto spec_of(const What& what, edge_options options = {}) {
  if constexpr (any_edge_spec<What>) {
    return what;
  } else {
    return default_spec(input_of(what), options, unpartitioned{});
  }
}

/// The stream behind several inputs. One input keeps its own, unless replicas read it: each of them sees a part of the records, from which time cannot be
/// told.
template <bool Partitioned, class First, class... Rest>
struct joined_stream {
  static constexpr bool untimed_all =
      std::is_same_v<typename First::timing, untimed> && (std::is_same_v<typename Rest::timing, untimed> && ...);
  using type = stream<typename First::record, no_key, std::conditional_t<untimed_all, untimed, timed>, text_home::elsewhere>;
};
template <class Only>
struct joined_stream<false, Only> {
  using type = stream<typename Only::record, no_key, typename Only::timing, text_home::elsewhere>;
};

template <class... Specs>
struct from_head {
  using is_head = void;
  static constexpr bool partitioned = (Specs::partitioned && ...);
  using output = typename joined_stream<(Specs::partitioned || ...), typename Specs::input_type::stream_type...>::type;
  using emits = tag_list<>;
  using on_tags = tag_list<>;
  using reads = tag_list<typename Specs::input_type::reads...>;
  static constexpr int length = 0;

  explicit constexpr from_head(Specs... specs) : inputs(std::move(specs)...), timing(first_timing()) {}

  std::tuple<Specs...> inputs;
  [[no_unique_address]] typename output::timing timing;

 private:
  constexpr typename output::timing first_timing() const {
    if constexpr (sizeof...(Specs) == 1 && !partitioned) {
      return std::get<0>(inputs).input.timing;
    } else {
      return {};
    }
  }
};

template <class First, class... Rest>
inline constexpr bool one_record_type =
    (std::is_same_v<typename First::input_type::stream_type::record, typename Rest::input_type::stream_type::record> && ...);

template <class... Specs>
constexpr auto make_from(Specs... specs) {
  if constexpr ((std::is_same_v<Specs, poison> || ...)) {
    return poison{};
  } else if constexpr (!one_record_type<Specs...>) {
    static_assert(never<Specs...>, "spillway: from(a, b) reads streams of different record types");
    return poison{};
  } else {
    return from_head<Specs...>(std::move(specs)...);
  }
}

}  // namespace detail

/// One input of `from` with a policy and options of its own.
template <class What, any_overflow_policy Policy>
constexpr auto edge(const What& what, Policy policy, edge_options options = {}) {
  return detail::make_spec(detail::input_of(what), policy, options);
}
template <class What>
constexpr auto edge(const What& what, edge_options options = {}) {
  return detail::spec_of(what, options);
}
/// One input spread over the replicas of the stage that reads it.
template <class What, any_partitioning Partitioning>
constexpr auto edge(const What& what, Partitioning partitioning, edge_options options = {}) {
  return detail::default_spec(detail::input_of(what), options, partitioning);
}
template <class What, any_partitioning Partitioning, any_overflow_policy Policy>
constexpr auto edge(const What& what, Partitioning partitioning, Policy policy, edge_options options = {}) {
  return detail::make_spec(detail::input_of(what), policy, options, partitioning);
}

/// Reads one input.
template <class What>
constexpr auto from(const What& what, edge_options options) {
  return detail::make_from(detail::spec_of(what, options));
}
template <class What, any_overflow_policy Policy>
constexpr auto from(const What& what, Policy policy, edge_options options = {}) {
  return detail::make_from(edge(what, policy, options));
}
template <class What, any_partitioning Partitioning>
constexpr auto from(const What& what, Partitioning partitioning, edge_options options = {}) {
  return detail::make_from(edge(what, partitioning, options));
}
template <class What, any_partitioning Partitioning, any_overflow_policy Policy>
constexpr auto from(const What& what, Partitioning partitioning, Policy policy, edge_options options = {}) {
  return detail::make_from(edge(what, partitioning, policy, options));
}
/// Reads one or more inputs of one record type.
template <class... What>
  requires(sizeof...(What) > 0 && (!any_overflow_policy<What> && ...) && (!any_partitioning<What> && ...))
constexpr auto from(const What&... what) {
  return detail::make_from(detail::spec_of(what)...);
}

}  // namespace spillway
