// error: spillway: a stage with replicas must be copyable, since each replica is a copy of it
#include <memory>

#include "spillway/graph/from.hpp"
#include "spillway/operators/sink.hpp"

namespace sw = spillway;

auto numbers = sw::stage<"numbers">(sw::any_cpu{}, sw::source([] { return std::optional(1); }));

#ifdef SPILLWAY_MUST_FAIL
auto several = sw::stage<"several">(
    sw::replicas(2), sw::from(numbers, sw::round_robin) | sw::sink([p = std::make_unique<int>()](int n) { *p = n; }));
#else
auto several = sw::stage<"several">(
    sw::replicas(2), sw::from(numbers, sw::round_robin) | sw::sink([p = std::make_shared<int>()](int n) { *p = n; }));
#endif
