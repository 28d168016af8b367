// error: spillway: an aggregate needs a member template `result<In>`, and its field must be readable from the record
#include "spillway/graph/expression.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

struct largest {
  template <class>
  using accumulator = int;
#ifndef SPILLWAY_MUST_FAIL
  template <class>
  using result = int;
#endif
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
