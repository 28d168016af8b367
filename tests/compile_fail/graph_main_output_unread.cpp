// error: spillway: the main output of a stage is never read; read it with from(stage), or end the stage with sink(...) or discard()
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

int main() {
  auto numbers = sw::source([] { return std::optional(1); });
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers);
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::discard());
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(a);
#else
  sw::pipeline p(a, b);
#endif
}
