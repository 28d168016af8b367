// One record out for each record in.
//
// Runs in its stage's thread, fused. 1. The timestamp of the record stays. 2. The function may take the record by value, reference or rvalue.
// 3. Pass `fn<f>` or a lambda: a plain function name is a pointer, which GCC 12 does not inline.
//
//     auto fahrenheit = collect(readings({20}) | sw::map([](const reading& r) { return r.celsius * 1.8 + 32; }));
//     assert(fahrenheit.front() == 68);
#pragma once

#include "spillway/operators/operator.hpp"

namespace spillway {

template <class F, class In>
struct map_step {
  static constexpr std::string_view kind = "map";
  [[no_unique_address]] F f;

  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t) {
    down.emit(detail::call_result<F, In>(detail::call(f, record)), t);
  }
};

template <class F>
struct map_operator : operator_base {
  [[no_unique_address]] F f;

  using emits = tag_list<>;
  template <class S>
  static constexpr bool accepts = [] {
    if constexpr (detail::takes_record<F, typename S::record>) {
      return detail::returns_value<F, typename S::record>;
    } else {
      return false;
    }
  }();
  template <class S>
  static constexpr void refuse() {
    static_assert(detail::never<S, F>, "spillway: map needs a function that takes the record before it and returns a value");
  }
  template <class S>
  using output = typename S::template made<detail::call_result<F, typename S::record>>;

  template <class S>
  map_step<F, typename S::record> lower() && {
    return {std::move(f)};
  }
};

/// `f(record) -> value`.
template <class F>
constexpr map_operator<F> map(F f) {
  return {{}, std::move(f)};
}

}  // namespace spillway
