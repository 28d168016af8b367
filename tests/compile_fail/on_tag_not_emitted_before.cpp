// error: spillway: on(tag, ...) reads a tag that the operator right before it does not emit
#include "spillway/graph/expression.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/process.hpp"
#include "spillway/operators/sink.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"odd", int> odd{};
auto numbers = sw::source([] { return std::optional(1); });
auto split = sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int n) { ctx.output(odd, n); });
auto positive = sw::filter([](int n) { return n > 0; });
auto reader = sw::on(odd, sw::discard());

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | split | positive | reader;
#else
auto chain = numbers | split | reader | positive;
#endif
