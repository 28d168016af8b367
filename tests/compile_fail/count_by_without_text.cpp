// error: spillway: count_by needs a function of the record that returns a value with == and operator<<
#include "spillway/graph/expression.hpp"
#include "spillway/operators/count_by.hpp"

namespace sw = spillway;

struct place {
  int row;
};
auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::count_by([](int n) { return place{n}; });
#else
auto chain = numbers | sw::count_by([](int n) { return place{n}.row; });
#endif
