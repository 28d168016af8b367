#include "spillway/runtime/runner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "spillway/runtime/affinity.hpp"

namespace spillway {

namespace {

std::string list_of(const std::vector<int>& cpus) {
  std::string text;
  for (const int c : cpus) {
    if (!text.empty()) text += ',';
    text += std::to_string(c);
  }
  return text;
}

std::string text_of(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace

runner::runner(plan& p, run_options options) : plan_(p), options_(options) {}

runner::~runner() {
  if (!in_its_process()) {
    // The threads are the parent's: they can be neither joined nor let go.
    new std::vector<std::thread>(std::move(threads_));
    static_cast<void>(watchdog_.release());
    return;
  }
  abort();
  for (std::thread& t : threads_) {
    if (t.joinable()) t.join();
  }
  for (const auto& p : polled_) {
    p->take_over();
    p->tell_links(nullptr);
  }
  const std::lock_guard lock(mutex_);  // whoever ended last has let go of it
}

int runner::cpu_for(const agent& a) const {
  const placement where = a.where();
  if (where.where == placement::kind::any) return -1;
  const std::vector<int> allowed = allowed_cpus();
  const std::string stage = "spillway: stage '" + std::string(a.name()) + "' ";
  if (where.where == placement::kind::nth_allowed) {
    if (where.number < 0 || static_cast<std::size_t>(where.number) >= allowed.size()) {
      throw std::invalid_argument(stage + "asks for nth_allowed_cpu{" + std::to_string(where.number) +
                                  "}, but the process may use only " + std::to_string(allowed.size()) + " (" + list_of(allowed) +
                                  "); the first is 0");
    }
    return allowed[static_cast<std::size_t>(where.number)];
  }
  if (std::find(allowed.begin(), allowed.end(), where.number) == allowed.end()) {
    throw std::invalid_argument(stage + "asks for CPU " + std::to_string(where.number) + ", but the process may use only " +
                                list_of(allowed) + "; choose one of these, or nth_allowed_cpu{n}");
  }
  return where.number;
}

std::vector<runner::group> runner::make_groups() const {
  std::vector<group> groups;
  std::vector<int> numbers;
  for (const auto& a : plan_.agents()) {
    if (host_polls(*a)) continue;
    const int thread = options_.one_thread ? 0 : a->where().thread;
    const auto same = thread < 0 ? numbers.end() : std::find(numbers.begin(), numbers.end(), thread);
    if (same == numbers.end()) {
      groups.push_back({std::string(a->name()), options_.one_thread ? -1 : cpu_for(*a), {a.get()}});
      numbers.push_back(thread);
    } else {
      group& g = groups[static_cast<std::size_t>(same - numbers.begin())];
      g.name += '+';
      g.name += a->name();
      g.agents.push_back(a.get());
    }
  }
  return groups;
}

std::vector<thread_line> runner::threads() const {
  std::vector<thread_line> lines;
  for (const group& g : make_groups()) {
    thread_line line{g.name, g.cpu < 0 ? "any CPU" : "CPU " + std::to_string(g.cpu), {}};
    for (const agent* a : g.agents) line.stages.emplace_back(a->name());
    lines.push_back(std::move(line));
  }
  for (const auto& a : plan_.agents()) {
    if (host_polls(*a)) lines.push_back({std::string(a->name()), "the host", {std::string(a->name())}});
  }
  if (options_.watchdog > options_.watchdog.zero()) lines.push_back({"watchdog", "any CPU", {}});
  return lines;
}

int runner::shared_cpu(const std::vector<group>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (groups[i].cpu >= 0 && groups[i].cpu == groups[j].cpu) return groups[i].cpu;
    }
  }
  return -1;
}

void runner::check_idle(const std::vector<group>& groups) const {
  if (options_.idle != idle_strategy::busy_spin && options_.idle != idle_strategy::spin) return;
  if (const int cpu = shared_cpu(groups); cpu >= 0) {
    throw std::invalid_argument("spillway: idle strategy '" + std::string(name_of(options_.idle)) +
                                "' with several threads tied to CPU " + std::to_string(cpu) +
                                " would take it from the threads it waits for; use yield, backoff or sleep, or other CPUs");
  }
  const std::size_t threads = groups.size();
  const std::size_t cpus = allowed_cpus().size();
  const double quota = cpu_quota();
  if (threads > cpus || (quota > 0 && static_cast<double>(threads) > std::ceil(quota))) {
    throw std::invalid_argument(
        "spillway: idle strategy '" + std::string(name_of(options_.idle)) + "' with " + std::to_string(threads) + " threads on " +
        std::to_string(cpus) + " CPUs" + (quota > 0 ? " (quota " + std::to_string(quota) + ")" : "") +
        " would take the CPU from the threads it waits for; use yield, backoff or sleep, or fewer threads");
  }
}

void runner::start() {
  made_.check();
  const std::vector<group> groups = make_groups();
  check_idle(groups);
  crowded_ = groups.size() > allowed_cpus().size() || shared_cpu(groups) >= 0;
  make_polled();
  running_ = groups.size() + polled_.size();
  try {
    for (const group& g : groups) threads_.emplace_back([this, g] { run_group(g, true); });
    if (options_.watchdog > options_.watchdog.zero()) watchdog_ = std::make_unique<watchdog>(plan_, options_.watchdog);
  } catch (...) {
    abort();
    for (std::thread& t : threads_) t.join();
    threads_.clear();
    running_ = 0;
    throw;
  }
}

void runner::make_polled() {
  for (const auto& a : plan_.agents()) {
    if (!host_polls(*a)) continue;
    polled_.push_back(std::make_unique<polled_agent>(*this, *a, aborted_, made_));
    polled_.back()->tell_links(polled_.back().get());
  }
}

void runner::join() {
  made_.check();
  poll_own([] { return false; });
  for (std::thread& t : threads_) t.join();
  threads_.clear();
  if (!polled_.empty()) {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return running_ == 0; });
  }
  watchdog_.reset();
  rethrow();
}

