// error: spillway: two stages of the pipeline have the same name
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

int main() {
  auto numbers = sw::source([] { return std::optional(1); });
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers | sw::discard());
  auto b = sw::stage<"b">(sw::any_cpu{}, numbers | sw::discard());
  auto other = sw::stage<"a">(sw::any_cpu{}, numbers | sw::discard());
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(a, other);
#else
  sw::pipeline p(a, b);
#endif
}
