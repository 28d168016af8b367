// error: spillway: conflate needs trivially copyable records without text, and a function of the record that returns text or a trivially copyable key with ==
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
auto head = sw::from(words, sw::conflate([](const std::string&) { return 1; }));
#else
auto head = sw::from(quotes, sw::conflate([](const quote&) { return 1; }));
#endif
