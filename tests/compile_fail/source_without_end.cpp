// error: spillway: source needs an object with `record` and source_status poll(auto& out, std::size_t limit), or a function that returns std::optional<record>
#include "spillway/operators/source.hpp"

namespace sw = spillway;

#ifdef SPILLWAY_MUST_FAIL
auto head = sw::source([] { return 1; });
#else
auto head = sw::source([] { return std::optional(1); });
#endif
