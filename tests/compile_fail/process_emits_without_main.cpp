// error: spillway: emit() is given a value that is not of the process function's main type
#include "spillway/graph/expression.hpp"
#include "spillway/operators/process.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::process<sw::no_record>(sw::emits<>{}, [](auto& ctx, int n) { ctx.emit(n); });
#else
auto chain = numbers | sw::process<sw::no_record>(sw::emits<>{}, [](auto&, int) {});
#endif
