// A count that one thread writes and any thread may read while it runs.
//
// `add` and `set` belong to one thread, `get` to all.
// 1. A single writer needs no read-modify-write: `add` is a relaxed load and a relaxed store.
// 2. Relaxed is enough because a count orders nothing: no reader derives from it that other memory is ready.
//
//     counter dropped;
//     dropped.add();                                  // its one writer
//     std::uint64_t so_far = dropped.get();           // anyone, at any time
//     assert(so_far == 1);
#pragma once

#include <atomic>
#include <cstdint>

namespace spillway {

class counter {
 public:
  void add(std::uint64_t n = 1) noexcept { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  void set(std::uint64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace spillway
