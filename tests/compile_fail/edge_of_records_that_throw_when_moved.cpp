// error: spillway: a record that crosses an edge must move and be destroyed without throwing
#include "spillway/graph/from.hpp"

namespace sw = spillway;

struct order {
  order() = default;
#ifdef SPILLWAY_MUST_FAIL
  order(order&&) {}
#else
  order(order&&) noexcept {}
#endif
};

auto orders = sw::stage<"orders">(sw::any_cpu{}, sw::source([] { return std::optional<order>(std::in_place); }));
auto head = sw::from(orders);
