// error: spillway: map needs a function that takes the record before it and returns a value
#include "spillway/graph/expression.hpp"
#include "spillway/operators/map.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::map([](const char* text) { return text; });
#else
auto chain = numbers | sw::map([](int n) { return n; });
#endif
