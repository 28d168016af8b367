// The beginning of a stage: hands records to the fused chain behind it.
//
// Runs in its stage's thread.
// 1. A source is an object with `record` (its record type) and `source_status poll(auto& out, std::size_t limit)`, which calls `out.emit(r)` at most
//    `limit` times, stops early when `out.full()`, and never waits. `open(stage_context&)` and `close()` are called if it has them.
// 2. Or it is a function that returns std::optional<record>; an empty one means the end.
// 3. A source that knows event time says `static constexpr bool has_timestamps = true`, and may call `out.emit(r, timestamp)` and
//    `out.watermark(w)`.
// 4. A source that has `position()`, the number of records it has emitted so far, is counted by it, which spares the loop a counter.
//    Mark `poll` SPILLWAY_INLINE where nanoseconds count: GCC 12 may otherwise keep it out of line, and the whole chain with it.
// 5. After `stop`, a source is not asked again; its records so far are processed to the end.
//
//     struct countdown {                              // as an object
//       using record = int;
//       int next = 3;
//       sw::source_status poll(auto& out, std::size_t limit) {
//         for (; limit > 0 && next > 0 && !out.full(); --limit) out.emit(next--);
//         return next > 0 ? sw::source_status::active : sw::source_status::ended;
//       }
//     };
//
//     assert((collect(sw::source(countdown())) == std::vector{3, 2, 1}));
//     auto numbers = sw::source([n = 0]() mutable { return n < 3 ? std::optional(n++) : std::nullopt; });      // as a function
//     assert((collect(std::move(numbers)) == std::vector{0, 1, 2}));
#pragma once

#include <cstddef>
#include <optional>

#include "spillway/operators/operator.hpp"

namespace spillway {

/// `active`: ask again at once; `idle`: nothing now, ask again later; `ended`: nothing will follow.
enum class source_status { active, idle, ended };

namespace detail {
struct source_probe {
  template <class R>
  void emit(R&&) {}
  template <class R>
  void emit(R&&, timestamp) {}
  void watermark(timestamp) {}
  bool full() const { return false; }
};
template <class S>
concept polled_source = requires(S& s, source_probe& out) {
  typename S::record;
  { s.poll(out, std::size_t{}) } -> std::same_as<source_status>;
};
template <class S>
concept called_source = std::invocable<S&> && is_optional<std::remove_cvref_t<std::invoke_result_t<S&>>>;

/// Makes a source of a function that returns std::optional.
template <class F>
struct function_source {
  using record = typename std::remove_cvref_t<std::invoke_result_t<F&>>::value_type;
  [[no_unique_address]] F f;

  template <class Out>
  SPILLWAY_INLINE source_status poll(Out& out, std::size_t limit) {
    for (std::size_t n = 0; n < limit && !out.full(); ++n) {
      auto next = f();
      if (!next) return source_status::ended;
      out.emit(std::move(*next));
    }
    return source_status::active;
  }
};

template <class S>
inline constexpr bool source_has_timestamps = false;
template <class S>
  requires requires { S::has_timestamps; }
inline constexpr bool source_has_timestamps<S> = S::has_timestamps;
}  // namespace detail

/// The head of a stage's expression that reads no other stage.
template <class Source>
struct source_head {
  using is_head = void;
  using emits = tag_list<>;
  using on_tags = tag_list<>;
  using reads = tag_list<>;
  static constexpr int length = 0;
  using output = stream<typename Source::record, no_key,
                        std::conditional_t<detail::source_has_timestamps<Source>, timed, untimed>, text_home::source>;
  Source source;
};

/// What is a head already.
template <class S>
constexpr source_head<S> source(source_head<S> head) {
  return head;
}

/// A source object, or a function that returns std::optional<record>.
template <class S>
constexpr auto source(S s) {
  if constexpr (detail::polled_source<S>) {
    return source_head<S>{std::move(s)};
  } else if constexpr (detail::called_source<S>) {
    return source_head<detail::function_source<S>>{{std::move(s)}};
  } else {
    static_assert(
        detail::never<S>,
        "spillway: source needs an object with `record` and source_status poll(auto& out, std::size_t limit), or a function that returns "
        "std::optional<record>");
    return poison{};
  }
}

}  // namespace spillway
