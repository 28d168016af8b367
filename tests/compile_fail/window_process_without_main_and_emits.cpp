// error: spillway: window_process needs a class with `main`, `emits` and on_window(...)
#include "spillway/graph/stage.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/ascending.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;

auto numbers = sw::source([] { return std::optional(1); });
struct size {
  using main = std::size_t;
  using emits = sw::emits<>;
  void on_window(auto& ctx, const sw::time_window&, auto elements) { ctx.emit(elements.size()); }
};

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::window(sw::count_of(3)) | sw::window_process([](auto&, const auto&, auto) {});
#else
auto chain = numbers | sw::window(sw::count_of(3)) | sw::window_process(size{});
#endif
