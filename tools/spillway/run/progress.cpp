#include "spillway/run/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace spillway::tool {

progress_line::progress_line(progress_mode mode)
    : terminal_(::isatty(STDERR_FILENO) == 1), wanted_(mode == progress_mode::always || (mode == progress_mode::automatic && terminal_)) {}

void progress_line::show(std::uint64_t lines) {
  const auto now = clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  if (!wanted_ || seconds < (terminal_ ? 0.25 : 1.0)) return;
  fmt::print(stderr, "{}{} lines, {:.1f} million a second{}", terminal_ ? "\r\033[K" : "", lines, static_cast<double>(lines - last_lines_) / seconds / 1e6,
             terminal_ ? "" : "\n");
  std::fflush(stderr);
  shown_ = true;
  last_ = now;
  last_lines_ = lines;
}

void progress_line::clear() {
  if (shown_ && terminal_) fmt::print(stderr, "\r\033[K");
}

}  // namespace spillway::tool
