// Fusing: an expression becomes one object of nested steps, and each duty cycle one nest of inlined calls through it.
//
// The nest belongs to its stage's thread.
// 1. Two forms. The *fused* form holds the steps and lives as long as the stage; the *pass* is a local value of one duty cycle, which holds ring
//    cursors and small steps by value, so that the compiler keeps them in registers. `settle` writes them back. A function whose own
//    address matters must therefore be larger than a cache line, not trivially copyable, or held by std::ref.
// 2. What a step sees as `down` is the next pass. Nothing on the way of a record is virtual, and nothing is allocated.
// 3. An exception is noted with the position of the operator that threw it; the notes cost nothing until then.
// 4. A gate stands behind the last operator that emits a tag: it tells the tag's edges how far time has come there.
//
//     int sum = 0;
//     auto whole = detail::fuse(source(elements{1}) | map([](int n) { return n + 1; }) | sink([&](int n) { sum += n; }), detail::fused_end());
//     detail::stage_environment<tag_list<>> stage("sum");
//     whole.chain.open(stage);
//     auto pass = whole.chain.pass(stage);            // of one duty cycle
//     pass.emit(7, no_timestamp);                     // what the head does for each record
//     pass.settle();
//     assert(sum == 8);
#pragma once

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "spillway/graph/expression.hpp"

namespace spillway::detail {

/// Time at one place of the chain, as the side outputs that are emitted there must know it.
struct tag_gate {
  timestamp watermark = timestamp::minimum();
  bool ended = false;
};

/// Remembers the first exception of several calls that must all be made.
class first_exception {
 public:
  template <class F>
  void run(F&& f) noexcept {
    try {
      f();
    } catch (...) {
      if (!first_) first_ = std::current_exception();
    }
  }
  std::exception_ptr get() const noexcept { return first_; }

 private:
  std::exception_ptr first_;
};

// --- a step and what follows it -------------------------------------------------------------------------------------------------------------

/// A small step's state is a local value of the pass, so that it lives in registers between the records of a cycle.
template <class Step>
inline constexpr bool held_by_value = std::is_trivially_copyable_v<Step> && std::is_copy_constructible_v<Step> &&
                                      !std::is_empty_v<Step> && sizeof(Step) <= cache_line_bytes;

/// A step as its pass holds it: by address, or by value to be written back.
template <class Step, bool ByValue = held_by_value<Step>>
struct step_holder {
  Step* home;
  SPILLWAY_INLINE explicit step_holder(Step& step) noexcept : home(&step) {}
  SPILLWAY_INLINE Step* operator->() noexcept { return home; }
  SPILLWAY_INLINE void settle() noexcept {}
};
template <class Step>
struct step_holder<Step, true> {
  Step* home;
  Step copy;
  SPILLWAY_INLINE explicit step_holder(Step& step) noexcept : home(&step), copy(step) {}
  SPILLWAY_INLINE Step* operator->() noexcept { return &copy; }
  // Closures cannot be assigned, but made anew in the place of an old one that needs no destruction.
  SPILLWAY_INLINE void settle() noexcept { std::construct_at(home, copy); }
};

template <class Step, int Position, class Rest>
struct link {
  step_holder<Step> step;
  Rest rest;

  template <class R, class... Key>
  SPILLWAY_INLINE void emit(R&& record, timestamp t, const Key&... key) {
    try {
      if constexpr (requires { step->on_record(rest, std::forward<R>(record), t, key...); }) {
        step->on_record(rest, std::forward<R>(record), t, key...);
      } else {
        step->on_record(rest, std::forward<R>(record), t);
      }
    } catch (...) {
      note();
      throw;
    }
  }
  SPILLWAY_INLINE void watermark(timestamp w) {
    if constexpr (requires { step->on_watermark(rest, w); }) {
      try {
        step->on_watermark(rest, w);
      } catch (...) {
        note();
        throw;
      }
    } else {
      rest.watermark(w);
    }
  }
  void end() {
    if constexpr (requires { step->on_end(rest); }) {
      try {
        step->on_end(rest);
      } catch (...) {
        note();
        throw;
      }
    }
    rest.end();
  }
  /// True when no firing is unfinished, here or behind.
  SPILLWAY_INLINE bool resume() {
    if (!rest.resume()) return false;
    if constexpr (requires { step->resume(rest); }) {
      try {
        return step->resume(rest);
      } catch (...) {
        note();
        throw;
      }
    }
    return true;
  }
  template <class Tag, class V>
  SPILLWAY_INLINE void output(const Tag& tag, V&& value, timestamp t) {
    rest.environment().output(tag, std::forward<V>(value), t);
  }
  SPILLWAY_INLINE bool held() const { return rest.held(); }
  SPILLWAY_INLINE auto& environment() { return rest.environment(); }
  SPILLWAY_INLINE void settle() {
    step.settle();
    rest.settle();
  }
  SPILLWAY_INLINE void flush() { rest.flush(); }
  void idle() {
    if constexpr (requires { step->on_idle(); }) {
      try {
        step->on_idle();
      } catch (...) {
        note();
        throw;
      }
    }
    rest.idle();
  }

