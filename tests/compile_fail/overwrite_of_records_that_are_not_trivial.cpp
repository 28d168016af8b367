// error: spillway: overwrite_oldest needs trivially copyable records, whose text, if any, is not in the source's memory
#include <string>

#include "spillway/graph/from.hpp"

namespace sw = spillway;

struct quote {
  int symbol;
  double price;
};
auto quotes = sw::stage<"quotes">(sw::any_cpu{}, sw::source([] { return std::optional(quote{1, 2.0}); }));
auto words = sw::stage<"words">(sw::any_cpu{}, sw::source([] { return std::optional(std::string("one")); }));

#ifdef SPILLWAY_MUST_FAIL
auto head = sw::from(words, sw::overwrite_oldest);
#else
auto head = sw::from(quotes, sw::overwrite_oldest);
#endif
