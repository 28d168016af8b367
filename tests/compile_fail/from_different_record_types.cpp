// error: spillway: from(a, b) reads streams of different record types
#include "spillway/graph/from.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });
auto words = sw::source([] { return std::optional("one"); });
auto a = sw::stage<"a">(sw::any_cpu{}, numbers);
auto b = sw::stage<"b">(sw::any_cpu{}, numbers);
auto c = sw::stage<"c">(sw::any_cpu{}, words);

#ifdef SPILLWAY_MUST_FAIL
auto head = sw::from(a, c);
#else
auto head = sw::from(a, b);
#endif
