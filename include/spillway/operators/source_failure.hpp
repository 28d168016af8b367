// Fails a source from any thread: a feed handler's callback thread, a watchdog, a signal thread.
//
// `fail` may be called from any thread, as long as the handle lives; copies stand for the same source.
// 1. The source throws the exception at its next duty cycle: the pipeline stops, and `run` throws a pipeline_error that names the stage, with the
//    exception as its cause.
// 2. The first wins. Before the start it waits for it; after the source's end it changes nothing, and `fail` says so.
//
//     sw::source_failure failure;
//     sw::pipeline p(sw::stage<"feed">(sw::any_cpu{}, sw::source([] { return std::optional(1); }, failure) | sw::discard()));
//     p.start();
//     failure.fail(std::make_exception_ptr(std::runtime_error("the session was closed")));
//     bool told = false;
//     try { p.join(); } catch (const sw::pipeline_error& e) { told = e.stage() == "feed"; }
//     assert(told);
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "spillway/operators/source.hpp"
#include "spillway/operators/stage_context.hpp"

namespace spillway {

namespace detail {
struct failure_state {
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr cause;  // guarded by the mutex, as is:
  bool over = false;
};
}  // namespace detail

class source_failure {
 public:
  source_failure() : state_(std::make_shared<detail::failure_state>()) {}

  /// True: the source will throw `cause`. False: it has ended, or was failed before. Requires: `cause` is not null.
  bool fail(std::exception_ptr cause) const {
    const std::lock_guard lock(state_->mutex);
    if (state_->over || state_->cause) return false;
    state_->cause = std::move(cause);
    // Release pairs with the source's acquire load: it sees the cause.
    state_->failed.store(true, std::memory_order_release);
    return true;
  }

  const std::shared_ptr<detail::failure_state>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<detail::failure_state> state_;
};

namespace detail {

/// A source that looks, before it is asked, whether it was failed.
template <class Source>
class failable_source {
 public:
  using record = typename Source::record;
  static constexpr bool has_timestamps = source_has_timestamps<Source>;

  failable_source(Source source, std::shared_ptr<failure_state> state) : source_(std::move(source)), state_(std::move(state)) {}

  void open(stage_context& stage) {
    if constexpr (requires { source_.open(stage); }) source_.open(stage);
  }
  template <class Out>
  SPILLWAY_INLINE source_status poll(Out& out, std::size_t limit) {
    // Acquire pairs with the release store in fail().
    if (state_->failed.load(std::memory_order_acquire)) [[unlikely]]
      throw_cause();
    return source_.poll(out, limit);
  }
  std::uint64_t position() const
    requires requires(const Source& s) { s.position(); }
  {
    return source_.position();
  }
  /// What the host holds of the source, if it holds anything.
  auto link() const
    requires requires(const Source& s) { s.link(); }
  {
    return source_.link();
  }
  void close() {
    {
      const std::lock_guard lock(state_->mutex);
      state_->over = true;
    }
    if constexpr (requires { source_.close(); }) source_.close();
  }

 private:
  SPILLWAY_COLD [[noreturn]] void throw_cause() {
    std::exception_ptr cause;
    {
      const std::lock_guard lock(state_->mutex);
      cause = state_->cause;
    }
    std::rethrow_exception(cause);
  }

  Source source_;
  std::shared_ptr<failure_state> state_;
};

}  // namespace detail

/// A source that `failure.fail(...)` ends with an exception.
template <class S>
auto source(S s, const source_failure& failure) {
  auto head = source(std::move(s));
  if constexpr (std::is_same_v<decltype(head), poison>) {
    return poison{};
  } else {
    using inner = decltype(head.source);
    return source_head<detail::failable_source<inner>>{{std::move(head.source), failure.state()}};
  }
}

}  // namespace spillway
