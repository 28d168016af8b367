// A stage: a name, a placement, a fused chain. A value; nothing runs until a pipeline is made of it.
//
// 1. `from(stage)` elsewhere takes only its name, record type and time from it, so errors do not print its whole chain.
// 2. `stage.side(tag)` names one tag of this stage alone.
//
//     int sum = 0;
//     auto numbers = sw::stage<"numbers">(sw::nth_allowed_cpu{0}, sw::source(sw::elements{1, 2, 3}));
//     auto total = sw::stage<"total">(sw::any_cpu{}, sw::from(numbers) | sw::sink([&](int n) { sum += n; }));
//     sw::pipeline(std::move(numbers), std::move(total)).run();
//     assert(sum == 6);
#pragma once

#include <string_view>
#include <utility>

#include "spillway/core/fixed_string.hpp"
#include "spillway/graph/expression.hpp"
#include "spillway/graph/placement.hpp"
#include "spillway/graph/replicas.hpp"

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

/// A stage of which the pipeline makes several copies.
template <fixed_string Name, class Expression>
class replicated_stage : public stage_value<Name, Expression> {
 public:
  replicated_stage(replicas several, Expression chain)
      : stage_value<Name, Expression>(placement{}, std::move(chain)), copies(std::move(several)) {}

  replicas copies;
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

namespace detail {

template <class Expression>
constexpr bool head_is_partitioned() {
  if constexpr (piped_expression<Expression>) {
    return head_is_partitioned<decltype(Expression::previous)>();
  } else if constexpr (requires { Expression::partitioned; }) {
    return Expression::partitioned;
  } else {
    return false;
  }
}

/// True when the expression can be a stage; else the one error was reported.
template <fixed_string Name, class Expression>
constexpr bool may_be_stage() {
  static_assert(Name.size() > 0, "spillway: a stage needs a name that is not empty");
  if constexpr (std::is_same_v<Expression, poison>) {
    return false;
  } else if constexpr (open_expression<Expression>) {
    static_assert(never<Expression>,
                  "spillway: a window needs its function right behind it: aggregate(...) or window_process(...)");
    return false;
  } else if constexpr (!any_expression<Expression>) {
    static_assert(never<Expression>, "spillway: a stage begins with source(...) or from(...)");
    return false;
  } else {
    return true;
  }
}

}  // namespace detail

/// `stage<"name">(placement, head | operators...)`.
template <fixed_string Name, class Expression>
constexpr auto stage(placement where, Expression expression) {
  if constexpr (detail::may_be_stage<Name, Expression>()) {
    return stage_value<Name, Expression>(where, std::move(expression));
  } else {
    return stage_value<Name, poison>{};
  }
}

/// `stage<"name">(replicas(4), from(x, partition_by(key)) | ...)`: several copies of one stage, which share its input.
template <fixed_string Name, class Expression>
auto stage(replicas several, Expression expression) {
  if constexpr (!detail::may_be_stage<Name, Expression>()) {
    return stage_value<Name, poison>{};
  } else if constexpr (!detail::head_is_partitioned<Expression>()) {
    static_assert(detail::never<Expression>,
                  "spillway: a stage with replicas reads each of its inputs by partition_by or round_robin");
    return stage_value<Name, poison>{};
  } else if constexpr (!std::is_copy_constructible_v<Expression>) {
    static_assert(detail::never<Expression>,
                  "spillway: a stage with replicas must be copyable, since each replica is a copy of it");
    return stage_value<Name, poison>{};
  } else {
    return replicated_stage<Name, Expression>(std::move(several), std::move(expression));
  }
}

}  // namespace spillway
