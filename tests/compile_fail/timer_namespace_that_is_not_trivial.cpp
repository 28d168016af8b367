// error: spillway: the namespace of a timer is trivially copyable
#include <cstdint>
#include <string>

#include "spillway/state/timer_store.hpp"

namespace sw = spillway;

#ifdef SPILLWAY_MUST_FAIL
using name = std::string;
#else
using name = std::uint64_t;
#endif

sw::timer_store<name> timers;
