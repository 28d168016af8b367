// error: spillway: a window needs its function right behind it: aggregate(...) or window_process(...)
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
auto counts = sw::stage<"counts">(sw::any_cpu{}, numbers | timed | sw::window(sw::tumbling(1s)));
#else
auto counts = sw::stage<"counts">(sw::any_cpu{}, numbers | timed | sw::window(sw::tumbling(1s)) | sw::aggregate(sw::count()));
#endif
