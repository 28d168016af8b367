// A function with a context: emits any number of records to the main output and to the side outputs it declares.
//
// Runs in its stage's thread, fused.
// 1. Main and side emission are independent: a record may go to both, to several tags, to none.
// 2. What is emitted carries the timestamp of the record in hand.
// 3. Two forms. A class names its main output and its tags, `struct f { using main = M; using emits = spillway::emits<t...>; void
//    on_record(auto& ctx, const R& r); }`, and may have `open()` or `open(stage_context&)`, and `close()`; a lambda is given both: `process<M>(emits<t...>{}, lambda)`.
//    `main = no_record` means that there is no main output. Behind key_by, `ctx.key()` is the record's key.
//
//     std::vector<int> odds;
//     auto evens = collect(sw::source(sw::elements{1, 2, 3})
//                          | sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int n) {
//                              n % 2 != 0 ? ctx.output(odd, n) : ctx.emit(n);
//                            })
//                          | sw::on(odd, sw::sink([&](int n) { odds.push_back(n); })));
//     assert((evens == std::vector{2}) && (odds == std::vector{1, 3}));
#pragma once

#include "spillway/core/text_ref.hpp"
#include "spillway/operators/operator.hpp"

namespace spillway {

namespace detail {

template <class F, class Main, class Tags, class Key>
class process_probe;

template <class F, class Main, class... Tags, class Key>
class process_probe<F, Main, tag_list<Tags...>, Key> {
 public:
  template <class V>
  void emit(V&&) {
    static_assert(std::is_constructible_v<Main, V&&>,
                  "spillway: emit() is given a value that is not of the process function's main type");
  }
  template <class Tag, class V>
  void output(const Tag&, V&&) {
    static_assert((std::is_same_v<Tag, Tags> || ...),
                  "spillway: output() names a tag that the process function does not declare in `emits`");
    static_assert(!(std::is_same_v<Tag, Tags> || ...) || std::is_constructible_v<typename Tag::record, V&&>,
                  "spillway: output() is given a value that is not of its tag's record type");
  }
  // Never called; defined, since compilers warn of functions of local types that are used and have no body.
  spillway::timestamp timestamp() const { return {}; }
  spillway::timestamp watermark() const { return {}; }
  const Key& key() const { return *key_; }
  bool request_stop(std::string_view) { return false; }

 private:
  const Key* key_ = nullptr;
};

/// The context of one call.
template <class Down, class Main, class Tags, class Key>
class process_context {
 public:
  process_context(Down& down, timestamp t, spillway::timestamp watermark, const Key* key) noexcept
      : down_(down), t_(t), watermark_(watermark), key_(key) {}

  /// Sends a record to the main output.
  template <class V>
  SPILLWAY_INLINE void emit(V&& value) {
    if constexpr (std::is_constructible_v<Main, V&&>) down_.emit(Main(std::forward<V>(value)), t_);
  }
  /// Sends a record to a side output. Never waits.
  template <class Tag, class V>
  SPILLWAY_INLINE void output(const Tag& tag, V&& value) {
    if constexpr (tag_list_contains<Tag, Tags>) {
      if constexpr (std::is_constructible_v<typename Tag::record, V&&>) down_.output(tag, std::forward<V>(value), t_);
    }
  }
  /// Event time of the record in hand, `no_timestamp` if it has none.
  spillway::timestamp timestamp() const noexcept { return t_; }
  /// The last watermark that passed; timestamp::minimum() before the first.
  spillway::timestamp watermark() const noexcept { return watermark_; }
  /// Key of the record in hand. Requires: the operator stands behind `key_by`.
  const Key& key() const noexcept { return *key_; }
  /// Asks the pipeline to stop: the sources end, everything drains. See stage_context::request_stop.
  bool request_stop(std::string_view reason) { return down_.environment().request_stop(reason); }

 private:
  Down& down_;
  spillway::timestamp t_;
  spillway::timestamp watermark_;
  const Key* key_;
};

}  // namespace detail

template <class F, class In, class Key>
struct process_step {
  static constexpr std::string_view kind = "process";
  [[no_unique_address]] F f;
  timestamp watermark = timestamp::minimum();

