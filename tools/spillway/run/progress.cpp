#include "spillway/run/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace spillway::tool {

progress_line::progress_line(progress_mode mode)
    : terminal_(::isatty(STDERR_FILENO) == 1),
      wanted_(mode == progress_mode::always || (mode == progress_mode::automatic && terminal_)) {}

void progress_line::show(std::uint64_t lines) {
  const auto now = clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  if (!wanted_ || seconds < (terminal_ ? 0.25 : 1.0)) return;
  const std::string line = fmt::format("{}{} lines, {:.1f} million a second{}", terminal_ ? "\r\033[K" : "", lines,
                                       static_cast<double>(lines - last_lines_) / seconds / 1e6, terminal_ ? "" : "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  shown_ = true;
  last_ = now;
  last_lines_ = lines;
}

void progress_line::clear() {
  if (shown_ && terminal_) std::fputs("\r\033[K", stderr);
}

}  // namespace spillway::tool
