// error: spillway: output() is given a value that is not of its tag's record type
#include "spillway/graph/expression.hpp"
#include "spillway/operators/process.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"odd", int> odd{};
inline constexpr sw::output_tag<"even", int> even{};
auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int) { ctx.output(odd, "one"); });
#else
auto chain = numbers | sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int) { ctx.output(odd, 1); });
#endif