  template <class Context>
  void open(Context& stage) {
    if constexpr (requires { f.open(stage); }) {
      f.open(stage);
    } else if constexpr (requires { f.open(); }) {
      f.open();
    }
  }
  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t) {
    run(down, std::move(record), t, static_cast<const Key*>(nullptr));
  }
  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp t, const Key& key) {
    run(down, std::move(record), t, &key);
  }
  template <class Down>
  SPILLWAY_INLINE void on_watermark(Down& down, timestamp w) {
    watermark = w;
    down.watermark(w);
  }
  void close() {
    if constexpr (requires { f.close(); }) f.close();
  }

 private:
  template <class Down>
  SPILLWAY_INLINE void run(Down& down, In&& record, timestamp t, const Key* key) {
    detail::process_context<Down, typename F::main, typename F::emits::list, Key> context(down, t, watermark, key);
    // A key of text may point into the record, so a function that takes the record by value is given a copy.
    constexpr bool stays =
        std::is_same_v<Key, text_ref> && !std::is_trivially_copyable_v<In> && requires { f.on_record(context, record); };
    if constexpr (!stays && requires { f.on_record(context, std::move(record)); }) {
      f.on_record(context, std::move(record));
    } else {
      f.on_record(context, record);
    }
  }
};

template <class F>
struct process_operator : operator_base {
  [[no_unique_address]] F f;

  using emits = typename F::emits::list;
  template <class S>
  using probe = detail::process_probe<F, typename F::main, emits, typename S::key>;
  template <class S>
  static constexpr bool accepts = requires(F& function, probe<S>& context, typename S::record record) {
    function.on_record(context, std::move(record));
  } || requires(F& function, probe<S>& context, typename S::record record) { function.on_record(context, record); };
  template <class S>
  static constexpr void refuse() {
    static_assert(detail::never<S, F>, "spillway: process needs on_record(auto& ctx, record) for the record type before it");
  }
  /// Compiles the function against a context that offers only its declared tags, so that a wrong `output` is reported where it is written.
  template <class S>
  static void examine(F& function, probe<S>& context, typename S::record& record) {
    if constexpr (requires { function.on_record(context, std::move(record)); }) {
      function.on_record(context, std::move(record));
    } else {
      function.on_record(context, record);
    }
  }
  template <class S>
  using output =
      std::conditional_t<std::is_same_v<typename F::main, no_record>, stream<no_record>,
                         stream<typename F::main, no_key, typename S::template made<int>::timing, text_home::elsewhere>>;

  template <class S>
  process_step<F, typename S::record, typename S::key> lower() && {
    return {std::move(f)};
  }
};

namespace detail {
template <class T>
concept process_function_class = requires {
  typename T::main;
  typename T::emits::list;
};

template <class Main, class Emits, class F>
struct process_lambda {
  using main = Main;
  using emits = Emits;
  [[no_unique_address]] F f;

  template <class Context, class Record>
    requires std::invocable<F&, Context&, Record&&>
  SPILLWAY_INLINE void on_record(Context& context, Record&& record) {
    std::invoke(f, context, std::forward<Record>(record));
  }
};
}  // namespace detail

/// A process function as a class: see the top of this file.
template <class F>
constexpr auto process(F f) {
  if constexpr (detail::process_function_class<F>) {
    return process_operator<F>{{}, std::move(f)};
  } else {
    static_assert(
        detail::never<F>,
        "spillway: process needs a class with `main` and `emits`, or process<Main>(emits<tags...>{}, lambda) for a lambda");
    return refused_operator{};
  }
}

/// A process function as a lambda: `process<Main>(emits<tags...>{}, [](auto& ctx, const record& r) { ... })`.
template <class Main, const auto&... Tags, class F>
constexpr auto process(emits<Tags...>, F f) {
  using function = detail::process_lambda<Main, emits<Tags...>, F>;
  return process_operator<function>{{}, function{std::move(f)}};
}

}  // namespace spillway
