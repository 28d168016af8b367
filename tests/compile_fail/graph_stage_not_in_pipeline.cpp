// error: spillway: from(stage) reads a stage that is not an item of the pipeline, or that has another main type there
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

int main() {
  auto numbers = sw::source([] { return std::optional(1); });
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers);
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::discard());
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(b);
#else
  sw::pipeline p(a, b);
#endif
}
