// What a window asks of an aggregate: the contract, and helpers for the windows that use it.
//
// An aggregate is a value held by one stage; its accumulators live in the windows' memory, one per key and pane.
// 1. A default-constructed accumulator is the empty one: merging it changes nothing.
// 2. `add` takes records in order of arrival; `arrival` grows strictly within one operator.
// 3. `merge` is associative and commutative (floating-point sums up to rounding), because panes are merged in the order of their
//    windows, not of arrival. What depends on arrival compares arrival numbers.
// 4. Accumulators are trivially copyable, so that panes can be moved as bytes. One that needs memory holds a plain pointer into the arena
//    that `open` named; copying the bytes then moves the ownership, and `discard` gives the memory back.
// 5. `get` is asked only for accumulators that hold at least one record, and may be asked many times.
//
//     struct spread {                                 // a user-defined aggregate
//       struct state {
//         double low = 1e300, high = -1e300;
//       };
//       template <class In>
//       using accumulator = state;
//       template <class In>
//       using result = double;
//       template <class In>
//       void add(state& a, const In& r, sw::timestamp, std::uint64_t) const {
//         a.low = std::min(a.low, r.celsius);
//         a.high = std::max(a.high, r.celsius);
//       }
//       template <class In>
//       void merge(state& into, const state& from) const {
//         into.low = std::min(into.low, from.low);
//         into.high = std::max(into.high, from.high);
//       }
//       template <class In>
//       double get(const state& a) const {
//         return a.high - a.low;
//       }
//     };
//
//     auto spreads = collect(readings({20, 35, 30}) | sw::window(sw::tumbling(1s)) | sw::aggregate(spread()));
//     assert(spreads.front().value == 15);
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

/// The accumulator and the result of an aggregate over records of type `In`.
template <class Aggregate, class In>
using accumulator_of = typename Aggregate::template accumulator<In>;
template <class Aggregate, class In>
using aggregate_result = typename Aggregate::template result<In>;

namespace detail {

template <class Aggregate, class In>
concept has_accumulator = requires { typename Aggregate::template accumulator<In>; };
template <class Aggregate, class In>
concept has_result = requires { typename Aggregate::template result<In>; };
template <class Aggregate, class In>
concept has_add = requires(const Aggregate& a, accumulator_of<Aggregate, In>& into, const In& r, timestamp t,
                           std::uint64_t arrival) { a.template add<In>(into, r, t, arrival); };
template <class Aggregate, class In>
concept has_merge = requires(const Aggregate& a, accumulator_of<Aggregate, In>& into, const accumulator_of<Aggregate, In>& from) {
  a.template merge<In>(into, from);
};
template <class Aggregate, class In>
concept has_get = requires(const Aggregate& a, const accumulator_of<Aggregate, In>& from) {
  { a.template get<In>(from) } -> std::convertible_to<aggregate_result<Aggregate, In>>;
};

}  // namespace detail

/// Whether `Aggregate` can aggregate records of type `In`.
template <class Aggregate, class In>
concept aggregate_of =
    detail::has_accumulator<Aggregate, In> && detail::has_result<Aggregate, In> && detail::has_add<Aggregate, In> &&
    detail::has_merge<Aggregate, In> && detail::has_get<Aggregate, In> &&
    std::is_default_constructible_v<accumulator_of<Aggregate, In>> && std::is_trivially_copyable_v<accumulator_of<Aggregate, In>>;

/// Says in one sentence which part of the contract is missing. Usable as `static_assert(check_aggregate<Aggregate, In>())`.
template <class Aggregate, class In>
consteval bool check_aggregate() {
  if constexpr (!detail::has_accumulator<Aggregate, In>) {
    static_assert(detail::has_accumulator<Aggregate, In>, "spillway: an aggregate needs a member template `accumulator<In>`");
  } else if constexpr (!detail::has_result<Aggregate, In>) {
    static_assert(detail::has_result<Aggregate, In>,
                  "spillway: an aggregate needs a member template `result<In>`, and its field must be readable from the record");
  } else if constexpr (!detail::has_add<Aggregate, In>) {
    static_assert(
        detail::has_add<Aggregate, In>,
        "spillway: an aggregate needs `template <class In> void add(accumulator<In>&, const In&, timestamp, std::uint64_t) const`");
  } else if constexpr (!detail::has_merge<Aggregate, In>) {
    static_assert(
        detail::has_merge<Aggregate, In>,
        "spillway: an aggregate needs `template <class In> void merge(accumulator<In>&, const accumulator<In>&) const`");
  } else if constexpr (!detail::has_get<Aggregate, In>) {
    static_assert(detail::has_get<Aggregate, In>,
                  "spillway: an aggregate needs `template <class In> result<In> get(const accumulator<In>&) const`");
  } else {
    static_assert(std::is_default_constructible_v<accumulator_of<Aggregate, In>>,
                  "spillway: an aggregate's accumulator must be default constructible, which is the empty accumulator");
    static_assert(
        std::is_trivially_copyable_v<accumulator_of<Aggregate, In>>,
        "spillway: an aggregate's accumulator must be trivially copyable; keep memory behind a pointer and give it back in `discard`");
  }
  return true;
}

/// Whether the accumulators of an aggregate own arena memory, and so must be discarded.
template <class Aggregate, class In>
inline constexpr bool needs_discard =
    requires(const Aggregate& a, accumulator_of<Aggregate, In>& from) { a.template discard<In>(from); };

/// Names the arena of an aggregate that wants one; nothing for the others.
template <class Aggregate>
void open_aggregate(Aggregate& aggregate, arena& memory) {
  if constexpr (requires { aggregate.open(memory); }) aggregate.open(memory);
}

/// Gives back what the accumulator holds and leaves it empty; nothing but that for aggregates without memory.
template <class In, class Aggregate>
SPILLWAY_INLINE void discard_accumulator(const Aggregate& aggregate, accumulator_of<Aggregate, In>& from) noexcept {
  if constexpr (needs_discard<Aggregate, In>) aggregate.template discard<In>(from);
}

}  // namespace spillway
