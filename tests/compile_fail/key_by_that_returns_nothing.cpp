// error: spillway: key_by needs a function of the record that returns text or a trivially copyable key with ==
#include "spillway/graph/expression.hpp"
#include "spillway/operators/key_by.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::key_by([](int) {});
#else
auto chain = numbers | sw::key_by([](int n) { return n; });
#endif
