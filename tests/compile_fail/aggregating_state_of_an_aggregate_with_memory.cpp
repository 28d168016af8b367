// error: spillway: an aggregating_state needs an aggregate with accumulator, result, add and get for its record type, and without open
#include <cstdint>

#include "spillway/state/aggregating_state.hpp"

namespace sw = spillway;

struct sum_of_numbers {
  template <class>
  using accumulator = int;
  template <class>
  using result = int;
#ifdef SPILLWAY_MUST_FAIL
  void open(sw::arena&) {}
#endif
  template <class In>
  void add(int& into, const In& n, sw::timestamp, std::uint64_t) const {
    into += n;
  }
  template <class In>
  int get(const int& from) const {
    return from;
  }
};
constexpr sum_of_numbers sum;

struct state {
  sw::aggregating_state<int, sum> total;
};
state s;
