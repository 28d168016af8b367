// error: spillway: a tag that on(tag, ...) reads must carry copyable records
#include "spillway/graph/expression.hpp"
#include "spillway/operators/process.hpp"
#include "spillway/operators/sink.hpp"

namespace sw = spillway;

struct token {
  token() = default;
#ifdef SPILLWAY_MUST_FAIL
  token(const token&) = delete;
#else
  token(const token&) = default;
#endif
  token(token&&) noexcept = default;
};
inline constexpr sw::output_tag<"refused", token> refused{};

auto numbers = sw::source([] { return std::optional(1); });
auto refuse = sw::process<sw::no_record>(sw::emits<refused>{}, [](auto& ctx, int) { ctx.output(refused, token{}); });
auto chain = numbers | refuse | sw::on(refused, sw::discard());
