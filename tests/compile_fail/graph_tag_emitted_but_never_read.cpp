// error: spillway: a tag is emitted but never read; read it with from(tag) or on(tag, ...), or write discard(tag) as an item of the pipeline
#include "spillway/operators/process.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"odd", int> odd{};

int main() {
  auto numbers = sw::source([] { return std::optional(1); });
  auto split = sw::process<sw::no_record>(sw::emits<odd>{}, [](auto& ctx, int n) { ctx.output(odd, n); });
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers | split);
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(a);
#else
  sw::pipeline p(a, sw::discard(odd));
#endif
}
