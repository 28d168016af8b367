// Several aggregates over the same windows at once.
//
// 1. The result is a std::tuple of the results, in the order given. Each part sees every record.
// 2. The accumulators lie side by side in one object; the whole is an aggregate like any other and may be nested.
//
//     auto both = collect(readings({20, 30, 40})
//                         | sw::window(sw::tumbling(1s))
//                         | sw::aggregate(sw::aggregates(sw::count(), sw::mean(&reading::celsius))));
//     assert((both.front().value == std::tuple(std::uint64_t{3}, 30.0)));
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/aggregates/aggregate.hpp"

namespace spillway {

namespace detail {

// Not a std::tuple, which is not trivially copyable.
template <std::size_t I, class T>
struct accumulator_part {
  T value{};
};
template <class Indices, class... Ts>
struct accumulator_parts;
template <std::size_t... I, class... Ts>
struct accumulator_parts<std::index_sequence<I...>, Ts...> : accumulator_part<I, Ts>... {};

template <std::size_t I, class T>
SPILLWAY_INLINE T& part(accumulator_part<I, T>& p) noexcept {
  return p.value;
}
template <std::size_t I, class T>
SPILLWAY_INLINE const T& part(const accumulator_part<I, T>& p) noexcept {
  return p.value;
}

}  // namespace detail

template <class... Parts>
class aggregates {
  static_assert(sizeof...(Parts) > 0, "spillway: aggregates needs at least one aggregate");
  using indices = std::index_sequence_for<Parts...>;

 public:
  template <class In>
  using accumulator = detail::accumulator_parts<indices, accumulator_of<Parts, In>...>;
  template <class In>
  using result = std::tuple<aggregate_result<Parts, In>...>;

  constexpr explicit aggregates(Parts... parts) : parts_(std::move(parts)...) {}

  void open(arena& memory) {
    std::apply([&](auto&... parts) { (open_aggregate(parts, memory), ...); }, parts_);
  }

  template <class In>
  SPILLWAY_INLINE void add(accumulator<In>& into, const In& r, timestamp t, std::uint64_t arrival) const {
    add_all<In>(into, r, t, arrival, indices{});
  }
  template <class In>
  SPILLWAY_INLINE void merge(accumulator<In>& into, const accumulator<In>& from) const {
    merge_all<In>(into, from, indices{});
  }
  template <class In>
  SPILLWAY_INLINE result<In> get(const accumulator<In>& from) const {
    return get_all<In>(from, indices{});
  }
  template <class In>
    requires(needs_discard<Parts, In> || ...)
  void discard(accumulator<In>& from) const noexcept {
    discard_all<In>(from, indices{});
  }

 private:
  template <class In, std::size_t... I>
  SPILLWAY_INLINE void add_all(accumulator<In>& into, const In& r, timestamp t, std::uint64_t arrival,
                               std::index_sequence<I...>) const {
    (std::get<I>(parts_).template add<In>(detail::part<I>(into), r, t, arrival), ...);
  }
  template <class In, std::size_t... I>
  SPILLWAY_INLINE void merge_all(accumulator<In>& into, const accumulator<In>& from, std::index_sequence<I...>) const {
    (std::get<I>(parts_).template merge<In>(detail::part<I>(into), detail::part<I>(from)), ...);
  }
  template <class In, std::size_t... I>
  SPILLWAY_INLINE result<In> get_all(const accumulator<In>& from, std::index_sequence<I...>) const {
    return result<In>(std::get<I>(parts_).template get<In>(detail::part<I>(from))...);
  }
  template <class In, std::size_t... I>
  void discard_all(accumulator<In>& from, std::index_sequence<I...>) const noexcept {
    (discard_accumulator<In>(std::get<I>(parts_), detail::part<I>(from)), ...);
  }

  std::tuple<Parts...> parts_;
};

}  // namespace spillway
