// A fused chain of maps and filters as a pipeline on one thread, beside the same loop by hand. Both sums must be equal.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "bench/support/pin.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

namespace {

struct quote {
  std::uint64_t id;
  double price;
  double quantity;
};

constexpr std::uint64_t records = 2'000'000;

inline quote made(std::uint64_t i) { return {i, static_cast<double>(i % 1000) * 0.25, static_cast<double>(i & 7)}; }
inline bool wanted(const quote& q) { return q.id % 5 != 0; }
inline double worth(const quote& q) { return q.price * q.quantity; }

struct quotes {
  using record = quote;
  std::uint64_t next = 0;

  std::uint64_t position() const { return next; }
  template <class Out>
  SPILLWAY_INLINE sw::source_status poll(Out& out, std::size_t limit) {
    const std::uint64_t end = std::min(next + limit, records);
    for (std::uint64_t i = next; i != end; ++i) out.emit(made(i));
    next = end;
    return next == records ? sw::source_status::ended : sw::source_status::active;
  }
};

struct total {
  double* sum_out;
  double sum = 0;
  void write(double v) { sum += v; }
  void close() const { *sum_out = sum; }
};

double by_hand() {
  double sum = 0;
  for (std::uint64_t i = 0; i != records; ++i) {
    const quote q = made(i);
    if (wanted(q)) sum += worth(q);
  }
  return sum;
}

double fused() {
  double sum = 0;
  sw::pipeline p(sw::stage<"chain">(
      sw::any_cpu{}, sw::source(quotes{}) | sw::filter(sw::fn<wanted>) | sw::map(sw::fn<worth>) | sw::sink(total{&sum})));
  p.run_inline();
  return sum;
}

void loop_by_hand(benchmark::State& state) {
  bench::pin(0);
  for (auto _ : state) benchmark::DoNotOptimize(by_hand());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(records));
}

void fused_pipeline(benchmark::State& state) {
  bench::pin(0);
  const double expected = by_hand();
  for (auto _ : state) {
    if (fused() != expected) state.SkipWithError("the fused chain gives another sum than the loop");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(records));
}

BENCHMARK(loop_by_hand);
BENCHMARK(fused_pipeline);

}  // namespace
