// error: spillway: flat_map needs a function that takes the record before it and returns a range, or flat_map<Out> and f(record, out)
#include "spillway/graph/expression.hpp"
#include "spillway/operators/flat_map.hpp"

namespace sw = spillway;

#include <array>

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::flat_map([](int n) { return n; });
#else
auto chain = numbers | sw::flat_map([](int n) { return std::array{n, n}; });
#endif
