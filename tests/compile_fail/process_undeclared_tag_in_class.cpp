// error: spillway: output() names a tag that the process function does not declare in `emits`
#include "spillway/graph/expression.hpp"
#include "spillway/operators/process.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"odd", int> odd{};
inline constexpr sw::output_tag<"even", int> even{};
auto numbers = sw::source([] { return std::optional(1); });

template <const auto& Declared>
struct split {
  using main = int;
  using emits = sw::emits<Declared>;
  void on_record(auto& ctx, int n) { ctx.output(odd, n); }
};

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::process(split<even>{});
#else
auto chain = numbers | sw::process(split<odd>{});
#endif
