// error: spillway: watermarks needs a generator with on_record(const record&, timestamp) -> timestamp
#include "spillway/graph/expression.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/ascending.hpp"

namespace sw = spillway;

struct no_generator {};
auto numbers = sw::source([] { return std::optional(1); });
auto time_of = [](int n) { return sw::timestamp(n); };

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::watermarks(no_generator{}, time_of);
#else
auto chain = numbers | sw::watermarks(sw::ascending(), time_of);
#endif
