// Ten fused maps and filters, run as a pipeline on the calling thread. Prints the sum.
#include <cstdio>

#include "fused_chain.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;
using namespace codegen;

struct samples {
  using record = sample;
  std::uint64_t next = 0;

  std::uint64_t position() const { return next; }

  template <class Out>
  SPILLWAY_INLINE sw::source_status poll(Out& out, std::size_t limit) {
    const std::uint64_t end = next + limit < records ? next + limit : records;
    for (std::uint64_t i = next; i != end; ++i) out.emit(made(i));
    next = end;
    return next == records ? sw::source_status::ended : sw::source_status::active;
  }
};

/// Sums in its own member, as a loop by hand sums in a local variable, and hands the total over at the end.
struct sum_sink {
  std::int64_t* total;
  std::int64_t sum = 0;

  void write(const sample& s) { sum += s.value; }
  void close() const { *total = sum; }
};

extern "C" [[gnu::noinline]] std::int64_t measured() {
  std::int64_t sum = 0;
  sw::pipeline p(
      sw::stage<"chain">(sw::any_cpu{}, sw::source(samples{}) | sw::map(sw::fn<step1>) | sw::filter(sw::fn<step2>) |
                                            sw::map(sw::fn<step3>) | sw::map(sw::fn<step4>) | sw::filter(sw::fn<step5>) |
                                            sw::map(sw::fn<step6>) | sw::filter(sw::fn<step7>) | sw::map(sw::fn<step8>) |
                                            sw::map(sw::fn<step9>) | sw::filter(sw::fn<step10>) | sw::sink(sum_sink{&sum})));
  p.run_inline();
  return sum;
}

int main() { std::printf("%lld\n", static_cast<long long>(measured())); }
