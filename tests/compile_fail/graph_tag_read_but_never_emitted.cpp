// error: spillway: a tag is read but never emitted by a stage of the pipeline
#include "spillway/operators/process.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"odd", int> odd{};

int main() {
  auto numbers = sw::source([] { return std::optional(1); });
  auto split = sw::process<sw::no_record>(sw::emits<odd>{}, [](auto& ctx, int n) { ctx.output(odd, n); });
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers | split);
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(odd) | sw::discard());
  auto c = sw::stage<"c">(sw::any_cpu{}, numbers | sw::discard());
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(b, c);
#else
  sw::pipeline p(a, b, c);
#endif
}
