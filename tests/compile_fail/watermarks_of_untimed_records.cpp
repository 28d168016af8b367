// error: spillway: watermarks needs a function of the record that returns its timestamp, or records that have one
#include "spillway/graph/expression.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/ascending.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::watermarks(sw::ascending());
#else
auto chain = numbers | sw::watermarks(sw::ascending(), [](int n) { return sw::timestamp(n); });
#endif
