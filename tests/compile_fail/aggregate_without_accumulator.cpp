// error: spillway: an aggregate needs a member template `accumulator<In>`
#include "spillway/graph/expression.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

struct largest {
#ifndef SPILLWAY_MUST_FAIL
  template <class>
  using accumulator = int;
#endif
  template <class>
  using result = int;
  template <class In>
  void add(int& into, const In& n, sw::timestamp, std::uint64_t) const {
    if (n > into) into = n;
  }
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
