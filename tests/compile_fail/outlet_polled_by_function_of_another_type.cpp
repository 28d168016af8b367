// error: spillway: an outlet's poll needs a function that takes the record, or the record and its timestamp
#include <string>

#include "spillway/runtime/outlet.hpp"

spillway::outlet<int> out;

#ifdef SPILLWAY_MUST_FAIL
auto given = out.poll([](const std::string&) {});
#else
auto given = out.poll([](int) {});
#endif
