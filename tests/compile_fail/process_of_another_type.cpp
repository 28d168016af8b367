// error: spillway: process needs on_record(auto& ctx, record) for the record type before it
#include "spillway/graph/expression.hpp"
#include "spillway/operators/process.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::process<int>(sw::emits<>{}, [](auto&, const char*) {});
#else
auto chain = numbers | sw::process<int>(sw::emits<>{}, [](auto&, int) {});
#endif
