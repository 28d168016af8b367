// error: spillway: an outlet's records must be movable
#include "spillway/runtime/outlet.hpp"

struct fixed {
  fixed() = default;
  fixed(const fixed&) = delete;
};
struct movable {
  movable() = default;
  movable(movable&&) noexcept {}
};

#ifdef SPILLWAY_MUST_FAIL
spillway::outlet<fixed> out;
#else
spillway::outlet<movable> out;
#endif
