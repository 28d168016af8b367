// error: spillway: on_error hands on the record as it came, so it must be copyable
#include <memory>

#include "spillway/graph/expression.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/on_error.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"failed", int> failed{};
auto reason = [](const auto& record, std::string_view) { return record ? 1 : 0; };
auto owners =
    sw::source([] { return std::optional(std::make_unique<int>(1)); }) | sw::map([](std::unique_ptr<int> n) { return *n; });
auto sharers =
    sw::source([] { return std::optional(std::make_shared<int>(1)); }) | sw::map([](std::shared_ptr<int> n) { return *n; });

#ifdef SPILLWAY_MUST_FAIL
auto chain = std::move(owners) | sw::on_error(failed, reason);
#else
auto chain = std::move(sharers) | sw::on_error(failed, reason);
#endif
