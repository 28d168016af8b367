// Runs the agents of a plan: on pinned threads, on one thread, or on the caller's.
//
// `start`, `join` and the destructor belong to one controlling thread; `stop` and `abort` may be called from any thread, and from a signal
// handler's thread if not from the handler itself.
// 1. All that can be refused is refused before a thread starts: a CPU outside the allowed set, spinning with more threads than CPUs or with
//    several threads tied to one.
// 2. The first exception of an operator ends all threads and comes out of `join`, with stage and operator named.
// 3. `stop` ends the sources: the final watermark fires what is due, everything drains. `abort` leaves things where they are.
// 4. No thread survives the destructor. Operators are closed once, in the thread that opened them.
//
//     spillway::runner r(plan, {.idle = spillway::idle_strategy::yield});  r.start();  r.stop();  r.join();
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "spillway/runtime/errors.hpp"
#include "spillway/runtime/explain.hpp"
#include "spillway/runtime/idle_strategy.hpp"
#include "spillway/runtime/plan.hpp"
#include "spillway/runtime/watchdog.hpp"

namespace spillway {

struct run_options {
  idle_strategy idle = idle_strategy::backoff;
  /// All stages in turn on one thread, placements aside.
  bool one_thread = false;
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

  /// The threads that `start` would make or has made. Throws std::invalid_argument when a placement cannot be had.
  std::vector<thread_line> threads() const;

  /// Waits up to `timeout` for the end; false if it did not come. Requires: started.
  bool wait_for(std::chrono::nanoseconds timeout);

 private:
  struct group {
    std::string name;
    int cpu = -1;
    std::vector<agent*> agents;
  };

  std::vector<group> make_groups() const;
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
  bool crowded_ = false;
  std::vector<std::thread> threads_;
  std::optional<watchdog> watchdog_;
  std::atomic<bool> aborted_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t running_ = 0;
  std::exception_ptr error_;
};

}  // namespace spillway
