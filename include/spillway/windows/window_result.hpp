// What a window with an aggregate sends downstream: whose window it was, its span of time, and the value.
//
// A value type.
// 1. The record's timestamp is the window's last instant, for count windows timestamp::maximum() (Flink, WindowOperator).
// 2. A key of text is a handle that is valid while the record is being handed over; edges copy the text (`text_of`).
// 3. Windows over all records have no key: `window_result<void, Value>`.
//
//     using result = sw::window_result<sw::fixed_string<15>, double>;
//     std::vector<sw::timestamp> ends;
//     run(readings()
//         | sw::key_by(&reading::sensor)
//         | sw::window(sw::tumbling(1s))
//         | sw::aggregate(sw::mean(&reading::celsius))
//         | sw::sink([&](const result& r) { ends.push_back(r.window.end); }));
//     assert(ends.front() == sw::timestamp(2s));
#pragma once

#include <type_traits>

#include "spillway/core/text_ref.hpp"
#include "spillway/operators/stream.hpp"
#include "spillway/time/time_window.hpp"

namespace spillway {

template <class Key, class Value>
struct window_result {
  using key_type = Key;
  using value_type = Value;

  Key key;
  time_window window;
  Value value;

  friend bool operator==(const window_result&, const window_result&) = default;
};

template <class Value>
struct window_result<void, Value> {
  using key_type = void;
  using value_type = Value;

  time_window window;
  Value value;

  friend bool operator==(const window_result&, const window_result&) = default;
};

/// The text that travels with a result: its key.
template <class Value>
constexpr text_ref& text_of(window_result<text_ref, Value>& result) noexcept {
  return result.key;
}

/// The result type of a window over a stream with keys of type Key.
template <class Key, class Value>
using window_result_of = window_result<std::conditional_t<std::is_same_v<Key, no_key>, void, Key>, Value>;

namespace detail {
template <class Key, class Value>
constexpr window_result_of<Key, Value> make_window_result(const Key& key, const time_window& window, Value value) {
  if constexpr (std::is_same_v<Key, no_key>) {
    return {window, static_cast<Value&&>(value)};
  } else {
    return {key, window, static_cast<Value&&>(value)};
  }
}
}  // namespace detail

}  // namespace spillway
