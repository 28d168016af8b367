// error: spillway: a record that goes through an inlet must move and be destroyed without throwing
#include "spillway/runtime/any_inlet.hpp"

struct careless {
  careless() = default;
  careless(careless&&) noexcept(false) {}
};
struct careful {
  careful() = default;
  careful(careful&&) noexcept {}
};

#ifdef SPILLWAY_MUST_FAIL
spillway::any_inlet<careless> in;
#else
spillway::any_inlet<careful> in;
#endif
