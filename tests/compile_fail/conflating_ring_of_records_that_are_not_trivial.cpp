// error: spillway: a record of a conflating ring must be trivially copyable
#include "spillway/core/conflating_ring.hpp"

struct quote {
  int symbol;
#ifdef SPILLWAY_MUST_FAIL
  ~quote() {}
#endif
};

auto cells_of(const spillway::conflating_ring<quote>& ring) { return ring.cells_count(); }
