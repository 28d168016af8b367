// error: spillway: on_error, skip_errors and retry stand right behind the operator that they guard
#include "spillway/graph/expression.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/skip_errors.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });
auto same = sw::map([](int n) { return n; });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::skip_errors();
#else
auto chain = numbers | same | sw::skip_errors();
#endif
