// error: spillway: key_by needs a function of the record that returns text or a trivially copyable key with ==
#include "spillway/graph/expression.hpp"
#include "spillway/operators/key_by.hpp"

namespace sw = spillway;

struct line {
  char name[8];
  int number;
};
auto lines = sw::source([] { return std::optional(line{}); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = lines | sw::key_by(&line::name);
#else
auto chain = lines | sw::key_by(&line::number);
#endif
