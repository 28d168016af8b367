// A stage that the host runs: the duty cycle of a stage placed `host_polled`, called from a thread of the host's own.
//
// `poll` belongs to one thread of the host, the first that calls it; `done` and `name` to any thread.
// 1. The first `poll` starts the stage, so its operators are opened in that thread; the `poll` that finds it finished, aborted or failed closes
//    them there. Each happens once.
// 2. `poll` never waits and never throws what an operator threw: that ends the pipeline and comes out of `join`, as on a thread of the runner.
// 3. Until it is done the stage counts as running: `join` and `wait_for` wait for it.
//
//     int sum = 0;
//     sw::pipeline p(sw::stage<"fills">(sw::host_polled{}, sw::source(sw::elements{1, 2, 3}) | sw::sink([&](int n) { sum += n; })));
//     p.start();
//     sw::polled_agent& fills = p.polled("fills");
//     sw::idler idle(sw::idle_strategy::backoff);
//     while (!fills.done()) idle(fills.poll());
//     p.join();
//     assert(sum == 6);
#pragma once

#include <atomic>
#include <exception>
#include <string_view>
#include <thread>

#include "spillway/runtime/agent.hpp"
#include "spillway/runtime/process_mark.hpp"

namespace spillway {

class runner;

class polled_agent {
 public:
  /// `aborted`: set when the whole pipeline is to end where it stands.
  polled_agent(runner& owner, agent& a, const std::atomic<bool>& aborted, process_mark started);
  polled_agent(const polled_agent&) = delete;
  polled_agent& operator=(const polled_agent&) = delete;

  /// The stage's name, for replicas with their number.
  std::string_view name() const noexcept { return agent_.name(); }

  /// Runs one duty cycle and returns how much it did. Throws std::logic_error in a forked child, and nothing else.
  SPILLWAY_INLINE std::size_t poll() {
    started_.check();
    // Relaxed: the polling thread reads what it stored itself; the state that another may store is told apart in begin().
    if (state_.load(std::memory_order_relaxed) != state::running) [[unlikely]] {
      if (!begin()) return 0;
    }
    // Relaxed: the flag only ends the stage; nothing is read on the strength of it.
    if (aborted_.load(std::memory_order_relaxed)) [[unlikely]]
      return finish();
    if (gate_ != nullptr && !gate_->ready()) return 0;
    std::size_t done = 0;
    try {
      done = agent_.do_work();
    } catch (...) {
      return fail(std::current_exception());
    }
    if (agent_.finished()) [[unlikely]]
      finish();
    return done;
  }

  /// No duty cycle will follow.
  bool done() const noexcept {
    // Acquire pairs with the release store in finish(): what the stage did is seen.
    return state_.load(std::memory_order_acquire) == state::closed;
  }

 private:
  friend class runner;
  enum class state { waiting, starting, running, closed };

  /// Starts the stage. False when it is over, or fails to start.
  bool begin();
  std::size_t finish() noexcept;
  std::size_t fail(std::exception_ptr cause) noexcept;

  /// Ends a stage that nobody has polled yet. Any thread.
  void give_up() noexcept;
  /// Closes the stage in the calling thread. Requires: no other thread polls it from here on.
  void take_over() noexcept;
  bool polled_here() const noexcept;
  /// Tells the handles of the host which agent is theirs, or that there is none any more.
  void tell_links(polled_agent* self) noexcept;

  runner& runner_;
  agent& agent_;
  const std::atomic<bool>& aborted_;
  process_mark started_;
  const stage_link* gate_ = nullptr;  // the outlet that takes the stage's records
  std::atomic<state> state_{state::waiting};
  std::thread::id thread_;  // that polls; read once the state says running
};

}  // namespace spillway