 private:
  SPILLWAY_COLD void note() { rest.environment().note_failure(Position, Step::kind); }
};

template <class Step, int Position, class Rest>
struct fused {
  Step
      step;  // no [[no_unique_address]]: `settle` writes the whole object, padding included, where it may not share bytes with `rest`
  Rest rest;
  bool opened = false;

  template <class Env>
  void open(Env& env) {
    rest.open(env);
    opened = true;
    if constexpr (requires { step.open(env); }) {
      try {
        step.open(env);
      } catch (...) {
        env.note_failure(Position, Step::kind);
        throw;
      }
    }
  }
  template <class Env>
  void close(Env& env, first_exception& errors) noexcept {
    if constexpr (requires { step.close(); }) {
      if (std::exchange(opened, false)) {
        errors.run([&] {
          try {
            step.close();
          } catch (...) {
            env.note_failure(Position, Step::kind);
            throw;
          }
        });
      }
    }
    rest.close(env, errors);
  }
  template <class Env>
  SPILLWAY_INLINE auto pass(Env& env) {
    return link<Step, Position, decltype(rest.pass(env))>{step_holder<Step>(step), rest.pass(env)};
  }
};

// --- a gate -----------------------------------------------------------------------------------------------------------------------------------

template <class Rest>
struct gate_link {
  tag_gate* gate;
  Rest rest;

  template <class R, class... Key>
  SPILLWAY_INLINE void emit(R&& record, timestamp t, const Key&... key) {
    rest.emit(std::forward<R>(record), t, key...);
  }
  SPILLWAY_INLINE void watermark(timestamp w) {
    gate->watermark = w;
    rest.watermark(w);
  }
  void end() {
    gate->ended = true;
    rest.end();
  }
  SPILLWAY_INLINE bool resume() { return rest.resume(); }
  template <class Tag, class V>
  SPILLWAY_INLINE void output(const Tag& tag, V&& value, timestamp t) {
    rest.output(tag, std::forward<V>(value), t);
  }
  SPILLWAY_INLINE bool held() const { return rest.held(); }
  SPILLWAY_INLINE auto& environment() { return rest.environment(); }
  SPILLWAY_INLINE void settle() { rest.settle(); }
  SPILLWAY_INLINE void flush() { rest.flush(); }
  void idle() { rest.idle(); }
};

template <class Tags, class Rest>
struct fused_gate;

template <class... Tags, class Rest>
struct fused_gate<tag_list<Tags...>, Rest> {
  tag_gate gate{};
  Rest rest;

  template <class Env>
  void open(Env& env) {
    rest.open(env);
    (env.template watch<Tags>(gate), ...);
  }
  template <class Env>
  void close(Env& env, first_exception& errors) noexcept {
    rest.close(env, errors);
  }
  template <class Env>
  SPILLWAY_INLINE auto pass(Env& env) {
    return gate_link<decltype(rest.pass(env))>{&gate, rest.pass(env)};
  }
};

// --- a reader of a tag, fused by `on` ---------------------------------------------------------------------------------------------------------

template <class Tag, class Side, class Rest>
struct side_link {
  Side side;
  Rest rest;

  template <class R, class... Key>
  SPILLWAY_INLINE void emit(R&& record, timestamp t, const Key&... key) {
    rest.emit(std::forward<R>(record), t, key...);
  }
  SPILLWAY_INLINE void watermark(timestamp w) {
    side.watermark(w);
    rest.watermark(w);
  }
  void end() {
    side.end();
    rest.end();
  }
  SPILLWAY_INLINE bool resume() {
    const bool side_done = side.resume();
    return rest.resume() && side_done;
  }
  template <class OtherTag, class V>
  SPILLWAY_INLINE void output(const OtherTag& tag, V&& value, timestamp t) {
    if constexpr (std::is_same_v<OtherTag, Tag>) {
      side.emit(typename Tag::record(std::as_const(value)), t);
    }
    rest.output(tag, std::forward<V>(value), t);
  }
  SPILLWAY_INLINE bool held() const { return side.held() || rest.held(); }
  SPILLWAY_INLINE auto& environment() { return rest.environment(); }
  SPILLWAY_INLINE void settle() {
    side.settle();
    rest.settle();
  }
  SPILLWAY_INLINE void flush() {
    side.flush();
    rest.flush();
  }
  void idle() {
    side.idle();
    rest.idle();
  }
};

template <class Tag, class Side, class Rest>
struct fused_side {
  Side side;
  Rest rest;

