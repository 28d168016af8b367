// error: spillway: a reducing_state needs a function of two values that returns one: T(const T&, const T&)
#include <string>

#include "spillway/state/reducing_state.hpp"

namespace sw = spillway;

#ifdef SPILLWAY_MUST_FAIL
constexpr auto larger = [](const std::string& a, const std::string& b) { return a > b ? a : b; };
#else
constexpr auto larger = [](double a, double b) { return a > b ? a : b; };
#endif

struct state {
  sw::reducing_state<double, larger> highest;
};
state s;
