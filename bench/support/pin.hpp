// Pinning for benchmarks, and a word about hosts where the figures mean little.
#pragma once

#include <cstdio>
#include <vector>

#include "spillway/runtime/affinity.hpp"

namespace bench {

/// The CPUs that the process may use, asked for once: a thread that was pinned, and those that it starts, may use fewer.
inline const std::vector<int>& cpus() {
  static const std::vector<int> all = spillway::allowed_cpus();
  return all;
}

/// The n-th CPU that the process may use; the last one where there are fewer.
inline int nth_cpu(std::size_t n) { return cpus()[n < cpus().size() ? n : cpus().size() - 1]; }

inline void pin(std::size_t n) { spillway::pin_this_thread(nth_cpu(n)); }

/// Says once when two threads cannot have a CPU each.
inline void warn_if_unfit() {
  static const bool warned = [] {
    if (cpus().size() < 2) std::fprintf(stderr, "host unfit for figures of two threads: one CPU only\n");
    return true;
  }();
  (void)warned;
}

}  // namespace bench
