// error: spillway: the late tag of a window must carry the record type before the window
#include "spillway/graph/stage.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/ascending.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });
auto timed = sw::watermarks(sw::ascending(), [](int n) { return sw::timestamp(n); });
using namespace std::chrono_literals;
inline constexpr sw::output_tag<"late", int> late{};
inline constexpr sw::output_tag<"late_text", const char*> late_text{};

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | timed | sw::window(sw::tumbling(1s), late_text) | sw::aggregate(sw::count());
#else
auto chain = numbers | timed | sw::window(sw::tumbling(1s), late) | sw::aggregate(sw::count());
#endif
