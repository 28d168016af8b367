// error: spillway: a window of time needs event time; put watermarks(generator, &record::time) before it
#include "spillway/graph/stage.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/ascending.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });
auto timed = sw::watermarks(sw::ascending(), [](int n) { return sw::timestamp(n); });
using namespace std::chrono_literals;

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::window(sw::tumbling(1s)) | sw::aggregate(sw::count());
#else
auto chain = numbers | timed | sw::window(sw::tumbling(1s)) | sw::aggregate(sw::count());
#endif
