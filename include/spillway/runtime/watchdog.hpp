// A thread that tells the report hook of stages that make no progress.
//
// Made and destroyed by the thread that controls the pipeline. The hook is called from the watchdog's thread.
// 1. It looks four times within its patience, reads counts only, and sleeps in between.
// 2. The thread is called "watchdog" and ends with the object.
//
//     sw::pipeline p(sw::stage<"numbers">(sw::any_cpu{}, sw::source(sw::elements{1, 2, 3}) | sw::discard()));
//     p.on_report([](std::string_view text) { std::cerr << text << '\n'; });
//     p.run({.watchdog = 5s});
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "spillway/runtime/progress_watch.hpp"

namespace spillway {

class watchdog {
 public:
  /// Starts the thread. Throws std::system_error.
  watchdog(const plan& p, std::chrono::nanoseconds patience);
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  void look();

  const plan& plan_;
  std::chrono::nanoseconds patience_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace spillway
