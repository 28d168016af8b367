// error: spillway: a stage with replicas reads each of its inputs by partition_by or round_robin
#include <memory>

#include "spillway/graph/from.hpp"
#include "spillway/operators/sink.hpp"

namespace sw = spillway;

auto numbers = sw::stage<"numbers">(sw::any_cpu{}, sw::source([] { return std::optional(1); }));

#ifdef SPILLWAY_MUST_FAIL
auto several = sw::stage<"several">(sw::replicas(2), sw::from(numbers) | sw::sink([](int) {}));
#else
auto several = sw::stage<"several">(sw::replicas(2), sw::from(numbers, sw::round_robin) | sw::sink([](int) {}));
#endif
