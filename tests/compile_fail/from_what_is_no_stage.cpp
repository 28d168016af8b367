// error: spillway: from takes a stage, a tag, stage.side(tag), or edge(...) of one of them
#include "spillway/graph/from.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });
auto ingest = sw::stage<"ingest">(sw::any_cpu{}, numbers);

#ifdef SPILLWAY_MUST_FAIL
auto head = sw::from(numbers);
#else
auto head = sw::from(ingest);
#endif
