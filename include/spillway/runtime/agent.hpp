// A stage that can be run: the boundary behind which its types are gone.
//
// `do_work` and its neighbours belong to the one thread that runs the agent; `request_stop` and the counts may be used from any thread.
// 1. `start`, then `do_work` until `finished()`, then `close`. `do_work` never waits and returns how much it did; idling is the runner's.
// 2. `close` may follow at any moment and runs once; it closes every operator that was opened, whatever they throw.
// 3. One indirect call per duty cycle, none per record.
//
//     int sum = 0;
//     pipeline p(stage<"sum">(any_cpu{}, source(elements{1, 2, 3}) | sink([&](int n) { sum += n; })));
//     agent& a = *p.lowered().agents().front();
//     idler idle(idle_strategy::backoff);
//     a.start();
//     while (!a.finished()) idle(a.do_work());
//     a.close();
//     assert(sum == 6 && a.counts().records_in == 3);
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "spillway/graph/placement.hpp"
#include "spillway/operators/stage_context.hpp"
#include "spillway/runtime/output_port.hpp"
#include "spillway/runtime/stage_counts.hpp"
#include "spillway/runtime/stage_link.hpp"

namespace spillway {

class plan;

class agent {
 public:
  virtual ~agent() = default;
  agent(const agent&) = delete;
  agent& operator=(const agent&) = delete;

  /// The stage's name, for replicas with their number: how it is called in reports.
  std::string_view name() const noexcept { return context().name(); }
  /// The stage's name, which all its replicas share.
  std::string_view stage_name() const noexcept { return stage_name_; }
  placement where() const noexcept { return where_; }
  virtual const stage_context& context() const noexcept = 0;

  /// Makes the edges that this stage reads; the emitting stages are in the plan already.
  virtual void connect(plan& p) = 0;
  virtual std::vector<output_port*> ports() = 0;

  virtual void start() = 0;
  virtual std::size_t do_work() = 0;
  virtual bool finished() const noexcept = 0;
  /// The first exception that an operator's `close` threw, or null.
  virtual std::exception_ptr close() noexcept = 0;

  /// Ends the stage's source, if it has one, at its next duty cycle.
  void request_stop() noexcept {
    // Release pairs with the acquire load in stop_requested: what the caller wrote before is seen by what runs after the end.
    stop_.store(true, std::memory_order_release);
    wake_links();
  }

  /// What the host holds of this stage. Fixed before the start.
  void add_links(std::vector<std::shared_ptr<stage_link>> links) { links_ = std::move(links); }
  const std::vector<std::shared_ptr<stage_link>>& links() const noexcept { return links_; }
  /// Tells the host's handles that the stage takes nothing more.
  void wake_links() noexcept {
    for (const auto& link : links_) link->stopped();
  }

  /// All input was processed and handed on: no duty cycle will follow. Any thread.
  bool ended() const noexcept { return ended_.get() != 0; }

  stage_counts counts() const noexcept {
    return {records_in_.get(), duty_cycles_.get(), idle_cycles_.get(),
            context().memory().growth_events() - growth_at_start_.get(), timestamp(static_cast<std::int64_t>(watermark_.get()))};
  }

 protected:
  agent(std::string_view stage_name, placement where) : stage_name_(stage_name), where_(where) {
    watermark_.set(static_cast<std::uint64_t>(timestamp::minimum().ns));
  }

  bool stop_requested() const noexcept { return stop_.load(std::memory_order_acquire); }

  counter records_in_;
  counter duty_cycles_;
  counter idle_cycles_;
  counter growth_at_start_;
  counter ended_;
  counter watermark_;

 private:
  std::string_view stage_name_;  // a literal of the stage's type
  placement where_;
  std::atomic<bool> stop_{false};
  std::vector<std::shared_ptr<stage_link>> links_;
};

}  // namespace spillway
