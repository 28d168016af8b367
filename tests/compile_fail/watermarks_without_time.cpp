// error: spillway: watermarks needs a function of the record that returns its timestamp, or records that have one
#include "spillway/graph/expression.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/ascending.hpp"

namespace sw = spillway;

struct reading {
  sw::timestamp at;
  double celsius;
};
auto readings = sw::source([] { return std::optional(reading{}); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = readings | sw::watermarks(sw::ascending(), &reading::celsius);
#else
auto chain = readings | sw::watermarks(sw::ascending(), &reading::at);
#endif
