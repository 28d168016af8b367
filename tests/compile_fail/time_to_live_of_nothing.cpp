// error: spillway: a time-to-live is longer than 0
#include <chrono>

#include "spillway/state/value_state.hpp"

namespace sw = spillway;
using namespace std::chrono_literals;

#ifdef SPILLWAY_MUST_FAIL
constexpr auto lifetime = 0s;
#else
constexpr auto lifetime = 5s;
#endif

struct state {
  sw::value_state<double, sw::expires_after(lifetime)> last;
};
state s;
