// error: spillway: emits<...> takes output_tag constants
#include "spillway/operators/output_tag.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"late", int> late{};
inline constexpr int number = 1;

#ifdef SPILLWAY_MUST_FAIL
using tags = sw::emits<late, number>::list;
#else
using tags = sw::emits<late>::list;
#endif
