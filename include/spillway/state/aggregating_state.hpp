// One accumulator per key that records are added to, and that answers with a value of another type: any aggregate of a window.
//
// Part of a key's entry; one thread at a time.
// 1. The aggregate is a constant of namespace scope, given by its name. It has `accumulator<In>`, `result<In>`, `add<In>` and `get<In>`,
//    as for windows (see windows/aggregates/aggregate.hpp); those that take memory of their own by `open` are refused.
// 2. `get` has no value before the first `add`. Expiry is that of value_state.
// 3. Arrival numbers count the records of the key since the state was last empty.
//
//     inline constexpr auto average = mean(&reading::celsius);
//
//     aggregating_state<reading, average> celsius;
//     celsius.add(reading{"boiler", timestamp(1s), 70});
//     celsius.add(reading{"boiler", timestamp(2s), 72});
//     assert(celsius.get() == 71.0);
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/state/time_to_live.hpp"
#include "spillway/state/value_state.hpp"

namespace spillway {

namespace detail {

template <class Aggregate, class In>
concept aggregates_in_place = requires(const Aggregate& a, typename Aggregate::template accumulator<In>& into, const In& r,
                                       timestamp t, std::uint64_t arrival) {
  typename Aggregate::template result<In>;
  a.template add<In>(into, r, t, arrival);
  a.template get<In>(into);
} && !requires(Aggregate& a, arena& memory) { a.open(memory); };

}  // namespace detail

template <class In, const auto& Aggregate, time_to_live Ttl = no_expiry>
class aggregating_state {
  using aggregate = std::remove_cvref_t<decltype(Aggregate)>;
  static constexpr bool forever = !Ttl.ends();
  static_assert(
      detail::aggregates_in_place<aggregate, In>,
      "spillway: an aggregating_state needs an aggregate with accumulator, result, add and get for its record type, and without open");

  struct held {
    typename aggregate::template accumulator<In> accumulator{};
    std::uint64_t arrivals = 0;
  };

 public:
  using value_type = typename aggregate::template result<In>;

  SPILLWAY_INLINE void add(const state_access& access, const In& record, timestamp at = no_timestamp) {
    held* h = value_.modify(access);
    put(h != nullptr ? *h : value_.set(access, held{}), record, at);
  }
  SPILLWAY_INLINE void add(const In& record, timestamp at = no_timestamp)
    requires forever
  {
    held* h = value_.modify();
    put(h != nullptr ? *h : value_.set(held{}), record, at);
  }

  /// What the records so far amount to.
  SPILLWAY_INLINE std::optional<value_type> get(const state_access& access) { return result_of(value_.get(access)); }
  SPILLWAY_INLINE std::optional<value_type> get() const
    requires forever
  {
    return result_of(value_.get());
  }

  void clear(const state_access& access) noexcept { value_.clear(access); }
  void clear() noexcept { value_.clear(); }
  /// Destroys an expired accumulator; false if a live one stays.
  bool sweep(const state_access& access) { return value_.sweep(access); }
  /// Calls f(accumulator, end of its life) if there is one, expired or not.
  template <class F>
  void visit(F&& f) const {
    value_.visit([&](const held& h, timestamp end) { f(h.accumulator, end); });
  }

 private:
  SPILLWAY_INLINE static void put(held& h, const In& record, timestamp at) {
    Aggregate.template add<In>(h.accumulator, record, at, h.arrivals++);
  }
  SPILLWAY_INLINE static std::optional<value_type> result_of(const held* h) {
    if (h == nullptr) return std::nullopt;
    return Aggregate.template get<In>(h->accumulator);
  }

  value_state<held, Ttl> value_;
};

}  // namespace spillway
