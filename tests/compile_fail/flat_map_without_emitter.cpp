// error: spillway: flat_map<Out> needs a function that takes the record before it and an emitter: f(record, auto& out)
#include "spillway/graph/expression.hpp"
#include "spillway/operators/flat_map.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::flat_map<long>([](int) {});
#else
auto chain = numbers | sw::flat_map<long>([](int n, auto& out) { out(n); });
#endif
