// error: spillway: an output_tag needs a name that is not empty
#include "spillway/operators/output_tag.hpp"

namespace sw = spillway;

#ifdef SPILLWAY_MUST_FAIL
inline constexpr sw::output_tag<"", int> late{};
#else
inline constexpr sw::output_tag<"late", int> late{};
#endif
