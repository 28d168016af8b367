// error: spillway: one tag name is used with two record types in one stage
#include "spillway/operators/process.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"odd", int> odd{};
inline constexpr sw::output_tag<"odd", long> odd_long{};

int main() {
  auto numbers = sw::source([] { return std::optional(1); });
  auto first = sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int n) { ctx.output(odd, n), ctx.emit(n); });
  auto second = sw::process<sw::no_record>(sw::emits<odd_long>{}, [](auto& ctx, int n) { ctx.output(odd_long, n); });
  auto both = sw::stage<"both">(sw::any_cpu{}, numbers | first | second);
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers | first | sw::discard());
  auto b = sw::stage<"b">(sw::any_cpu{}, numbers | second);
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(both, sw::discard(odd), sw::discard(odd_long));
#else
  sw::pipeline p(a, b, sw::discard(odd), sw::discard(odd_long));
#endif
}
