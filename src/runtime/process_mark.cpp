#include "spillway/runtime/process_mark.hpp"

#include <pthread.h>

#include <new>
#include <stdexcept>

namespace spillway {

struct fork_counter {
  static void count() noexcept { process_mark::forks_behind_.fetch_add(1, std::memory_order_relaxed); }
  static bool install() {
    if (pthread_atfork(nullptr, nullptr, count) != 0) throw std::bad_alloc();
    return true;
  }
};

process_mark process_mark::here() {
  [[maybe_unused]] static const bool installed = fork_counter::install();
  process_mark mark;
  mark.forks_ = forks_behind_.load(std::memory_order_relaxed);
  return mark;
}

void process_mark::refuse() {
  throw std::logic_error(
      "spillway: this pipeline was started before the fork, and a forked child has none of its threads; fork before the start, or make "
      "another pipeline in the child");
}

}  // namespace spillway
