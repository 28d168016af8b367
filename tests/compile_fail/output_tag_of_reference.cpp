// error: spillway: an output_tag carries values, not references or void
#include "spillway/operators/output_tag.hpp"

namespace sw = spillway;

#ifdef SPILLWAY_MUST_FAIL
inline constexpr sw::output_tag<"late", int&> late{};
#else
inline constexpr sw::output_tag<"late", int> late{};
#endif
