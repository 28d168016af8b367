// error: spillway: try_map needs a function that takes the record before it and returns result<value, error> or std::optional<value>, where the tag's record can be made from the error or from the record
#include "spillway/graph/expression.hpp"
#include "spillway/operators/try_map.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"bad", int> bad{};
auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::try_map([](int n) { return n; }, bad);
#else
auto chain = numbers | sw::try_map([](int n) { return std::optional(n); }, bad);
#endif
