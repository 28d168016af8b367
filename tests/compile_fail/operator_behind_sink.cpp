// error: spillway: nothing can stand behind a sink or an operator without a main output
#include "spillway/graph/expression.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/sink.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });
auto half = sw::map([](int n) { return n / 2; });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::discard() | half;
#else
auto chain = numbers | half | sw::discard();
#endif
