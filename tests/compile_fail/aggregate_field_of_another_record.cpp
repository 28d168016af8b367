// error: spillway: an aggregate needs a member template `accumulator<In>`
#include "spillway/graph/expression.hpp"
#include "spillway/windows/aggregates/mean.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;

struct reading {
  double celsius;
};
struct trade {
  double price;
};
auto readings = sw::source([] { return std::optional(reading{}); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = readings | sw::window(sw::count_of(3)) | sw::aggregate(sw::mean(&trade::price));
#else
auto chain = readings | sw::window(sw::count_of(3)) | sw::aggregate(sw::mean(&reading::celsius));
#endif