  template <class Env>
  void open(Env& env) {
    rest.open(env);
    side.open(env);
  }
  template <class Env>
  void close(Env& env, first_exception& errors) noexcept {
    side.close(env, errors);
    rest.close(env, errors);
  }
  template <class Env>
  SPILLWAY_INLINE auto pass(Env& env) {
    return side_link<Tag, decltype(side.pass(env)), decltype(rest.pass(env))>{side.pass(env), rest.pass(env)};
  }
};

// --- the end of a chain without a main output -------------------------------------------------------------------------------------------------

template <class Env>
struct end_link {
  Env* env;

  template <class R>
  SPILLWAY_INLINE void emit(R&&, timestamp) {}
  SPILLWAY_INLINE void watermark(timestamp) {}
  void end() {}
  SPILLWAY_INLINE bool resume() { return true; }
  template <class Tag, class V>
  SPILLWAY_INLINE void output(const Tag& tag, V&& value, timestamp t) {
    env->output(tag, std::forward<V>(value), t);
  }
  SPILLWAY_INLINE bool held() const { return env->held(); }
  SPILLWAY_INLINE Env& environment() { return *env; }
  SPILLWAY_INLINE void settle() {}
  SPILLWAY_INLINE void flush() {}
  void idle() {}
};

struct fused_end {
  template <class Env>
  void open(Env&) {}
  template <class Env>
  void close(Env&, first_exception&) noexcept {}
  template <class Env>
  SPILLWAY_INLINE end_link<Env> pass(Env& env) {
    return {&env};
  }
};

// --- from expression to fused form ------------------------------------------------------------------------------------------------------------

/// The tags of List that are not in Seen.
template <class List, class Seen>
struct without;
template <class... Tags, class Seen>
struct without<tag_list<Tags...>, Seen>
    : concat_tags<std::conditional_t<tag_list_contains<Tags, Seen>, tag_list<>, tag_list<Tags>>...> {};

template <class Head, class Chain>
struct fused_stage {
  Head head;
  Chain chain;
};

/// Walks an expression from its end to its head. `Gated` are the tags whose last emitter was passed already.
template <class Gated, class Expression, class Rest>
auto fuse_before(Expression&& expression, Rest rest) {
  using type = std::remove_cvref_t<Expression>;
  if constexpr (expression_head<type>) {
    return fused_stage<type, Rest>{std::move(expression), std::move(rest)};
  } else {
    return fuse_piped<Gated>(std::move(expression), std::move(rest));
  }
}

template <class Gated, class Previous, class Tag, class Side, class Rest>
auto fuse_piped(piped<Previous, bound_on<Tag, Side>>&& expression, Rest rest) {
  auto side = fuse_before<Gated>(std::move(expression.op.side), fused_end{});
  using side_chain = decltype(side.chain);
  using gated = typename concat_tags<Gated, typename Side::emits>::type;
  return fuse_before<gated>(std::move(expression.previous),
                            fused_side<Tag, side_chain, Rest>{std::move(side.chain), std::move(rest)});
}

template <class Gated, class Previous, class Op, class Rest>
auto fuse_piped(piped<Previous, Op>&& expression, Rest rest) {
  using input = typename Previous::output;
  using step = decltype(std::move(expression.op).template lower<input>());
  using fresh = typename without<typename Op::emits, Gated>::type;
  constexpr int position = Previous::length + 1;
  if constexpr (std::is_same_v<fresh, tag_list<>>) {
    return fuse_before<Gated>(std::move(expression.previous),
                              fused<step, position, Rest>{std::move(expression.op).template lower<input>(), std::move(rest)});
  } else {
    using gate = fused_gate<fresh, Rest>;
    using gated = typename concat_tags<Gated, fresh>::type;
    return fuse_before<gated>(
        std::move(expression.previous),
        fused<step, position, gate>{std::move(expression.op).template lower<input>(), gate{{}, std::move(rest)}});
  }
}

/// The fused form of a whole expression that ends in `end`.
template <class Expression, class End>
auto fuse(Expression expression, End end) {
  return fuse_before<tag_list<>>(std::move(expression), std::move(end));
}

}  // namespace spillway::detail
