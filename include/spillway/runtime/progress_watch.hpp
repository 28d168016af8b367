// Finds the stages of a running pipeline that make no progress.
//
// Belongs to one thread, which may be any: it reads counts only, and is given the time.
// 1. A stage stands still when it finishes no duty cycle, because an operator does not return or nobody polls it; or when it takes no record
//    although some wait for it and none of its own outputs is full. A stage without input to take is idle, and one that waits for a
//    full output is held up by another: neither is reported.
// 2. A stage is reported once, and again only after it moved in between.
//
//     auto quiet = sw::source([] { return std::optional<int>(); }) | sw::discard();
//     sw::pipeline p(sw::stage<"quiet">(sw::host_polled{}, std::move(quiet)));
//     p.start();
//     progress_watch watch(p.lowered());
//     const auto now = std::chrono::steady_clock::now();
//     watch.stalled(now, 5s);                         // sees it for the first time
//     const std::vector<stalled_stage> stalled = watch.stalled(now + 10s, 5s);
//     assert(stalled.size() == 1 && stalled.front().stage == "quiet");      // nobody polls it
//     p.abort();
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "spillway/runtime/plan.hpp"

namespace spillway {

/// A stage that stands still.
struct stalled_stage {
  enum class cause { no_duty_cycle, takes_no_input };
  std::string stage;
  cause why = cause::no_duty_cycle;
  std::uint64_t records_waiting = 0;
  std::chrono::nanoseconds since{};

  /// One sentence for the report hook.
  std::string text() const;
};

class progress_watch {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit progress_watch(const plan& p);

  /// The stages that have stood still for at least `patience` at `now`. Call it several times within that time.
  std::vector<stalled_stage> stalled(time_point now, std::chrono::nanoseconds patience);

 private:
  struct seen {
    std::uint64_t duty_cycles = 0;
    std::uint64_t records_in = 0;
    time_point cycled;  // when the counts last changed
    time_point took;
    bool begun = false;
    bool reported = false;
  };

  std::uint64_t waiting_for(const agent& a) const;
  bool held_up(const agent& a) const;

  const plan* plan_;
  std::vector<seen> seen_;
};

}  // namespace spillway
