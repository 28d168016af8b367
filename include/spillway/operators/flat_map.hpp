// Any number of records out for each record in.
//
// Runs in its stage's thread, fused.
// 1. All results carry the timestamp of the record they were made from.
// 2. Two forms: a function that returns a range, or `flat_map<Out>` with a function that is handed an `out` to call for each result.
// 3. Elements are moved out of a container that is returned by value, and copied from a view or a reference.
//
//     auto repeated = sw::flat_map<int>([](int n, auto& out) {
//       for (int i = 0; i < n; ++i) out(n);
//     });
//     assert((collect(sw::source(sw::elements{1, 2}) | repeated) == std::vector{1, 2, 2}));
#pragma once

#include <ranges>

#include "spillway/operators/operator.hpp"

namespace spillway {

template <class F, class In>
struct flat_map_range_step {
  static constexpr std::string_view kind = "flat_map";
  [[no_unique_address]] F f;

  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t) {
    using returned = decltype(detail::call(f, record));
    auto&& results = detail::call(f, record);
    // The elements of a view or of a range that the function keeps belong to somebody else.
    constexpr bool ours = !std::is_lvalue_reference_v<returned> && !std::ranges::view<std::remove_cvref_t<returned>>;
    for (auto&& result : results) {
      using value = std::ranges::range_value_t<decltype(results)>;
      if constexpr (ours) {
        down.emit(value(std::move(result)), t);
      } else {
        down.emit(value(std::forward<decltype(result)>(result)), t);
      }
    }
  }
};

template <class F>
struct flat_map_range_operator : operator_base {
  [[no_unique_address]] F f;

  using emits = tag_list<>;
  template <class S>
  static constexpr bool accepts = [] {
    if constexpr (detail::takes_record<F, typename S::record>) {
      return std::ranges::range<detail::call_result<F, typename S::record>>;
    } else {
      return false;
    }
  }();
  template <class S>
  static constexpr void refuse() {
    static_assert(
        detail::never<S, F>,
        "spillway: flat_map needs a function that takes the record before it and returns a range, or flat_map<Out> and f(record, out)");
  }
  template <class S>
  using output = typename S::template made<std::ranges::range_value_t<detail::call_result<F, typename S::record>>>;

  template <class S>
  flat_map_range_step<F, typename S::record> lower() && {
    return {std::move(f)};
  }
};

/// `f(record) -> range of results`.
template <class F>
constexpr flat_map_range_operator<F> flat_map(F f) {
  return {{}, std::move(f)};
}

namespace detail {
/// What `flat_map<Out>` hands to its function.
template <class Out, class Down>
class flat_map_emitter {
 public:
  flat_map_emitter(Down& down, timestamp t) noexcept : down_(down), t_(t) {}
  SPILLWAY_INLINE void operator()(Out value) { down_.emit(std::move(value), t_); }

 private:
  Down& down_;
  timestamp t_;
};

template <class Out>
struct flat_map_probe {
  void operator()(Out) {}
};
}  // namespace detail

template <class Out, class F, class In>
struct flat_map_step {
  static constexpr std::string_view kind = "flat_map";
  [[no_unique_address]] F f;

  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t) {
    detail::flat_map_emitter<Out, Down> out(down, t);
    std::invoke(f, std::move(record), out);
  }
};

template <class Out, class F>
struct flat_map_operator : operator_base {
  [[no_unique_address]] F f;

  using emits = tag_list<>;
  template <class S>
  static constexpr bool accepts = std::invocable<F&, typename S::record&&, detail::flat_map_probe<Out>&>;
  template <class S>
  static constexpr void refuse() {
    static_assert(
        detail::never<S, F>,
        "spillway: flat_map<Out> needs a function that takes the record before it and an emitter: f(record, auto& out)");
  }
  template <class S>
  using output = typename S::template made<Out>;

  template <class S>
  flat_map_step<Out, F, typename S::record> lower() && {
    return {std::move(f)};
  }
};

/// `f(record, out)`, which calls `out(value)` for each result.
template <class Out, class F>
constexpr flat_map_operator<Out, F> flat_map(F f) {
  return {{}, std::move(f)};
}

}  // namespace spillway
