#include "spillway/runtime/progress_watch.hpp"

#include <algorithm>

namespace spillway {

std::string stalled_stage::text() const {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
  const std::string begin = "spillway: stage '" + stage + "' has made no progress for " + std::to_string(ms) + " ms: ";
  if (why == cause::no_duty_cycle) {
    return begin + "it is inside an operator that does not return, or its thread or host does not run it (" +
           std::to_string(records_waiting) + " records wait for it)";
  }
  return begin + "it takes no input, though " + std::to_string(records_waiting) + " records wait for it";
}

progress_watch::progress_watch(const plan& p) : plan_(&p), seen_(p.agents().size()) {}

std::uint64_t progress_watch::waiting_for(const agent& a) const {
  std::uint64_t records = 0;
  for (const auto& e : plan_->edges()) {
    if (e->to() == a.name()) records += e->counts().left;
  }
  return records;
}

bool progress_watch::held_up(const agent& a) const {
  return std::any_of(plan_->edges().begin(), plan_->edges().end(),
                     [&](const auto& e) { return e->from() == a.name() && e->policy().kind == overflow::block && e->full(); });
}

std::vector<stalled_stage> progress_watch::stalled(time_point now, std::chrono::nanoseconds patience) {
  std::vector<stalled_stage> found;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const agent& a = *plan_->agents()[i];
    seen& s = seen_[i];
    const stage_counts c = a.counts();
    const std::uint64_t waiting = waiting_for(a);
    const bool cycled = !s.begun || c.duty_cycles != s.duty_cycles;
    const bool took = !s.begun || c.records_in != s.records_in || waiting == 0 || held_up(a);
    s.begun = true;
    s.duty_cycles = c.duty_cycles;
    s.records_in = c.records_in;
    if (cycled) s.cycled = now;
    if (took) s.took = now;
    const auto still = std::max(now - s.cycled, now - s.took);
    if (a.ended() || still < patience) {
      s.reported = s.reported && still > std::chrono::nanoseconds(0);
      continue;
    }
    if (std::exchange(s.reported, true)) continue;
    const bool no_cycle = now - s.cycled >= patience;
    found.push_back({std::string(a.name()), no_cycle ? stalled_stage::cause::no_duty_cycle : stalled_stage::cause::takes_no_input,
                     waiting, still});
  }
  return found;
}

}  // namespace spillway
