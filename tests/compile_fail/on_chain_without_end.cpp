// error: spillway: the chain in on(tag, ...) ends in records that nobody reads; end it with sink, count_by or discard()
#include "spillway/graph/expression.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/process.hpp"
#include "spillway/operators/sink.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"odd", int> odd{};
auto numbers = sw::source([] { return std::optional(1); });
auto split = numbers | sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int n) { ctx.output(odd, n); });
auto half = sw::map([](int n) { return n / 2; });

#ifdef SPILLWAY_MUST_FAIL
auto chain = split | sw::on(odd, half);
#else
auto chain = split | sw::on(odd, half | sw::discard());
#endif
