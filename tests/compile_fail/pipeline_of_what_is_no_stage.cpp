// error: spillway: a pipeline takes stages and discard(tag) items
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

int main() {
  auto numbers = sw::source([] { return std::optional(1); });
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers | sw::discard());
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(numbers | sw::discard());
#else
  sw::pipeline p(a);
#endif
}
