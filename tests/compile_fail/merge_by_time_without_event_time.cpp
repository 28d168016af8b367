// error: spillway: merge_by_time needs event time: write watermarks(...) in the stages that it reads
#include "spillway/core/text_ref.hpp"
#include "spillway/graph/merge_by_time.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/ascending.hpp"

namespace sw = spillway;

struct line {
  sw::text_ref text;
  int n;
};
sw::text_ref& text_of(line& l) { return l.text; }

auto numbers = sw::source([] { return std::optional(1); });
auto lines = sw::source([] { return std::optional(line{}); });
auto plain = sw::stage<"plain">(sw::any_cpu{}, numbers);
auto timed = sw::stage<"timed">(sw::any_cpu{}, numbers | sw::watermarks(sw::ascending(), [](int n) { return sw::timestamp(n); }));
auto text =
    sw::stage<"text">(sw::any_cpu{}, lines | sw::watermarks(sw::ascending(), [](const line& l) { return sw::timestamp(l.n); }));

#ifdef SPILLWAY_MUST_FAIL
auto head = sw::merge_by_time(timed, plain);
#else
auto head = sw::merge_by_time(timed, timed);
#endif
