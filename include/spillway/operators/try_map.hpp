// A map that may fail: values go on, what fails goes to a side output.
//
// Runs in its stage's thread, fused. 1. Exactly one of the two happens for each record. 2. Both keep the record's timestamp.
// 3. The function returns `result<value, error>`, where the tag's record is made from the error, or `std::optional<value>`, where the record
//    itself goes to the side output; the function then takes it by const reference.
//
//     auto values = collect(lines()                                   // "7", "x", "9"
//                           | sw::try_map(sw::fn<parse>, malformed)   // int, or bad_line to `malformed`
//                           | sw::on(malformed, sw::discard()));
//     assert((values == std::vector{7, 9}));
#pragma once

#include <optional>

#include "spillway/core/result.hpp"
#include "spillway/operators/operator.hpp"

namespace spillway {

namespace detail {
template <class Returned, class In, class Rejected>
inline constexpr bool is_attempt = false;
template <class T, class E, class In, class Rejected>
inline constexpr bool is_attempt<result<T, E>, In, Rejected> = std::is_constructible_v<Rejected, E&&>;
template <class T, class In, class Rejected>
inline constexpr bool is_attempt<std::optional<T>, In, Rejected> = std::is_constructible_v<Rejected, In&&>;

/// A record that may go to the side output afterwards is only lent to the function.
template <class F, class Record>
concept attempts = takes_record<F, Record> && (!is_optional<call_result<F, Record>> || std::invocable<F&, const Record&>);
}  // namespace detail

template <class F, class Tag, class In>
struct try_map_step {
  static constexpr std::string_view kind = "try_map";
  [[no_unique_address]] F f;

  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t) {
    using rejected = typename Tag::record;
    if constexpr (detail::is_optional<detail::call_result<F, In>>) {
      auto attempt = std::invoke(f, std::as_const(record));
      if (attempt) [[likely]] {
        down.emit(std::move(*attempt), t);
      } else {
        down.output(Tag{}, rejected(std::move(record)), t);
      }
    } else {
      auto attempt = detail::call(f, record);
      if (attempt) [[likely]] {
        down.emit(std::move(attempt.value()), t);
      } else {
        down.output(Tag{}, rejected(std::move(attempt.error())), t);
      }
    }
  }
};

template <class F, class Tag>
struct try_map_operator : operator_base {
  [[no_unique_address]] F f;

  using emits = tag_list<Tag>;
  template <class S>
  static constexpr bool accepts = [] {
    if constexpr (detail::attempts<F, typename S::record>) {
      return detail::is_attempt<detail::call_result<F, typename S::record>, typename S::record, typename Tag::record>;
    } else {
      return false;
    }
  }();
  template <class S>
  static constexpr void refuse() {
    static_assert(
        detail::never<S, F, Tag>,
        "spillway: try_map needs a function that takes the record before it and returns result<value, error> or std::optional<value>, "
        "where the tag's record can be made from the error or from the record");
  }
  template <class S>
  using output = typename S::template made<typename detail::call_result<F, typename S::record>::value_type>;

  template <class S>
  try_map_step<F, Tag, typename S::record> lower() && {
    return {std::move(f)};
  }
};

/// `f(record) -> result<value, error> | std::optional<value>`; failures go to `tag`.
template <class F, any_output_tag Tag>
constexpr try_map_operator<F, Tag> try_map(F f, const Tag&) {
  return {{}, std::move(f)};
}

}  // namespace spillway
