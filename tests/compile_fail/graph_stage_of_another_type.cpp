// error: spillway: from(stage) reads a stage that is not an item of the pipeline, or that has another main type there
#include "spillway/operators/map.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

int main() {
  auto numbers = sw::source([] { return std::optional(1); });
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers);
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::discard());
  auto longs = sw::stage<"a">(sw::any_cpu{}, numbers | sw::map([](int n) { return long{n}; }));
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(longs, b);
#else
  sw::pipeline p(a, b);
#endif
}
