// error: spillway: output() names a tag that the process function does not declare in `emits`
#include "spillway/graph/stage.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/ascending.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/window.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"large", std::size_t> large{};
auto numbers = sw::source([] { return std::optional(1); });

template <const auto&... Declared>
struct size {
  using main = std::size_t;
  using emits = sw::emits<Declared...>;
  void on_window(auto& ctx, const sw::time_window&, auto elements) { ctx.output(large, elements.size()); }
};

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::window(sw::count_of(3)) | sw::window_process(size<>{});
#else
auto chain = numbers | sw::window(sw::count_of(3)) | sw::window_process(size<large>{});
#endif
