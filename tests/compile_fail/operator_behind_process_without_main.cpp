// error: spillway: nothing can stand behind a sink or an operator without a main output
#include "spillway/graph/expression.hpp"
#include "spillway/operators/process.hpp"
#include "spillway/operators/sink.hpp"

namespace sw = spillway;

template <class Main>
auto look = sw::process<Main>(sw::emits<>{}, [](auto&, int) {});
auto numbers = sw::source([] { return std::optional(1); });

#ifdef SPILLWAY_MUST_FAIL
auto chain = numbers | look<sw::no_record> | sw::discard();
#else
auto chain = numbers | look<int> | sw::discard();
#endif
