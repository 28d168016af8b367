// error: spillway: a record that is copied while it is written must be trivially copyable
#include "spillway/core/atomic_record.hpp"

struct quote {
  int symbol;
#ifdef SPILLWAY_MUST_FAIL
  ~quote() {}
#endif
};

void write(spillway::atomic_record<quote>& cell, const quote& q) { cell.store(q); }
