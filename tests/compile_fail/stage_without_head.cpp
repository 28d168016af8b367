// error: spillway: a stage begins with source(...) or from(...)
#include "spillway/graph/stage.hpp"
#include "spillway/operators/map.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });
auto half = sw::map([](int n) { return n / 2; });

#ifdef SPILLWAY_MUST_FAIL
auto ingest = sw::stage<"ingest">(sw::any_cpu{}, half);
#else
auto ingest = sw::stage<"ingest">(sw::any_cpu{}, numbers | half);
#endif
