// What a window operator lets its user choose beside the windows themselves.
//
// A plain value, free of threads.
// 1. A negative lateness is refused when the operator is made (Flink, WindowOperatorBuilder).
//
//     auto counts = collect(readings()
//                           | sw::key_by(&reading::sensor)
//                           | sw::window(sw::tumbling(1s), {.allowed_lateness = 200ms, .expected_keys = 10'000})
//                           | sw::aggregate(sw::count()));
//     assert(counts.size() == 3);
#pragma once

#include <chrono>
#include <cstddef>
#include <stdexcept>

namespace spillway {

struct window_options {
  /// How long after its end a window still takes records; it fires again for each of them.
  std::chrono::nanoseconds allowed_lateness{};
  /// Keys for which tables are sized before the first record. More keys are no error: tables grow, and the growth is counted.
  std::size_t expected_keys = 0;
};

/// The options themselves. Throws std::invalid_argument for a negative lateness.
inline const window_options& checked(const window_options& options) {
  if (options.allowed_lateness < std::chrono::nanoseconds::zero()) {
    throw std::invalid_argument("spillway: window(...): allowed_lateness is negative; give 0 or more");
  }
  return options;
}

}  // namespace spillway
