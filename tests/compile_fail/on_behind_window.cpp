// error: spillway: on(tag, ...) stands behind the function of a window, aggregate(...) or window_process(...), not behind window(...)
#include <chrono>

#include "spillway/graph/expression.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/ascending.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;

struct reading {
  sw::timestamp at;
};
inline constexpr sw::output_tag<"late", reading> late{};
auto readings = sw::source([] { return std::optional(reading{}); }) | sw::watermarks(sw::ascending(), &reading::at);
auto windows = sw::window(sw::tumbling(std::chrono::seconds(1)), late);
auto reader = sw::on(late, sw::discard());

#ifdef SPILLWAY_MUST_FAIL
auto chain = readings | windows | reader | sw::aggregate(sw::count());
#else
auto chain = readings | windows | sw::aggregate(sw::count()) | reader;
#endif
