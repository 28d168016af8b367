// The expression that a stage is made of: a head (`source`, `from`) and operators joined by `|`.
//
// Values and types only; nothing runs here.
// 1. `|` means fused: same thread, inlined, no ring, no virtual call, no allocation.
// 2. An expression is left-nested pairs, `piped<Previous, Operator>`, so its cost to compile grows with its length and no more.
// 3. `|` checks the operator against the stream before it where the user wrote it, reports once, and returns `poison`, which silences all
//    that follows, the checks of the pipeline included.
//
//     int sum = 0;
//     auto chain = sw::source(sw::elements{1, 2, 3})
//                  | sw::map([](int n) { return n * n; })
//                  | sw::sink([&](int n) { sum += n; });
//     static_assert(decltype(chain)::length == 2);                    // operators behind the head
//     sw::pipeline(sw::stage<"squares">(sw::any_cpu{}, std::move(chain))).run();
//     assert(sum == 14);
#pragma once

#include <tuple>
#include <utility>

#include "spillway/operators/guarded.hpp"
#include "spillway/operators/on.hpp"
#include "spillway/operators/operator.hpp"
#include "spillway/operators/source.hpp"

namespace spillway {

namespace detail {

/// Heads say what stream they begin and what they read.
template <class T>
concept expression_head = requires {
  typename T::output;
  typename T::is_head;
};

}  // namespace detail

/// A tag's stream as the head of the chain that `on` fuses.
template <class Tag, class Timing>
struct side_head {
  using is_head = void;
  using output = stream<typename Tag::record, no_key, Timing, text_home::elsewhere>;
  using emits = tag_list<>;
  using on_tags = tag_list<>;
  using reads = tag_list<>;
  static constexpr int length = 0;
};

/// `on(tag, chain)` after the chain was checked against the tag's record.
template <class Tag, class Side>
struct bound_on {
  using tag = Tag;
  Side side;
};

template <class Previous, class Op>
struct piped {
  using is_expression = void;
  using input = typename Previous::output;
  using output = typename Op::template output<input>;
  using own_emits = typename Op::emits;
  using emits = typename detail::concat_tags<typename Previous::emits, own_emits>::type;
  using on_tags = typename Previous::on_tags;
  using reads = typename Previous::reads;
  static constexpr int length = Previous::length + 1;

  [[no_unique_address]] Previous previous;
  [[no_unique_address]] Op op;
};

template <class Previous, class Tag, class Side>
struct piped<Previous, bound_on<Tag, Side>> {
  using is_expression = void;
  using output = typename Previous::output;
  using own_emits = typename Previous::own_emits;  // so that several `on` may follow one operator
  using emits = typename detail::concat_tags<typename Previous::emits, typename Side::emits>::type;
  using on_tags = typename detail::concat_tags<typename Previous::on_tags, tag_list<Tag>, typename Side::on_tags>::type;
  using reads = typename Previous::reads;
  static constexpr int length = Previous::length + Side::length;

