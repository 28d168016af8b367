// What a side output costs the main path, by policy, rate and consumer. The sum and the side edge's account are checked.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "bench/support/side_job.hpp"

namespace {

using namespace bench;

/// range(0): one record in so many; more than there are means none. range(1): consumer.
template <class Policy>
void side_emission(benchmark::State& state, Policy policy) {
  bench::warn_if_unfit();
  const std::uint64_t expected = sum_by_hand();
  for (auto _ : state) {
    std::uint64_t sum = 0;
    bool account = false;
    state.SetIterationTime(
        seconds_of_main(policy, static_cast<std::uint64_t>(state.range(0)), static_cast<consumer>(state.range(1)), sum, account));
    if (sum != expected) state.SkipWithError("the main path lost or doubled records");
    if (!account) state.SkipWithError("the side edge's account does not balance");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(records));
}

void arguments(benchmark::internal::Benchmark* b) {
  b->ArgNames({"one_in", "consumer"});
  b->Args({std::int64_t{1} << 40, 0});
  for (const std::int64_t one_in : {100, 10}) {
    for (const std::int64_t kind : {0, 1, 2}) b->Args({one_in, kind});
  }
  b->UseManualTime();
}

BENCHMARK_CAPTURE(side_emission, drop_newest, sw::drop_newest)->Apply(arguments);
BENCHMARK_CAPTURE(side_emission, spill, sw::spill.up_to(std::size_t{1} << 30))->Apply(arguments);

}  // namespace
