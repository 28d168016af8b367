// error: spillway: a tag is emitted but never read; read it with from(tag) or on(tag, ...), or write discard(tag) as an item of the pipeline
#include "spillway/operators/process.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace sw = spillway;

// Reading the tag of one stage does not read the other stage's.
inline constexpr sw::output_tag<"odd", int> odd{};

int main() {
  auto numbers = sw::source([] { return std::optional(1); });
  auto split = sw::process<sw::no_record>(sw::emits<odd>{}, [](auto& ctx, int n) { ctx.output(odd, n); });
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers | split);
  auto b = sw::stage<"b">(sw::any_cpu{}, numbers | split);
  auto of_a = sw::stage<"reader">(sw::any_cpu{}, sw::from(a.side(odd)) | sw::discard());
  auto of_both = sw::stage<"reader">(sw::any_cpu{}, sw::from(odd) | sw::discard());
#ifdef SPILLWAY_MUST_FAIL
  sw::pipeline p(a, b, of_a);
#else
  sw::pipeline p(a, b, of_both);
#endif
}
