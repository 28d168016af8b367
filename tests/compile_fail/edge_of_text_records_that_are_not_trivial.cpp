// error: spillway: a record with text that crosses an edge must be trivially copyable
#include "spillway/graph/from.hpp"

namespace sw = spillway;

struct line {
  sw::text_ref text;
#ifdef SPILLWAY_MUST_FAIL
  ~line() {}
#endif
};
sw::text_ref& text_of(line& l) { return l.text; }

inline constexpr sw::output_tag<"malformed", line> malformed{};
auto head = sw::from(malformed);
