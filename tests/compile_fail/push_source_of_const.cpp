// error: spillway: a push_source's record is a type of values that are not const
#include "spillway/runtime/push_source.hpp"

#ifdef SPILLWAY_MUST_FAIL
spillway::push_source<const int> in;
#else
spillway::push_source<int> in;
#endif
