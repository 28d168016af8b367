// error: spillway: the stages of the pipeline form a cycle
#include "spillway/operators/process.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"odd", int> odd{};
inline constexpr sw::output_tag<"even", int> even{};

int main() {
  auto to_even = sw::process<sw::no_record>(sw::emits<even>{}, [](auto& ctx, int n) { ctx.output(even, n); });
  auto split = sw::process<sw::no_record>(sw::emits<odd>{}, [](auto& ctx, int n) { ctx.output(odd, n); });
  auto numbers = sw::source([] { return std::optional(1); });
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::from(even) | split);
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(odd) | to_even);
  auto begin = sw::stage<"a">(sw::any_cpu{}, numbers | split);
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(a, b);
#else
  sw::pipeline p(begin, b, sw::discard(even));
#endif
}
