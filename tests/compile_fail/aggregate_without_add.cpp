// error: spillway: an aggregate needs `template <class In> void add(accumulator<In>&, const In&, timestamp, std::uint64_t) const`
#include "spillway/graph/expression.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

struct largest {
  template <class>
  using accumulator = int;
  template <class>
  using result = int;
#ifndef SPILLWAY_MUST_FAIL
  template <class In>
  void add(int& into, const In& n, sw::timestamp, std::uint64_t) const {
    if (n > into) into = n;
  }
#endif
  template <class In>
  void merge(int& into, const int& from) const {
    if (from > into) into = from;
  }
  template <class In>
  int get(const int& from) const {
    return from;
  }
};

auto chain = numbers | sw::window(sw::count_of(3)) | sw::aggregate(largest{});
