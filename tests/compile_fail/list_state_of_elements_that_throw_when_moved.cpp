// error: spillway: what a list in keyed state keeps is nothrow-movable
#include "spillway/state/list_state.hpp"

namespace sw = spillway;

struct element {
  element() = default;
#ifdef SPILLWAY_MUST_FAIL
  element(element&&) noexcept(false) {}
#endif
};

struct state {
  sw::list_state<element> open;
};
state s;
