// The end of a chain: hands each record to a function or an object.
//
// Runs in its stage's thread, fused.
// 1. A sink is a callable `f(record)` or `f(record, timestamp)`, or an object with `write(record)`; `open()` or `open(stage_context&)`, and `close()`, are called if it has them,
//    `close` exactly once, on every way out; `flush()`, if it has one, whenever the stage finds nothing to do.
// 2. An exception from a sink stops the pipeline and comes out of `run`.
//
//     double sum = 0;
//     run(readings({20, 30}) | sw::sink([&](const reading& r) { sum += r.celsius; }));
//     assert(sum == 50);
#pragma once

#include "spillway/operators/operator.hpp"

namespace spillway {

namespace detail {
template <class F>
constexpr F& sink_target(F& f) noexcept {
  return f;
}
template <class F>
constexpr F& sink_target(std::reference_wrapper<F>& f) noexcept {
  return f.get();
}

template <class F, class In>
concept writes_records = requires(F& f, In record) { sink_target(f).write(std::move(record)); };
template <class F, class In>
concept takes_record_and_time = std::invocable<F&, In&&, timestamp>;
}  // namespace detail

template <class F, class In>
struct sink_step {
  static constexpr std::string_view kind = "sink";
  [[no_unique_address]] F f;

  template <class Context>
  void open(Context& stage) {
    if constexpr (requires { detail::sink_target(f).open(stage); }) {
      detail::sink_target(f).open(stage);
    } else if constexpr (requires { detail::sink_target(f).open(); }) {
      detail::sink_target(f).open();
    }
  }
  template <class Down>
  SPILLWAY_INLINE void on_record(Down&, In&& record, timestamp t) {
    if constexpr (detail::writes_records<F, In>) {
      detail::sink_target(f).write(std::move(record));
    } else if constexpr (detail::takes_record_and_time<F, In>) {
      std::invoke(f, std::move(record), t);
    } else {
      detail::call(f, record);
    }
  }
  void on_idle() {
    if constexpr (requires { detail::sink_target(f).flush(); }) detail::sink_target(f).flush();
  }
  void close() {
    if constexpr (requires { detail::sink_target(f).close(); }) detail::sink_target(f).close();
  }
};

template <class F>
struct sink_operator : operator_base {
  [[no_unique_address]] F f;

  using emits = tag_list<>;
  template <class S>
  static constexpr bool accepts =
      detail::writes_records<F, typename S::record> || detail::takes_record_and_time<F, typename S::record> ||
      detail::takes_record<F, typename S::record>;
  template <class S>
  static constexpr void refuse() {
    static_assert(detail::never<S, F>,
                  "spillway: sink needs a function that takes the record before it, or an object with write(record)");
  }
  template <class S>
  using output = stream<no_record>;

  template <class S>
  sink_step<F, typename S::record> lower() && {
    return {std::move(f)};
  }
};

/// `f(record)`, `f(record, timestamp)` or an object with `write(record)`. Use std::ref for a sink that lives elsewhere.
template <class F>
constexpr sink_operator<F> sink(F f) {
  return {{}, std::move(f)};
}

namespace detail {
struct ignore_record {
  template <class Record>
  void operator()(const Record&) const noexcept {}
};
}  // namespace detail

/// Ends a chain whose main output is not wanted.
constexpr sink_operator<detail::ignore_record> discard() { return {}; }

}  // namespace spillway
