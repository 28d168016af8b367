// error: spillway: on_error needs a tag of failed_record<record>, or a function (const record&, std::string_view reason) that makes the tag's record
#include "spillway/graph/expression.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/on_error.hpp"

namespace sw = spillway;

inline constexpr sw::output_tag<"failed", sw::failed_record<int>> failed{};
inline constexpr sw::output_tag<"other", sw::failed_record<double*>> other{};
auto numbers = sw::source([] { return std::optional(1); }) | sw::map([](int n) { return n; });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | sw::on_error(other);
#else
auto chain = numbers | sw::on_error(failed);
#endif