  [[no_unique_address]] Previous previous;
  [[no_unique_address]] bound_on<Tag, Side> op;
};

namespace detail {

template <class T>
concept piped_expression = requires { typename T::is_expression; };
template <class T>
concept any_expression = piped_expression<T> || expression_head<T>;

template <class>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<operator_pair<A, B>> = true;
template <class>
inline constexpr bool is_on = false;
template <class Tag, class Chain>
inline constexpr bool is_on<on_operator<Tag, Chain>> = true;

/// An operator that is only complete together with the one behind it (a window and its function).
template <class Left>
concept open_expression = piped_expression<Left> && requires { typename decltype(Left::op)::needs_function; };
template <class Left, class Op>
concept completes = open_expression<Left> && requires(Left left, Op op) { std::move(left.op).complete(std::move(op)); };

template <class Op>
inline constexpr bool is_guard = requires { typename Op::is_guard; };
/// Ends in an operator that is complete and was written right there.
template <class Left>
concept guardable = piped_expression<Left> && !open_expression<Left> && requires { requires any_operator<decltype(Left::op)>; };

template <class Left>
inline constexpr bool has_main = !std::is_same_v<typename Left::output::record, no_record>;

template <class Left>
concept emitting = requires { typename Left::own_emits; };

template <class Left, class Op>
constexpr auto attach(Left left, Op op);

template <class Left, class Tag, class Chain>
constexpr auto attach_on(Left left, on_operator<Tag, Chain> op) {
  constexpr bool emitted = [] {
    if constexpr (emitting<Left>) return tag_list_contains<Tag, typename Left::own_emits>;
    return false;
  }();
  if constexpr (open_expression<Left>) {
    static_assert(
        never<Left, Tag>,
        "spillway: on(tag, ...) stands behind the function of a window, aggregate(...) or window_process(...), not behind window(...)");
    return poison{};
  } else if constexpr (!emitted) {
    static_assert(never<Left, Tag>, "spillway: on(tag, ...) reads a tag that the operator right before it does not emit");
    return poison{};
  } else if constexpr (!std::is_copy_constructible_v<typename Tag::record>) {
    static_assert(never<Left, Tag>, "spillway: a tag that on(tag, ...) reads must carry copyable records");
    return poison{};
  } else {
    using timing = std::conditional_t<std::is_same_v<typename Left::output::timing, untimed>, untimed, timed>;
    auto side = attach(side_head<Tag, timing>{}, std::move(op.chain));
    using side_type = decltype(side);
    if constexpr (std::is_same_v<side_type, poison>) {
      return poison{};
    } else if constexpr (has_main<side_type>) {
      static_assert(
          never<Left, Tag>,
          "spillway: the chain in on(tag, ...) ends in records that nobody reads; end it with sink, count_by or discard()");
      return poison{};
    } else {
      return piped<Left, bound_on<Tag, side_type>>{std::move(left), {std::move(side)}};
    }
  }
}

/// Puts the guard around the operator before it.
template <class Left, class Guard>
constexpr auto attach_guard(Left left, Guard guard) {
  if constexpr (!guardable<Left>) {
    static_assert(never<Left, Guard>,
                  "spillway: on_error, skip_errors and retry stand right behind the operator that they guard");
    return poison{};
  } else {
    using guarded = guarded_operator<std::remove_cvref_t<decltype(left.op)>, Guard>;
    return attach(std::move(left.previous), guarded{{}, std::move(left.op), std::move(guard)});
  }
}

template <class Left, class Op>
constexpr auto attach(Left left, Op op) {
  if constexpr (std::is_same_v<Left, poison> || std::is_same_v<Op, refused_operator>) {
    return poison{};
  } else if constexpr (is_pair<Op>) {
    return attach(attach(std::move(left), std::move(op.first)), std::move(op.second));
  } else if constexpr (is_on<Op>) {
    return attach_on(std::move(left), std::move(op));
  } else if constexpr (is_guard<Op>) {
    return attach_guard(std::move(left), std::move(op));
  } else if constexpr (completes<Left, Op>) {
    auto whole = std::move(left.op).complete(std::move(op));
    return attach(std::move(left.previous), std::move(whole));
  } else if constexpr (open_expression<Left>) {
    static_assert(never<Left, Op>,
                  "spillway: a window needs its function right behind it: aggregate(...) or window_process(...)");
    return poison{};
  } else if constexpr (!has_main<Left>) {
    static_assert(never<Left, Op>, "spillway: nothing can stand behind a sink or an operator without a main output");
    return poison{};
  } else if constexpr (!Op::template accepts<typename Left::output>) {
    Op::template refuse<typename Left::output>();
    return poison{};
  } else {
    if constexpr (requires { &Op::template examine<typename Left::output>; }) {
      [[maybe_unused]] constexpr auto examined = &Op::template examine<typename Left::output>;
    }
    return piped<Left, Op>{std::move(left), std::move(op)};
  }
}

}  // namespace detail

template <class Left, any_operator Op>
  requires detail::any_expression<std::remove_cvref_t<Left>> || std::is_same_v<std::remove_cvref_t<Left>, poison>
constexpr auto operator|(Left&& left, Op op) {
  return detail::attach(std::remove_cvref_t<Left>(std::forward<Left>(left)), std::move(op));
}

/// Joins operators that have no input yet.
template <any_operator First, any_operator Second>
constexpr operator_pair<First, Second> operator|(First first, Second second) {
  return {{}, std::move(first), std::move(second)};
}

}  // namespace spillway
