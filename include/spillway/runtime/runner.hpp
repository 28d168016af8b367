// Runs the agents of a plan: on pinned threads, on one thread, on the caller's, or on threads of the host that poll them.
//
// `start`, `join` and the destructor belong to one controlling thread; `stop` and `abort` may be called from any thread, and from a signal
// handler's thread if not from the handler itself.
// 1. All that can be refused is refused before a thread starts: a CPU outside the allowed set, spinning with more threads than CPUs or with
//    several threads tied to one.
// 2. The first exception of an operator ends all threads and comes out of `join`, with stage and operator named.
// 3. `stop` ends the sources: the final watermark fires what is due, everything drains. `abort` leaves things where they are.
// 4. No thread survives the destructor. Operators are closed once, in the thread that opened them; but what the host polled and left
//    unfinished, the destructor closes in its own thread: the host has stopped polling by then.
// 5. `join` and `wait_for` wait for polled stages too. Called in a thread that polls some, they poll these meanwhile; stages that nobody has
//    polled yet are waited for, unless the pipeline is aborted.
// 6. No signal handler is installed and no signal mask changed. In a forked child all but the destructor throws std::logic_error, and the
//    destructor does nothing.
//
//     int sum = 0;
//     pipeline p(stage<"sum">(any_cpu{}, source(elements{1, 2, 3}) | sink([&](int n) { sum += n; })));
//     runner r(p.lowered(), {.idle = idle_strategy::yield});
//     r.start();
//     r.join();
//     assert(sum == 6 && r.done());
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "spillway/runtime/errors.hpp"
#include "spillway/runtime/explain.hpp"
#include "spillway/runtime/idle_strategy.hpp"
#include "spillway/runtime/plan.hpp"
#include "spillway/runtime/polled_agent.hpp"
#include "spillway/runtime/process_mark.hpp"
#include "spillway/runtime/watchdog.hpp"

namespace spillway {

struct run_options {
  idle_strategy idle = idle_strategy::backoff;
  /// All stages in turn on one thread, placements aside.
  bool one_thread = false;
  /// No thread at all: the host polls every stage, by `pipeline::poll` from one thread, placements aside.
  bool host_polled = false;
  /// A thread of its own tells the report hook of stages that make no progress for so long; 0: none.
  std::chrono::nanoseconds watchdog{0};
};

class runner {
 public:
  explicit runner(plan& p, run_options options = {});
  ~runner();
  runner(const runner&) = delete;
  runner& operator=(const runner&) = delete;

  /// Starts the threads. Throws std::invalid_argument when a placement or the idle strategy cannot be had.
  void start();
  /// Waits for the end and throws what an operator threw.
  void join();
  /// Runs everything on the calling thread, to the end.
  void run_here();

  void stop() noexcept;
  void abort() noexcept;

  /// One duty cycle of each polled stage, in the order of the pipeline; returns how much they did.
  std::size_t poll();
  /// The polled stage of that name. Throws std::invalid_argument, which names those there are.
  polled_agent& polled(std::string_view name) const;
  /// Every stage has ended, so that `join` would not wait. Any thread.
  bool done() const noexcept {
    // Acquire pairs with the release store in one_ended(): what the stages did is seen.
    return running_.load(std::memory_order_acquire) == 0;
  }
  /// False in a forked child of the process that made this runner.
  bool in_its_process() const noexcept { return made_.valid(); }
  /// Throws std::logic_error in such a child.
  void check_process() const { made_.check(); }

  /// The threads that `start` would make or has made. Throws std::invalid_argument when a placement cannot be had.
  std::vector<thread_line> threads() const;

  /// Waits up to `timeout` for the end; false if it did not come. Requires: started.
  bool wait_for(std::chrono::nanoseconds timeout);

 private:
  friend class polled_agent;
  struct group {
    std::string name;
    int cpu = -1;
    std::vector<agent*> agents;
  };

  bool host_polls(const agent& a) const noexcept { return options_.host_polled || a.where().where == placement::kind::host; }
  std::vector<group> make_groups() const;
  void make_polled();
  /// Polls the stages that the calling thread polls until all of them are done; false when `give_up()` is true before.
  template <class F>
  bool poll_own(F&& give_up);
  void one_ended() noexcept;
  int cpu_for(const agent& a) const;
  void check_idle(const std::vector<group>& groups) const;
  /// A CPU that several groups are tied to, or -1.
  static int shared_cpu(const std::vector<group>& groups);
  void run_group(const group& g, bool own_thread) noexcept;
  void cycle_until_done(const group& g, agent*& current);
  void close_group(const group& g) noexcept;
  void fail(const agent& a, std::exception_ptr cause) noexcept;
  void rethrow();

  plan& plan_;
  run_options options_;
  process_mark made_ = process_mark::here();
  bool crowded_ = false;
  std::vector<std::thread> threads_;
  std::unique_ptr<watchdog> watchdog_;
  std::atomic<bool> aborted_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::atomic<std::size_t> running_{0};  // stored under the mutex
  std::exception_ptr error_;
  std::vector<std::unique_ptr<polled_agent>> polled_;
};

}  // namespace spillway
