#include "spillway/run/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

namespace spillway::tool {

namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_interrupt(int) {
  if (flag.exchange(true)) ::_exit(130);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

const std::atomic<bool>& interrupt_flag() noexcept { return flag; }

}  // namespace spillway::tool
