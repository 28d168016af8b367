// Lets those records through for which a predicate holds.
//
// Runs in its stage's thread, fused. 1. Watermarks always pass, whatever is filtered. 2. A record that does not pass is gone without a
// count; use `process` with a side output where it must not be.
//
//     auto hot = collect(readings({20, 35}) | sw::filter([](const reading& r) { return r.celsius > 30; }));
//     assert(hot.size() == 1 && hot.front().celsius == 35);
#pragma once

#include "spillway/operators/operator.hpp"

namespace spillway {

template <class F, class In>
struct filter_step {
  static constexpr std::string_view kind = "filter";
  [[no_unique_address]] F f;

  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t) {
    if (std::invoke(f, std::as_const(record))) down.emit(std::move(record), t);
  }
};

template <class F>
struct filter_operator : operator_base {
  [[no_unique_address]] F f;

  using emits = tag_list<>;
  template <class S>
  static constexpr bool accepts = std::predicate<F&, const typename S::record&>;
  template <class S>
  static constexpr void refuse() {
    static_assert(detail::never<S, F>, "spillway: filter needs a predicate that takes the record before it by const reference");
  }
  template <class S>
  using output = typename S::kept;

  template <class S>
  filter_step<F, typename S::record> lower() && {
    return {std::move(f)};
  }
};

/// `predicate(const record&) -> bool`.
template <class F>
constexpr filter_operator<F> filter(F predicate) {
  return {{}, std::move(predicate)};
}

}  // namespace spillway
