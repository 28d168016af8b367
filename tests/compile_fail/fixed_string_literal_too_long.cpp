// error: spillway: the literal is longer than the fixed_string
#include "spillway/core/fixed_string.hpp"

#ifdef SPILLWAY_MUST_FAIL
spillway::fixed_string<4> name{"sensor"};
#else
spillway::fixed_string<6> name{"sensor"};
#endif
