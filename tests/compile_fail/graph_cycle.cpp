// error: spillway: the stages of the pipeline form a cycle
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

int main() {
  auto numbers = sw::source([] { return std::optional(1); });
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers);
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a));
  auto round = sw::stage<"a">(sw::any_cpu{}, sw::from(b));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b) | sw::discard());
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(round, b, c);
#else
  sw::pipeline p(a, b, c);
#endif
}
