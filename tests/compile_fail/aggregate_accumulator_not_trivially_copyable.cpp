// error: spillway: an aggregate's accumulator must be trivially copyable; keep memory behind a pointer and give it back in `discard`
#include "spillway/graph/expression.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });

struct largest {
  struct state {
#ifdef SPILLWAY_MUST_FAIL
    int value = 0;
    ~state() {}
#else
    int value = 0;
#endif
  };
  template <class>
  using accumulator = state;
  template <class>
  using result = int;
  template <class In>
  void add(state& into, const In& n, sw::timestamp, std::uint64_t) const {
    if (n > into.value) into.value = n;
  }
  template <class In>
  void merge(state& into, const state& from) const {
    if (from.value > into.value) into.value = from.value;
  }
  template <class In>
  int get(const state& from) const {
    return from.value;
  }
};

auto chain = numbers | sw::window(sw::count_of(3)) | sw::aggregate(largest{});
