#include "spillway/runtime/watchdog.hpp"

#include "spillway/runtime/affinity.hpp"

namespace spillway {

watchdog::watchdog(const plan& p, std::chrono::nanoseconds patience)
    : plan_(p), patience_(patience), thread_([this] { look(); }) {}

watchdog::~watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void watchdog::look() {
  name_this_thread("watchdog");
  progress_watch watch(plan_);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, patience_ / 4, [this] { return over_; })) {
    for (const stalled_stage& s : watch.stalled(std::chrono::steady_clock::now(), patience_)) {
      if (*plan_.hook()) (*plan_.hook())(s.text());
    }
  }
}

}  // namespace spillway