std::size_t runner::poll() {
  made_.check();
  std::size_t work = 0;
  for (const auto& p : polled_) work += p->poll();
  return work;
}

polled_agent& runner::polled(std::string_view name) const {
  made_.check();
  std::string known;
  for (const auto& p : polled_) {
    if (p->name() == name) return *p;
    known += (known.empty() ? "" : ", ") + std::string(p->name());
  }
  throw std::invalid_argument("spillway: no stage '" + std::string(name) + "' is polled by the host; " +
                              (known.empty() ? "none is, unless placed host_polled{}" : "those are: " + known));
}

template <class F>
bool runner::poll_own(F&& give_up) {
  idler idle(options_.idle, crowded_);
  for (;;) {
    std::size_t work = 0;
    bool any = false;
    for (const auto& p : polled_) {
      if (!p->polled_here()) continue;
      any = true;
      work += p->poll();
    }
    if (!any) return true;
    if (give_up()) return false;
    idle(work);
  }
}

void runner::one_ended() noexcept {
  const std::lock_guard lock(mutex_);
  // Release pairs with the acquire load in done().
  running_.store(running_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  ended_.notify_all();
}

void runner::run_here() {
  made_.check();
  group all{"", -1, {}};
  for (const auto& a : plan_.agents()) all.agents.push_back(a.get());
  {
    const std::lock_guard lock(mutex_);
    running_ = 1;
  }
  run_group(all, false);
  rethrow();
}

void runner::stop() noexcept {
  for (const auto& a : plan_.agents()) a->request_stop();
}

void runner::abort() noexcept {
  // Relaxed: the flag only ends loops; what the threads leave behind is ordered by joining them.
  aborted_.store(true, std::memory_order_relaxed);
  for (const auto& p : polled_) p->give_up();
}

bool runner::wait_for(std::chrono::nanoseconds timeout) {
  made_.check();
  using clock = std::chrono::steady_clock;
  // The clock's arithmetic would overflow with the longest durations there are.
  const auto end = clock::now() + std::min<std::chrono::nanoseconds>(timeout, std::chrono::hours(24 * 365));
  if (!poll_own([&] { return clock::now() >= end; })) return false;
  std::unique_lock lock(mutex_);
  return ended_.wait_until(lock, end, [this] { return running_ == 0; });
}

void runner::run_group(const group& g, bool own_thread) noexcept {
  agent* current = g.agents.front();
  try {
    if (own_thread) {
      name_this_thread(g.name);
      if (g.cpu >= 0) pin_this_thread(g.cpu);
    }
    for (agent* a : g.agents) {
      current = a;
      a->start();
    }
    cycle_until_done(g, current);
  } catch (...) {
    fail(*current, std::current_exception());
  }
  close_group(g);
  one_ended();
}

void runner::cycle_until_done(const group& g, agent*& current) {
  idler idle(options_.idle, crowded_);
  while (!aborted_.load(std::memory_order_relaxed)) {
    std::size_t work = 0;
    bool all_finished = true;
    for (agent* a : g.agents) {
      if (a->finished()) continue;
      current = a;
      work += a->do_work();
      all_finished = all_finished && a->finished();
    }
    if (all_finished) return;
    idle(work);
  }
}

void runner::close_group(const group& g) noexcept {
  for (agent* a : g.agents) {
    if (const std::exception_ptr thrown = a->close()) fail(*a, thrown);
    a->wake_links();
  }
}

void runner::fail(const agent& a, std::exception_ptr cause) noexcept {
  abort();
  const std::lock_guard lock(mutex_);
  if (error_) return;
  try {
    const std::string_view kind = a.context().failed_kind();
    const std::string where =
        kind.empty() ? std::string()
                     : ", operator " + std::to_string(a.context().failed_position()) + " (" + std::string(kind) + ")";
    error_ =
        std::make_exception_ptr(pipeline_error("spillway: stage '" + std::string(a.name()) + "'" + where + ": " + text_of(cause),
                                               std::string(a.name()), a.context().failed_position(), std::string(kind), cause));
  } catch (...) {
    error_ = cause;
  }
}

void runner::rethrow() {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace spillway
