// error: spillway: process needs a class with `main` and `emits`, or process<Main>(emits<tags...>{}, lambda) for a lambda
#include "spillway/graph/expression.hpp"
#include "spillway/operators/process.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::process([](auto& ctx, int n) { ctx.emit(n); });
#else
auto chain = numbers | sw::process<int>(sw::emits<>{}, [](auto& ctx, int n) { ctx.emit(n); });
#endif
