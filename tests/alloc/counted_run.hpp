// Runs a pipeline and holds the number of allocator calls after the start against the growth that stages and edges count themselves.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "spillway/spillway.hpp"
#include "tests/alloc/allocation_counter.hpp"

namespace alloc_test {

namespace sw = spillway;

inline constexpr int one_million = 1'000'000;

struct reading {
  std::uint32_t number = 0;
  std::uint32_t key = 0;
  sw::timestamp at;
  double value = 0;
};

/// A million readings of 1,000 keys, 1 ms apart, up to 20 ms out of order.
inline auto readings(int n = one_million, std::uint32_t keys = 1000) {
  return sw::source([i = std::uint32_t{0}, n = static_cast<std::uint32_t>(n), keys,
                     state = std::uint64_t{7}]() mutable -> std::optional<reading> {
    if (i == n) return std::nullopt;
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto random = static_cast<std::uint32_t>(state >> 33);
    const std::int64_t ms = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(random % 20);
    return reading{i++, random % keys, sw::timestamp(std::chrono::milliseconds(ms)), static_cast<double>(random % 10'000) / 10};
  });
}
inline auto timed_by_reading() {
  return sw::watermarks(sw::bounded_out_of_orderness(std::chrono::milliseconds(20)), &reading::at);
}

/// A source that waits until it may begin, so that every stage has started by then.
template <class Source>
class held_source {
 public:
  using record = typename Source::record;
  held_source(Source source, std::atomic<bool>& open) : source_(std::move(source)), open_(&open) {}
  template <class Out>
  sw::source_status poll(Out& out, std::size_t limit) {
    return open_->load() ? source_.poll(out, limit) : sw::source_status::idle;
  }

 private:
  Source source_;
  std::atomic<bool>* open_;
};

struct outcome {
  std::uint64_t calls = 0;
  std::uint64_t growth = 0;
};

inline std::uint64_t counted_growth(const sw::pipeline& p) {
  std::uint64_t growth = 0;
  for (const auto& s : p.stages()) growth += s.counts.growth_events;
  for (const auto& e : p.edges()) growth += e.counts.growth_events;
  return growth;
}

/// All stages in turn on this thread, from behind the start of the last to before the close of the first.
inline outcome run_in_turn(sw::pipeline& p) {
  const auto& agents = p.lowered().agents();
  for (const auto& a : agents) a->start();
  allocations::begin();
  for (bool all_finished = false; !all_finished;) {
    all_finished = true;
    for (const auto& a : agents) {
      if (a->finished()) continue;
      a->do_work();
      all_finished = all_finished && a->finished();
    }
  }
  const std::uint64_t calls = allocations::end();
  for (const auto& a : agents) EXPECT_EQ(a->close(), nullptr);
  return {calls, counted_growth(p)};
}

/// On threads; `open` lets the source begin.
inline outcome run_on_threads(sw::pipeline& p, std::atomic<bool>& open) {
  p.start({.idle = sw::idle_strategy::yield});
  const auto all_started = [&] {
    for (const auto& s : p.stages()) {
      if (s.counts.duty_cycles == 0) return false;
    }
    return true;
  };
  while (!all_started()) std::this_thread::yield();
  allocations::begin();
  open = true;
  const bool ended = p.wait_for(std::chrono::seconds(120));
  const std::uint64_t calls = allocations::end();
  EXPECT_TRUE(ended);
  p.abort();
  return {calls, counted_growth(p)};
}

/// Requires that every call was a counted growth, and that there were no more than `most`.
inline void expect_counted(const outcome& o, std::uint64_t most) {
  EXPECT_EQ(o.calls, o.growth);
  EXPECT_LE(o.growth, most);
}

template <class... Stages>
void expect_counted_growth(std::uint64_t most, Stages&&... stages) {
  sw::pipeline p(std::forward<Stages>(stages)...);
  expect_counted(run_in_turn(p), most);
}

}  // namespace alloc_test
