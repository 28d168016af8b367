// The protocol between the operators of a fused chain, and the small tools they share.
//
// An *operator* is the value that a user writes between two `|`. It derives from `operator_base` and has
//   `accepts<S>`  bool: can it stand behind a stream S?          `refuse<S>()`  the one sentence that says why not (a static_assert)
//   `output<S>`   the stream behind it                            `emits`        tag_list of the side outputs it may feed
//   `lower<S>()`  makes its *step*, the form that a stage owns and runs.
// A step belongs to one stage and one thread. It has `kind` (its name in errors) and `on_record(down, record, timestamp[, key])`, and may have
// `open(stage_context&)`, `on_watermark(down, w)`, `resume(down)`, `on_end(down)`, `on_idle()` (the stage found nothing to do), `close()`.
// 1. `down` is what stands behind the step: `emit(record, timestamp)`, `output(tag, value, timestamp)`, `watermark(w)`, `held()`.
// 2. A step sends what a record or watermark makes before it passes the watermark on.
// 3. A step that meets `down.held()` in a long firing returns and goes on in `resume`; it holds the watermark back until then.
//
//     struct twice_step {
//       static constexpr std::string_view kind = "twice";
//       template <class Down>
//       void on_record(Down& down, int&& n, timestamp t) {
//         down.emit(2 * n, t);
//       }
//     };
//     struct twice : operator_base {
//       using emits = tag_list<>;
//       template <class S>
//       static constexpr bool accepts = std::is_same_v<typename S::record, int>;
//       template <class S>
//       static constexpr void refuse() {
//         static_assert(detail::never<S>, "twice needs a stream of int");
//       }
//       template <class S>
//       using output = typename S::template made<int>;
//       template <class S>
//       twice_step lower() && {
//         return {};
//       }
//     };
//
//     assert((collect(source(elements{1, 2}) | twice()) == std::vector{2, 4}));
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/operators/output_tag.hpp"
#include "spillway/operators/stream.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

struct operator_base {};

/// What an expression becomes after an error that was reported. It silences all that follows.
struct poison {};
/// What a function that makes operators returns after an error that was reported; an expression with it is `poison`.
struct refused_operator : operator_base {};

/// Anything that may stand behind a `|`.
template <class T>
concept any_operator = std::derived_from<std::remove_cvref_t<T>, operator_base>;

/// Two operators joined before they have an input; `on` takes such a chain, and so may any `|`.
template <class First, class Second>
struct operator_pair : operator_base {
  [[no_unique_address]] First first;
  [[no_unique_address]] Second second;
};

namespace detail {

template <class...>
inline constexpr bool never = false;

template <class>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class F, class Record>
concept takes_record = std::invocable<F&, Record&&> || std::invocable<F&, Record&>;

/// Calls a user's function with a record it may move from, or with an lvalue where it asks for one.
template <class F, class Record>
SPILLWAY_INLINE decltype(auto) call(F& f, Record& record) {
  if constexpr (std::invocable<F&, Record&&>) {
    return std::invoke(f, std::move(record));
  } else {
    return std::invoke(f, record);
  }
}

template <class F, class Record>
using call_result = std::remove_cvref_t<decltype(call(std::declval<F&>(), std::declval<Record&>()))>;

/// What the function returns, by value or by reference, can be a record of its own.
template <class F, class Record>
concept returns_value =
    std::is_constructible_v<call_result<F, Record>, decltype(call(std::declval<F&>(), std::declval<Record&>()))>;

}  // namespace detail

/// A function as a type: `map(fn<parse>)` is inlined, where GCC 12 keeps a call for the pointer in `map(parse)`.
template <auto F>
struct fn_t {
  template <class... Args>
    requires std::invocable<decltype(F), Args...>
  SPILLWAY_INLINE constexpr decltype(auto) operator()(Args&&... args) const
      noexcept(std::is_nothrow_invocable_v<decltype(F), Args...>) {
    return std::invoke(F, std::forward<Args>(args)...);
  }
};
template <auto F>
inline constexpr fn_t<F> fn{};

}  // namespace spillway
