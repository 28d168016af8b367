// SIGINT: the first one ends the reading, the second the process.
//
// 1. The flag is what inputs look at; the handler only sets it. 2. SIGPIPE is ignored, so that a closed pipe is an error of the write.
//
//     install_signal_handlers();  if (interrupted()) ...
#pragma once

#include <atomic>

namespace spillway::tool {

void install_signal_handlers();

/// Set once SIGINT came.
const std::atomic<bool>& interrupt_flag() noexcept;

}  // namespace spillway::tool
