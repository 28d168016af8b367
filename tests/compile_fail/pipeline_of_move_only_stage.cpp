// error: spillway: give the pipeline its stages by std::move
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

int main() {
  auto numbers = sw::source([] { return std::optional(1); });
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers | sw::sink([total = std::make_unique<int>()](int n) { *total += n; }));
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(a);
#else
  sw::pipeline p(std::move(a));
#endif
}
