// Whether an inlet takes records: opened and shut by the host and by the pipeline, asked by every push.
//
// Any thread, unless said otherwise.
// 1. `close` is the host's and final: what was handed over before is still taken, then the source ends. `stopped` is the pipeline's: what was
//    not taken by then stays where it is; another source may be attached later and takes it.
// 2. A push marks itself before it asks `taking`, and the source asks `closed` before it looks for marks. Both are sequentially consistent, so a
//    push that the gate let in is seen by the source before it ends: no record goes into an inlet behind its end.
//
//     detail::inlet_gate gate;
//     std::atomic<bool> pushing{false};               // of a producer's place
//     auto push = [&] {
//       const detail::push_mark inside(pushing);
//       return gate.taking();                         // and puts a record into its ring
//     };
//     assert(push());
//     gate.close();
//     assert(!push() && gate.closed() && !pushing);
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/runtime/process_mark.hpp"
#include "spillway/runtime/stage_link.hpp"

namespace spillway::detail {

class inlet_gate : public stage_link {
 public:
  bool taking() const noexcept { return shut_.load() == 0; }
  bool closed() const noexcept { return (shut_.load() & by_host) != 0; }
  void close() noexcept { shut_.fetch_or(by_host); }
  void stopped() noexcept override { shut_.fetch_or(by_pipeline); }

  /// A source begins to belong to the inlet. One thread. Throws std::logic_error while there is another.
  void attach() {
    if (attached_.exchange(true)) {
      throw std::logic_error(
          "spillway: an inlet feeds one stage; its source() may be asked for again once that pipeline is gone");
    }
    shut_.fetch_and(~by_pipeline);
  }
  void detach() noexcept {
    stopped();
    attached_.store(false);
  }

  /// The stage starts, in this process.
  void begin() {
    // Relaxed: a forked child has one thread, and its fork came after.
    started_.store(process_mark::here(), std::memory_order_relaxed);
  }
  SPILLWAY_INLINE bool in_its_process() const noexcept { return started_.load(std::memory_order_relaxed).valid(); }
  SPILLWAY_INLINE void check_process() const { started_.load(std::memory_order_relaxed).check(); }

 private:
  static constexpr unsigned by_host = 1;
  static constexpr unsigned by_pipeline = 2;

  std::atomic<unsigned> shut_{0};
  std::atomic<bool> attached_{false};
  std::atomic<process_mark> started_{process_mark()};
};

/// A push that is going on, where one thread at a time pushes.
class push_mark {
 public:
  explicit push_mark(std::atomic<bool>& pushing) noexcept : pushing_(pushing) { pushing_.store(true); }
  // Release pairs with the source's load of the mark: it sees what was pushed.
  ~push_mark() { pushing_.store(false, std::memory_order_release); }
  push_mark(const push_mark&) = delete;
  push_mark& operator=(const push_mark&) = delete;

 private:
  std::atomic<bool>& pushing_;
};

/// A source's hold on the state of its inlet: goes from object to object as the stage is moved, and ends with the pipeline.
template <class State>
class inlet_hold {
 public:
  explicit inlet_hold(std::shared_ptr<State> state) : state_(std::move(state)) { state_->attach(); }
  inlet_hold(inlet_hold&&) noexcept = default;
  inlet_hold& operator=(inlet_hold&&) = delete;
  ~inlet_hold() {
    if (state_) state_->detach();
  }
  State& operator*() const noexcept { return *state_; }
  State* operator->() const noexcept { return state_.get(); }
  std::shared_ptr<State> shared() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace spillway::detail
