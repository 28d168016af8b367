// error: spillway: a count window has no late records, so it takes no late tag
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

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::window(sw::count_of(3), late) | sw::aggregate(sw::count());
#else
auto chain = numbers | sw::window(sw::count_of(3)) | sw::aggregate(sw::count());
#endif
