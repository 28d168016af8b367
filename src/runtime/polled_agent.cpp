#include "spillway/runtime/polled_agent.hpp"

#include "spillway/core/endpoint_owner.hpp"
#include "spillway/runtime/runner.hpp"

namespace spillway {

polled_agent::polled_agent(runner& owner, agent& a, const std::atomic<bool>& aborted, process_mark started)
    : runner_(owner), agent_(a), aborted_(aborted), started_(started) {
  if (!a.links().empty()) gate_ = a.links().back().get();
}

bool polled_agent::begin() {
  state before = state::waiting;
  // Acquire pairs with the release store of another thread's finish or give_up; release, in the store below, with done() and polled_here().
  if (!state_.compare_exchange_strong(before, state::starting, std::memory_order_acquire)) return false;
  thread_ = std::this_thread::get_id();
  state_.store(state::running, std::memory_order_release);
  if (aborted_.load(std::memory_order_relaxed)) return true;  // poll() ends it
  try {
    agent_.start();
  } catch (...) {
    fail(std::current_exception());
    return false;
  }
  return true;
}

std::size_t polled_agent::finish() noexcept {
  if (const std::exception_ptr thrown = agent_.close()) runner_.fail(agent_, thrown);
  agent_.wake_links();
  // Release pairs with the acquire load in done().
  state_.store(state::closed, std::memory_order_release);
  runner_.one_ended();
  return 0;
}

std::size_t polled_agent::fail(std::exception_ptr cause) noexcept {
  runner_.fail(agent_, std::move(cause));
  return finish();
}

void polled_agent::give_up() noexcept {
  state before = state::waiting;
  if (!state_.compare_exchange_strong(before, state::closed, std::memory_order_acq_rel)) return;
  agent_.request_stop();
  runner_.one_ended();
}

void polled_agent::take_over() noexcept {
  if (state_.load(std::memory_order_acquire) != state::running) return;
  const endpoint_owner::take_over from_its_thread;
  finish();
}

bool polled_agent::polled_here() const noexcept {
  return state_.load(std::memory_order_acquire) == state::running && thread_ == std::this_thread::get_id();
}

void polled_agent::tell_links(polled_agent* self) noexcept {
  for (const auto& link : agent_.links()) link->polled_by(self);
}

}  // namespace spillway
