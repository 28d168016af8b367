// error: spillway: a record of an overwriting ring must be trivially copyable
#include "spillway/core/overwrite_ring.hpp"

struct quote {
  int symbol;
#ifdef SPILLWAY_MUST_FAIL
  ~quote() {}
#endif
};

auto capacity_of(const spillway::overwrite_ring<quote>& ring) { return ring.capacity(); }
