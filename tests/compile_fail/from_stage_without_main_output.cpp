// error: spillway: from(stage) reads a stage that has no main output
#include "spillway/graph/from.hpp"
#include "spillway/operators/sink.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });
auto ingest = sw::stage<"ingest">(sw::any_cpu{}, numbers);
auto log = sw::stage<"log">(sw::any_cpu{}, numbers | sw::discard());

#ifdef SPILLWAY_MUST_FAIL
auto head = sw::from(log);
#else
auto head = sw::from(ingest);
#endif
