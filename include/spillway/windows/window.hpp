// Groups records into windows, and what is made of each window's records.
//
// Runs in its stage's thread, fused.
// 1. `window(...)` says which windows there are, how late a record may come and where late records go; the operator right behind it,
//    `aggregate(...)` or `window_process(...)`, makes a result of each window. Both together are one step.
// 2. Behind `key_by` each key has windows of its own and results are {key, window, value}; on a stream without keys there is one group
//    (Flink's windowAll) and results are {window, value}. The timestamp of a result is the last instant of its window.
// 3. Records whose windows have all passed go to the late tag, or are counted as dropped without one.
// 4. Windows of time need event time, so `watermarks` comes before them.
//
//     std::uint64_t late_ones = 0;
//     auto means = collect(readings()
//                          | sw::key_by(&reading::sensor)
//                          | sw::window(sw::tumbling(1s), {.allowed_lateness = 200ms}, late)
//                          | sw::aggregate(sw::mean(&reading::celsius))
//                          | sw::on(late, sw::sink([&](const reading&) { ++late_ones; })));
//     assert(means.front().key == "boiler" && means.front().value == 71 && late_ones == 0);
#pragma once

#include <concepts>
#include <string_view>
#include <utility>

#include "spillway/core/text_ref.hpp"
#include "spillway/operators/operator.hpp"
#include "spillway/windows/aggregates/aggregates.hpp"
#include "spillway/windows/aligned_window_step.hpp"
#include "spillway/windows/count_window_step.hpp"
#include "spillway/windows/session_window_step.hpp"
#include "spillway/windows/window_process_step.hpp"

namespace spillway {

namespace detail {

template <class T>
concept any_windows = std::same_as<T, aligned_windows> || std::same_as<T, session_windows> || std::same_as<T, count_windows>;

template <class Windows, class In, class Key, class Late, class Aggregate>
struct aggregate_step_for;
template <class In, class Key, class Late, class Aggregate>
struct aggregate_step_for<aligned_windows, In, Key, Late, Aggregate> {
  using type = aligned_window_step<In, Key, Late, Aggregate>;
};
template <class In, class Key, class Late, class Aggregate>
struct aggregate_step_for<session_windows, In, Key, Late, Aggregate> {
  using type = session_window_step<In, Key, Late, Aggregate>;
};
template <class In, class Key, class Late, class Aggregate>
struct aggregate_step_for<count_windows, In, Key, Late, Aggregate> {
  using type = count_window_step<In, Key, Aggregate>;
};

template <class Late>
struct late_tags {
  using type = tag_list<Late>;
};
template <>
struct late_tags<no_tag> {
  using type = tag_list<>;
};

/// The stream behind a window. A struct, so that an aggregate without a result is reported by `refuse` and not here.
template <class S, class Aggregate>
struct aggregate_output {
  using type =
      typename S::template made_from_state<window_result_of<typename S::key, aggregate_result<Aggregate, typename S::record>>>;
};

/// What every window asks of the stream before it, whatever its function.
template <class Windows, class Late>
struct window_needs {
  template <class S>
  static constexpr bool has_time = std::same_as<Windows, count_windows> || !std::is_same_v<typename S::timing, untimed>;
  template <class S>
  static constexpr bool late_fits = [] {
    if constexpr (std::is_same_v<Late, no_tag>) {
      return true;
    } else {
      return std::is_constructible_v<typename Late::record, typename S::record&&>;
    }
  }();
  template <class S>
  static constexpr bool met = has_time<S> && late_fits<S>;
  template <class S>
  static constexpr void refuse() {
    static_assert(has_time<S>, "spillway: a window of time needs event time; put watermarks(generator, &record::time) before it");
    static_assert(late_fits<S>, "spillway: the late tag of a window must carry the record type before the window");
  }
};

}  // namespace detail

template <class Windows, class Late, class Aggregate>
struct window_aggregate_operator : operator_base {
  Windows windows;
  window_options options;
  Aggregate function;

  using needs = detail::window_needs<Windows, Late>;
  using emits = typename detail::late_tags<Late>::type;
  template <class S>
  static constexpr bool accepts = needs::template met<S> && aggregate_of<Aggregate, typename S::record>;
  template <class S>
  static constexpr void refuse() {
    needs::template refuse<S>();
    if constexpr (needs::template met<S>) static_assert(check_aggregate<Aggregate, typename S::record>());
  }
  template <class S>
  using output = typename detail::aggregate_output<S, Aggregate>::type;

  template <class S>
  auto lower() && {
    using step = typename detail::aggregate_step_for<Windows, typename S::record, typename S::key, Late, Aggregate>::type;
    return step(windows, options, std::move(function));
  }
};

template <class Windows, class Late, class Function>
struct window_process_operator : operator_base {
  Windows windows;
  window_options options;
  Function function;

