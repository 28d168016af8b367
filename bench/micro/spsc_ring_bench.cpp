// Records per second through one ring between two pinned threads: one at a time and in batches, 8, 32 and 64 bytes. Values and order are checked.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <thread>

#include "bench/support/pin.hpp"
#include "spillway/core/spsc_ring.hpp"
#include "spillway/runtime/idle_strategy.hpp"

namespace {

template <std::size_t Bytes>
struct record {
  std::array<std::uint64_t, Bytes / 8> words{};
  explicit record(std::uint64_t n) noexcept {
    words.front() = n;
    words.back() = n;
  }
};

constexpr std::uint64_t records = 2'000'000;

/// One pause a poll, and the CPU given away after many: on a busy host the other side may not be running at all.
class waiting {
 public:
  void operator()(std::size_t work) {
    if (work > 0) {
      polls_ = 0;
    } else if (++polls_ < 1000) {
      spillway::cpu_relax();
    } else {
      std::this_thread::yield();
    }
  }

 private:
  std::size_t polls_ = 0;
};

template <class Record>
bool consume_all(spillway::spsc_ring<Record>& ring, std::size_t batch) {
  auto in = ring.open_consumer();
  std::uint64_t expected = 0;
  bool right = true;
  waiting wait;
  while (expected < records) {
    const std::size_t got = in.drain(batch, [&](Record& r) {
      right = right && r.words.front() == expected && r.words.back() == expected;
      ++expected;
    });
    wait(got);
  }
  ring.close(in);
  return right;
}

template <class Record>
void produce_singly(spillway::spsc_ring<Record>& ring) {
  auto out = ring.open_producer();
  waiting wait;
  for (std::uint64_t n = 0; n < records;) {
    while (n < records && out.try_emplace(n)) ++n;
    wait(0);
  }
  ring.close(out);
}

template <class Record>
void produce_in_batches(spillway::spsc_ring<Record>& ring, std::size_t batch) {
  auto out = ring.open_producer();
  waiting wait;
  for (std::uint64_t n = 0; n < records;) {
    const auto slots = out.claim(std::min<std::uint64_t>(batch, records - n));
    for (Record& slot : slots) std::construct_at(&slot, n++);
    out.commit(slots.size());
    wait(slots.size());
  }
  ring.close(out);
}

/// range(0): capacity, range(1): batch, 1 for one at a time.
template <std::size_t Bytes>
void ring_throughput(benchmark::State& state) {
  bench::warn_if_unfit();
  using type = record<Bytes>;
  const auto batch = static_cast<std::size_t>(state.range(1));
  for (auto _ : state) {
    spillway::spsc_ring<type> ring(static_cast<std::size_t>(state.range(0)));
    bool right = false;
    std::thread consumer([&] {
      bench::pin(1);
      right = consume_all(ring, batch == 1 ? ring.capacity() : batch);
    });
    bench::pin(0);
    if (batch == 1) {
      produce_singly(ring);
    } else {
      produce_in_batches(ring, batch);
    }
    consumer.join();
    if (!right) state.SkipWithError("records were lost, doubled or out of order");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(records));
}

BENCHMARK_TEMPLATE(ring_throughput, 8)
    ->Args({1024, 1})
    ->Args({1024, 8})
    ->Args({1024, 64})
    ->Args({1024, 256})
    ->Args({65536, 1})
    ->UseRealTime();
BENCHMARK_TEMPLATE(ring_throughput, 32)->Args({1024, 1})->Args({1024, 64})->UseRealTime();
BENCHMARK_TEMPLATE(ring_throughput, 64)
    ->Args({1024, 1})
    ->Args({1024, 8})
    ->Args({1024, 64})
    ->Args({1024, 256})
    ->Args({65536, 1})
    ->UseRealTime();

}  // namespace
