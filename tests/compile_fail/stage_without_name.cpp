// error: spillway: a stage needs a name that is not empty
#include "spillway/graph/stage.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto ingest = sw::stage<"">(sw::any_cpu{}, numbers);
#else
auto ingest = sw::stage<"ingest">(sw::any_cpu{}, numbers);
#endif
