// An operator with a guard around its own function: what the operators behind it throw goes by.
//
// Runs in its stage's thread, fused. 1. The guard costs nothing while nothing is thrown.
// 2. Only what the operator's own function throws for a record is guarded; `open`, `close`, firings by a watermark and everything behind are not.
// 3. What the function emitted before it threw stays emitted.
// `on_error`, `skip_errors` and `retry` are guards; they stand right behind the operator that they guard and may follow each other.
//
//     auto halves = collect(sw::source(sw::elements{2, 0, 4})
//                           | sw::map([](int n) { return n != 0 ? 100 / n : throw std::domain_error("division by zero"); })
//                           | sw::skip_errors());
//     assert((halves == std::vector{50, 25}));
#pragma once

#include <cxxabi.h>

#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

#include "spillway/operators/operator.hpp"
#include "spillway/operators/stage_context.hpp"

namespace spillway {

/// A guard that has no operator yet.
struct guard_base : operator_base {
  using is_guard = void;
};

namespace detail {

/// What stands behind a guarded step: remembers which exception came from there.
template <class Down>
struct behind {
  Down& down;

  template <class R, class... Key>
  SPILLWAY_INLINE void emit(R&& record, timestamp t, const Key&... key) {
    try {
      down.emit(std::forward<R>(record), t, key...);
    } catch (...) {
      down.environment().note_passing();
      throw;
    }
  }
  template <class Tag, class V>
  SPILLWAY_INLINE void output(const Tag& tag, V&& value, timestamp t) {
    try {
      down.output(tag, std::forward<V>(value), t);
    } catch (...) {
      down.environment().note_passing();
      throw;
    }
  }
  SPILLWAY_INLINE void watermark(timestamp w) { down.watermark(w); }
  SPILLWAY_INLINE bool held() const { return down.held(); }
  SPILLWAY_INLINE auto& environment() { return down.environment(); }
};

/// Calls the step with the record, and with the key if it takes one.
template <class Step, class Down, class In, class... Key>
SPILLWAY_INLINE void hand_to(Step& step, Down& down, In&& record, timestamp t, const Key&... key) {
  if constexpr (requires { step.on_record(down, std::move(record), t, key...); }) {
    step.on_record(down, std::move(record), t, key...);
  } else {
    step.on_record(down, std::move(record), t);
  }
}

}  // namespace detail

/// The step of a guarded operator; `Guard` has `open(stage_context&, kind)` and `run(step, down, record, t, key...)`.
template <class Step, class Guard, class In>
struct guarded_step {
  static constexpr std::string_view kind = Step::kind;
  Step step;
  Guard guard;

  void open(stage_context& stage) {
    if constexpr (requires { step.open(stage); }) step.open(stage);
    guard.open(stage, kind);
  }
  template <class Down, class... Key>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t, const Key&... key) {
    guard.run(step, down, std::move(record), t, key...);
  }
  template <class Down>
  SPILLWAY_INLINE void on_watermark(Down& down, timestamp w) {
    if constexpr (requires { step.on_watermark(down, w); }) {
      step.on_watermark(down, w);
    } else {
      down.watermark(w);
    }
  }
  template <class Down>
  SPILLWAY_INLINE bool resume(Down& down) {
    if constexpr (requires { step.resume(down); }) {
      return step.resume(down);
    } else {
      return true;
    }
  }
  template <class Down>
  void on_end(Down& down) {
    if constexpr (requires { step.on_end(down); }) step.on_end(down);
  }
  void on_idle() {
    if constexpr (requires { step.on_idle(); }) step.on_idle();
  }
  void close() {
    if constexpr (requires { step.close(); }) step.close();
  }
};

template <class Op, class Guard>
struct guarded_operator : operator_base {
  [[no_unique_address]] Op op;
  Guard guard;

  using emits = typename detail::concat_tags<typename Op::emits, typename Guard::emits>::type;
  template <class S>
  static constexpr bool accepts = Guard::template guards<Op, S>;
  template <class S>
  static constexpr void refuse() {
    Guard::template refuse<Op, S>();
  }
  template <class S>
  using output = typename Op::template output<S>;

  template <class S>
  auto lower() && {
    using step = decltype(std::move(op).template lower<S>());
    using lowered_guard = typename Guard::template lowered<typename S::record>;
    return guarded_step<step, lowered_guard, typename S::record>{std::move(op).template lower<S>(),
                                                                 lowered_guard{std::move(guard)}};
  }
};

}  // namespace spillway
