// What one check of the host found, and what to do about it.
//
// Values.
// 1. A finding is one line: `ok|change|unknown  <what>: <found>; <what to do>`.
// 2. `unknown` means that the host does not show it here, as in a container; what to do then says who can look.
//
//     line_of({verdict::change, "governor", "powersave", "cpupower frequency-set -g performance"})
#pragma once

#include <fmt/format.h>

#include <string>

namespace spillway::tool {

enum class verdict { ok, change, unknown };

struct finding {
  verdict state;
  std::string what;
  std::string found;
  std::string to_do = "nothing to do";
};

inline std::string line_of(const finding& f) {
  const char* state = f.state == verdict::ok ? "ok" : f.state == verdict::change ? "change" : "unknown";
  return fmt::format("{:<8} {}: {}; {}\n", state, f.what, f.found, f.to_do);
}

}  // namespace spillway::tool
