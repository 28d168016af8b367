// error: spillway: sink needs a function that takes the record before it, or an object with write(record)
#include "spillway/graph/expression.hpp"
#include "spillway/operators/sink.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::sink([](const char*) {});
#else
auto chain = numbers | sw::sink([](int) {});
#endif
