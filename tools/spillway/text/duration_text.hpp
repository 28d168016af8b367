// Spans of time as options write them: 500ms, 1s, 5m, 1h, 1d, 250us, 10ns, 1.5s, -2h, and 0.
//
// Pure functions, for any thread.
// 1. A duration is exact in nanoseconds or an error; nothing is rounded.
//
//     std::chrono::nanoseconds size = parse_duration("1.5s");           // 1500000000 ns
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace spillway::tool {

/// Errors: std::invalid_argument, whose text quotes `text` and says what is wrong and how to write it. Negative ones are allowed;
/// the caller knows where they make sense.
std::chrono::nanoseconds parse_duration(std::string_view text);

/// The shortest whole number of the largest unit that gives it exactly: "90s" rather than "1.5m", "0s" for zero.
std::string print_duration(std::chrono::nanoseconds duration);

}  // namespace spillway::tool
