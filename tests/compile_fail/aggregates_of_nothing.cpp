// error: spillway: aggregates needs at least one aggregate
#include "spillway/windows/aggregates/aggregates.hpp"
#include "spillway/windows/aggregates/count.hpp"

namespace sw = spillway;

#ifdef SPILLWAY_MUST_FAIL
sw::aggregates<> all;
#else
sw::aggregates<sw::count> all(sw::count{});
#endif