  using needs = detail::window_needs<Windows, Late>;
  using emits = typename detail::concat_tags<typename detail::late_tags<Late>::type, typename Function::emits::list>::type;
  template <class S>
  using probe = detail::process_probe<Function, typename Function::main, typename Function::emits::list, typename S::key>;
  template <class S>
  static constexpr bool keeps_no_text = !text_record<typename S::record>;
  template <class S>
  static constexpr bool callable = requires(Function& f, probe<S>& context, const typename S::key& key, const time_window& w,
                                            window_elements<typename S::record> elements) {
    f.on_window(context, key, w, elements);
  } || requires(Function& f, probe<S>& context, const time_window& w, window_elements<typename S::record> elements) {
    f.on_window(context, w, elements);
  };
  template <class S>
  static constexpr bool accepts = needs::template met<S> && keeps_no_text<S> && callable<S>;
  template <class S>
  static constexpr void refuse() {
    needs::template refuse<S>();
    static_assert(
        keeps_no_text<S>,
        "spillway: window_process keeps its records, so they cannot carry text_ref; map the text to a fixed_string first");
    static_assert(
        !keeps_no_text<S> || callable<S>,
        "spillway: window_process needs on_window(auto& ctx, const key&, const time_window&, auto elements), without the key where there is none");
  }
  template <class S>
  static void examine(Function& f, probe<S>& context, const typename S::key& key, window_elements<typename S::record> elements) {
    if constexpr (requires { f.on_window(context, key, time_window{}, elements); }) {
      f.on_window(context, key, time_window{}, elements);
    } else {
      f.on_window(context, time_window{}, elements);
    }
  }
  template <class S>
  using output = std::conditional_t<std::is_same_v<typename Function::main, no_record>, stream<no_record>,
                                    typename S::template made_from_state<typename Function::main>>;

  template <class S>
  auto lower() && {
    return window_process_step<typename S::record, typename S::key, Late, Windows, Function>(windows, options,
                                                                                             std::move(function));
  }
};

/// `aggregate(...)` before it is joined with its window.
template <class Aggregate>
struct aggregate_operator : operator_base {
  Aggregate function;
};
template <class Function>
struct window_function_operator : operator_base {
  Function function;
};

/// `window(...)` before it is joined with its function.
template <class Windows, class Late>
struct window_operator : operator_base {
  using needs_function = void;
  using emits = tag_list<>;
  template <class S>
  static constexpr bool accepts = true;
  template <class S>
  using output = S;

  Windows windows;
  window_options options;

  template <class Aggregate>
  constexpr auto complete(aggregate_operator<Aggregate> a) && {
    return window_aggregate_operator<Windows, Late, Aggregate>{{}, windows, options, std::move(a.function)};
  }
  template <class Function>
  constexpr auto complete(window_function_operator<Function> f) && {
    return window_process_operator<Windows, Late, Function>{{}, windows, options, std::move(f.function)};
  }
};

/// Windows of `tumbling(size)`, `sliding(size, slide)`, `session(gap)` or `count_of(n)`; late records are counted and dropped.
template <detail::any_windows Windows>
constexpr window_operator<Windows, no_tag> window(Windows windows, window_options options = {}) {
  return {{}, windows, options};
}
/// The same; late records go to `late`.
template <detail::any_windows Windows, any_output_tag Tag>
constexpr auto window(Windows windows, window_options options, const Tag&) {
  if constexpr (std::same_as<Windows, count_windows>) {
    static_assert(detail::never<Tag>, "spillway: a count window has no late records, so it takes no late tag");
    return refused_operator{};
  } else {
    return window_operator<Windows, std::remove_cvref_t<Tag>>{{}, windows, options};
  }
}
template <detail::any_windows Windows, any_output_tag Tag>
constexpr auto window(Windows windows, const Tag& late) {
  return window(windows, window_options{}, late);
}

/// One aggregate, whose result is the value; several at once, whose value is a std::tuple of their results.
template <class Aggregate>
constexpr aggregate_operator<Aggregate> aggregate(Aggregate a) {
  return {{}, std::move(a)};
}
template <class... Parts>
  requires(sizeof...(Parts) > 1)
constexpr aggregate_operator<aggregates<Parts...>> aggregate(Parts... parts) {
  return {{}, aggregates<Parts...>(std::move(parts)...)};
}

/// A function that sees all records of a window: see element_contents.hpp.
template <class Function>
constexpr auto window_process(Function f) {
  if constexpr (detail::process_function_class<Function>) {
    return window_function_operator<Function>{{}, std::move(f)};
  } else {
    static_assert(detail::never<Function>, "spillway: window_process needs a class with `main`, `emits` and on_window(...)");
    return refused_operator{};
  }
}

}  // namespace spillway
