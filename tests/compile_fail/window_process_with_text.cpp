// error: spillway: window_process keeps its records, so they cannot carry text_ref; map the text to a fixed_string first
#include "spillway/graph/stage.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/ascending.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;

auto lines = sw::source([] { return std::optional(sw::text_ref()); });
auto numbers = sw::source([] { return std::optional(1); });
struct size {
  using main = std::size_t;
  using emits = sw::emits<>;
  void on_window(auto& ctx, const sw::time_window&, auto elements) { ctx.emit(elements.size()); }
};

#ifdef SPILLWAY_MUST_FAIL
auto chain = lines | sw::window(sw::count_of(3)) | sw::window_process(size{});
#else
auto chain = numbers | sw::window(sw::count_of(3)) | sw::window_process(size{});
#endif
