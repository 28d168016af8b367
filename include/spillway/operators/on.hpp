// One more reader of a side output: a chain fused into the same thread, without a ring.
//
// 1. `on(tag, chain)` reads a tag of the operator right before it. Several may follow each other.
// 2. It takes nothing away: `from(tag)` elsewhere still gets every record; each reader then gets a copy.
// 3. It runs inside the call that emits, depth first, so its time is the emitting operator's time.
//
//     std::vector<std::string_view> reasons;
//     auto values = collect(lines()
//                           | sw::try_map(sw::fn<parse>, malformed)
//                           | sw::on(malformed, sw::sink([&](const bad_line& b) { reasons.push_back(b.reason); })));
//     assert((values == std::vector{7, 9}) && reasons.size() == 1);
#pragma once

#include "spillway/operators/operator.hpp"

namespace spillway {

template <class Tag, class Chain>
struct on_operator : operator_base {
  using tag = Tag;
  Chain chain;
};

/// Feeds what the operator before emits to `tag` into `chain`: an operator, a sink, or several joined by `|`.
template <any_output_tag Tag, any_operator Chain>
constexpr on_operator<std::remove_cvref_t<Tag>, Chain> on(const Tag&, Chain chain) {
  return {{}, std::move(chain)};
}

}  // namespace spillway
