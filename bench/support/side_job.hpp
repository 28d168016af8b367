// The job that shows what a side output costs the main path: 64-byte records, filter, map and sum fused on one thread, one record in `every` to a
// tag whose consumer, on the other CPU, is live, takes 50 us for each record, or is stopped for good. The sum and the side edge's account are
// checked by who runs it.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "bench/support/pin.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/process.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace bench {

namespace sw = spillway;

struct wide {
  std::uint64_t id;
  std::array<std::uint64_t, 7> rest;
};
static_assert(sizeof(wide) == 64);

inline constexpr sw::output_tag<"picked", wide> picked{};

constexpr std::uint64_t records = 2'000'000;

/// Records as a feed hands them over: in memory, in this core's second-level cache.
inline constexpr std::uint64_t feed_size = 4096;
inline const std::vector<wide>& feed() {
  static const std::vector<wide> all = [] {
    std::vector<wide> made;
    for (std::uint64_t i = 0; i < feed_size; ++i) made.push_back({i, {i, i ^ 1, i ^ 2, i ^ 3, i ^ 4, i ^ 5, i * 3}});
    return made;
  }();
  return all;
}
inline bool wanted(const wide& w) { return (w.rest[1] & 3) != 0; }
inline std::uint64_t worth(const wide& w) { return w.rest[6] + w.rest[2]; }

struct wides {
  using record = wide;
  std::uint64_t next = 0;

  std::uint64_t position() const { return next; }
  template <class Out>
  SPILLWAY_INLINE sw::source_status poll(Out& out, std::size_t limit) {
    const std::uint64_t end = std::min(next + limit, records);
    const wide* all = feed().data();
    for (std::uint64_t i = next; i != end; ++i) out.emit(all[i % feed_size]);
    next = end;
    return next == records ? sw::source_status::ended : sw::source_status::active;
  }
};

struct total {
  std::uint64_t* sum_out;
  std::uint64_t sum = 0;
  void write(std::uint64_t v) { sum += v; }
  void close() const { *sum_out = sum; }
};

struct pick {
  using main = wide;
  using emits = sw::emits<picked>;
  std::uint64_t every;
  std::uint64_t left;

  SPILLWAY_INLINE void on_record(auto& ctx, const wide& w) {
    if (--left == 0) {
      left = every;
      ctx.output(picked, w);
    }
    ctx.emit(w);
  }
};

/// A consumer that takes its time with each record, or nothing but the first.
struct slow_consumer {
  std::chrono::nanoseconds each;
  void operator()(const wide&) const {
    const auto until = std::chrono::steady_clock::now() + each;
    while (std::chrono::steady_clock::now() < until) sw::cpu_relax();
  }
};

inline std::uint64_t sum_by_hand() {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != records; ++i) {
    const wide& w = feed()[i % feed_size];
    if (wanted(w)) sum += worth(w);
  }
  return sum;
}

enum class consumer { live, slow, stopped };

/// Runs the stage with the side output on this thread and the consumer's agent on another, and times the first alone.
template <class Policy>
double seconds_of_main(Policy policy, std::uint64_t every, consumer kind, std::uint64_t& sum, bool& account) {
  auto main_stage =
      sw::stage<"main">(sw::any_cpu{}, sw::source(wides{}) | sw::process(pick{every, every}) | sw::filter(sw::fn<wanted>) |
                                           sw::map(sw::fn<worth>) | sw::sink(total{&sum}));
  const std::chrono::nanoseconds each = kind == consumer::slow ? std::chrono::microseconds(50) : std::chrono::nanoseconds(0);
  auto side = sw::stage<"side">(sw::any_cpu{}, sw::from(picked, policy) | sw::sink(slow_consumer{each}));
  sw::pipeline p(std::move(main_stage), std::move(side));
  auto& agents = p.lowered().agents();
  std::atomic<bool> over{false};
  std::thread other([&] {
    pin(1);
    agents[1]->start();
    sw::idler idle(kind == consumer::stopped ? sw::idle_strategy::sleep : sw::idle_strategy::spin);
    while (!over.load(std::memory_order_relaxed)) idle(kind == consumer::stopped ? 0 : agents[1]->do_work());
    agents[1]->close();
  });
  pin(0);
  agents[0]->start();
  const auto began = std::chrono::steady_clock::now();
  while (agents[0]->counts().records_in < records) agents[0]->do_work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  over = true;
  other.join();
  agents[0]->close();
  const sw::edge_counts c = p.edges()[0].counts;
  account = c.balanced() && c.pushed == (every > records ? 0 : records / every);
  return took.count();
}

}  // namespace bench
