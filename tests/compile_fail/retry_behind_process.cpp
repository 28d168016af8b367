// error: spillway: retry(n) stands right behind map, filter, try_map or sink, and needs copyable records
#include "spillway/graph/expression.hpp"
#include "spillway/operators/process.hpp"
#include "spillway/operators/retry.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });
auto twice = sw::process<int>(sw::emits<>{}, [](auto& ctx, int n) {
  ctx.emit(n);
  ctx.emit(n);
});

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | twice | sw::retry(3);
#else
auto chain = numbers | sw::map([](int n) { return n; }) | sw::retry(3);
#endif
