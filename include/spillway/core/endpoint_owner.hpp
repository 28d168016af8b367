// Which thread holds one end of a ring, checked in builds without NDEBUG only.
//
// `take` and `give_back` bracket the use of an endpoint; in between all calls come from the thread that took it.
// 1. With NDEBUG every function is empty. The field stays, so that the layout of a ring does not depend on the flag.
// 2. A thread is known by the address of a thread-local variable; nothing is allocated or asked of the system.
//
//     endpoint_owner writer;
//     writer.take();                                  // when the end is opened
//     writer.check();                                 // in its verbs
//     writer.give_back();                             // when it is closed
//     writer.check_closed();                          // before the ring goes
#pragma once

#include <atomic>
#include <cassert>

namespace spillway {

class endpoint_owner {
 public:
  /// While one lives, the calling thread may close what another opened that will not touch it again.
  class take_over {
   public:
    take_over() noexcept { mark(true); }
    ~take_over() { mark(false); }
    take_over(const take_over&) = delete;
    take_over& operator=(const take_over&) = delete;
  };

  /// Requires: the endpoint is not open.
  void take() noexcept {
#ifndef NDEBUG
    // Relaxed: the mark guards against misuse and orders nothing; handing an endpoint to another thread is ordered by the user.
    [[maybe_unused]] const void* before = thread_.exchange(this_thread(), std::memory_order_relaxed);
    assert(before == nullptr && "spillway: this end of the ring is already open; close it first");
#endif
  }

  /// Requires: the calling thread opened the endpoint.
  void check() const noexcept {
#ifndef NDEBUG
    assert((thread_.load(std::memory_order_relaxed) == this_thread() || taken_over()) &&
           "spillway: this end of the ring was opened by another thread, or is closed");
#endif
  }

  /// Requires: the calling thread opened the endpoint.
  void give_back() noexcept {
#ifndef NDEBUG
    check();
    thread_.store(nullptr, std::memory_order_relaxed);
#endif
  }

  /// Requires: the endpoint is closed.
  void check_closed() const noexcept {
#ifndef NDEBUG
    assert(thread_.load(std::memory_order_relaxed) == nullptr && "spillway: close both ends of a ring before it is destroyed");
#endif
  }

 private:
  static void mark([[maybe_unused]] bool on) noexcept {
#ifndef NDEBUG
    taken_over() = on;
#endif
  }
#ifndef NDEBUG
  static bool& taken_over() noexcept {
    static thread_local bool on = false;
    return on;
  }
#endif
  static const void* this_thread() noexcept {
    static thread_local char mark = 0;
    return &mark;
  }

  std::atomic<const void*> thread_{nullptr};
};

}  // namespace spillway
