// Groups the records behind it by a key.
//
// Runs in its stage's thread, fused.
// 1. The operator right behind it (a window, a keyed process) sees the key with each record; behind any other operator the stream is unkeyed
//    again, as in Flink.
// 2. A key of text (std::string_view, text_ref, std::string, const char*) is used in place and copied once per key, by the operator that
//    keeps it; other keys are trivially copyable values with ==.
//
//     auto counts = collect(readings()
//                           | sw::key_by(&reading::sensor)
//                           | sw::window(sw::tumbling(1s))
//                           | sw::aggregate(sw::count()));
//     assert(counts.front().key == "boiler" && counts.front().value == 2);
#pragma once

#include <string>
#include <string_view>

#include "spillway/core/text_ref.hpp"
#include "spillway/operators/operator.hpp"

namespace spillway {

namespace detail {
template <class T>
struct key_of_result {
  using type = T;
};
template <>
struct key_of_result<std::string_view> {
  using type = text_ref;
};
template <>
struct key_of_result<std::string> {
  using type = text_ref;
};
template <>
struct key_of_result<const char*> {
  using type = text_ref;
};

template <class F, class Record>
using key_type = typename key_of_result<std::remove_cvref_t<std::invoke_result_t<F&, const Record&>>>::type;
}  // namespace detail

template <class F, class In>
struct key_by_step {
  static constexpr std::string_view kind = "key_by";
  [[no_unique_address]] F f;

  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t) {
    decltype(auto) key = std::invoke(f, std::as_const(record));
    using key_type = detail::key_type<F, In>;
    if constexpr (std::is_same_v<key_type, text_ref> && !std::is_same_v<std::remove_cvref_t<decltype(key)>, text_ref>) {
      down.emit(std::move(record), t, key_type(std::string_view(key)));
    } else {
      down.emit(std::move(record), t, key_type(key));
    }
  }
};

template <class F>
struct key_by_operator : operator_base {
  [[no_unique_address]] F f;

  using emits = tag_list<>;
  template <class S>
  static constexpr bool accepts = [] {
    if constexpr (std::invocable<F&, const typename S::record&>) {
      using key = detail::key_type<F, typename S::record>;
      return std::is_trivially_copyable_v<key> && std::equality_comparable<key> && !std::is_array_v<key>;
    } else {
      return false;
    }
  }();
  template <class S>
  static constexpr void refuse() {
    static_assert(detail::never<S, F>,
                  "spillway: key_by needs a function of the record that returns text or a trivially copyable key with ==");
  }
  template <class S>
  using output = typename S::template keyed<detail::key_type<F, typename S::record>>;

  template <class S>
  key_by_step<F, typename S::record> lower() && {
    return {std::move(f)};
  }
};

/// `extract(const record&) -> key`: a member pointer or any function.
template <class F>
constexpr key_by_operator<F> key_by(F extract) {
  return {{}, std::move(extract)};
}

}  // namespace spillway
