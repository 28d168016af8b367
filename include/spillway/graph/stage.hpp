// A stage: a name, a placement, a fused chain. A value; nothing runs until a pipeline is made of it.
//
// 1. `from(stage)` elsewhere takes only its name, record type and time from it, so errors do not print its whole chain.
// 2. `stage.side(tag)` names one tag of this stage alone.
//
//     auto out = spillway::stage<"publish">(spillway::any_cpu{}, spillway::from(average) | spillway::sink(publish));
#pragma once

#include <string_view>
#include <utility>

#include "spillway/core/fixed_string.hpp"
#include "spillway/graph/expression.hpp"
#include "spillway/graph/placement.hpp"

namespace spillway {

/// One tag of one stage, for `from`.
template <fixed_string Stage, class Tag>
struct side_of {};

template <fixed_string Name, class Expression>
class stage_value {
 public:
  using is_stage = void;
  using output = typename Expression::output;
  using emits = typename Expression::emits;
  using on_tags = typename Expression::on_tags;
  using reads = typename Expression::reads;
  static constexpr auto name = Name;

  constexpr stage_value(placement at, Expression chain) : where(at), expression(std::move(chain)) {}

  template <any_output_tag Tag>
  constexpr side_of<Name, std::remove_cvref_t<Tag>> side(const Tag&) const {
    return {};
  }

  placement where;
  Expression expression;
};

template <fixed_string Name>
class stage_value<Name, poison> {
 public:
  using is_stage = void;
  static constexpr auto name = Name;
  template <class Tag>
  constexpr poison side(const Tag&) const {
    return {};
  }
};

/// `stage<"name">(placement, head | operators...)`.
template <fixed_string Name, class Expression>
constexpr auto stage(placement where, Expression expression) {
  static_assert(Name.size() > 0, "spillway: a stage needs a name that is not empty");
  if constexpr (std::is_same_v<Expression, poison>) {
    return stage_value<Name, poison>{};
  } else if constexpr (detail::open_expression<Expression>) {
    static_assert(detail::never<Expression>,
                  "spillway: a window needs its function right behind it: aggregate(...) or window_process(...)");
    return stage_value<Name, poison>{};
  } else if constexpr (!detail::any_expression<Expression>) {
    static_assert(detail::never<Expression>, "spillway: a stage begins with source(...) or from(...)");
    return stage_value<Name, poison>{};
  } else {
    return stage_value<Name, Expression>(where, std::move(expression));
  }
}

}  // namespace spillway
