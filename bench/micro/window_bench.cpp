// Keyed windows on one thread: 1,000 keys, tumbling 1 s and sliding 10 s by 1 s, sum and count, records 10 us of event time apart. The
// number of results and the total count are checked.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <tuple>

#include "bench/support/pin.hpp"
#include "spillway/operators/key_by.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/runtime/pipeline.hpp"
#include "spillway/time/bounded_out_of_orderness.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/aggregates/sum.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;
using namespace std::chrono_literals;

namespace {

struct trade {
  sw::timestamp at;
  std::uint32_t key;
  double price;
  double quantity;
};

constexpr std::uint64_t records = 4'000'000;  // 40 s of event time
constexpr std::uint32_t keys = 1000;

inline trade made(std::uint64_t i) {
  const std::uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;
  return {sw::timestamp{static_cast<std::int64_t>(i) * 10'000}, static_cast<std::uint32_t>((h >> 32) % keys),
          static_cast<double>(h & 1023), 1.0};
}

struct trades {
  using record = trade;
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

struct tally {
  std::uint64_t* rows;
  std::uint64_t* counted;
  template <class Result>
  void operator()(const Result& r) const {
    ++*rows;
    *counted += std::get<1>(r.value);
  }
};

void keyed_window(benchmark::State& state, sw::aligned_windows windows, std::uint64_t windows_per_record,
                  std::uint64_t expected_rows) {
  bench::pin(0);
  for (auto _ : state) {
    std::uint64_t rows = 0;
    std::uint64_t counted = 0;
    sw::pipeline p(sw::stage<"window">(
        sw::any_cpu{}, sw::source(trades{}) | sw::watermarks(sw::bounded_out_of_orderness(0ns), &trade::at) |
                           sw::key_by(&trade::key) | sw::window(windows) | sw::aggregate(sw::sum(&trade::quantity), sw::count()) |
                           sw::sink(tally{&rows, &counted})));
    p.run_inline();
    if (counted != records * windows_per_record) state.SkipWithError("records are missing from the windows");
    if (rows != expected_rows) state.SkipWithError("the number of results is wrong");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(records));
}

BENCHMARK_CAPTURE(keyed_window, tumbling_1s, sw::tumbling(1s), 1, 40'000);
BENCHMARK_CAPTURE(keyed_window, sliding_10s_by_1s, sw::sliding(10s, 1s), 10, 49'000);

}  // namespace
