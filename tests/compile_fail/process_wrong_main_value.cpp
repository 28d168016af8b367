// error: spillway: emit() is given a value that is not of the process function's main type
#include "spillway/graph/expression.hpp"
#include "spillway/operators/process.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::process<int>(sw::emits<>{}, [](auto& ctx, int) { ctx.emit("one"); });
#else
auto chain = numbers | sw::process<int>(sw::emits<>{}, [](auto& ctx, int) { ctx.emit(1); });
#endif
