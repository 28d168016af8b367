// error: spillway: filter needs a predicate that takes the record before it by const reference
#include "spillway/graph/expression.hpp"
#include "spillway/operators/filter.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::filter([](int& n) { return n > 0; });
#else
auto chain = numbers | sw::filter([](const int& n) { return n > 0; });
#endif
