// All aggregates of a run as one: which of them are kept is known when the job begins.
//
// Owned by one stage.
// 1. The parts are the library's own aggregates, so they say what each one means; a part that nobody asked for costs one test.
//
//     window(tumbling(1s)) | aggregate(summary(options.aggregates))
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "spillway/core/arena.hpp"
#include "spillway/run/records.hpp"
#include "spillway/run/run_options.hpp"
#include "spillway/windows/aggregates/aggregate.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/aggregates/first.hpp"
#include "spillway/windows/aggregates/first_by_time.hpp"
#include "spillway/windows/aggregates/last.hpp"
#include "spillway/windows/aggregates/last_by_time.hpp"
#include "spillway/windows/aggregates/maximum.hpp"
#include "spillway/windows/aggregates/mean.hpp"
#include "spillway/windows/aggregates/minimum.hpp"
#include "spillway/windows/aggregates/quantile.hpp"
#include "spillway/windows/aggregates/standard_deviation.hpp"
#include "spillway/windows/aggregates/sum.hpp"
#include "spillway/windows/aggregates/weighted_mean.hpp"

namespace spillway::tool {

inline constexpr std::size_t most_aggregates = 32;

/// The values of one row, in the order asked for; NaN: nothing to print.
struct summary_values {
  std::array<double, most_aggregates> value{};
};

class summary {
  using value_field = double tick::*;
  template <class Aggregate>
  using part = accumulator_of<Aggregate, tick>;

 public:
  struct state {
    part<count> records;
    part<sum<value_field>> total;
    part<mean<value_field>> average;
    part<minimum<value_field>> least;
    part<maximum<value_field>> most;
    part<first<value_field>> first_in;
    part<last<value_field>> last_in;
    part<first_by_time<value_field>> opened;
    part<last_by_time<value_field>> closed;
    part<weighted_mean<value_field, value_field>> weighted;
    part<standard_deviation<value_field>> spread;
    quantile_sketch sketch;
  };
  template <class In>
  using accumulator = std::enable_if_t<std::is_same_v<In, tick>, state>;
  template <class In>
  using result = std::enable_if_t<std::is_same_v<In, tick>, summary_values>;

  /// Requires: at most `most_aggregates` choices.
  explicit summary(const std::vector<aggregate_choice>& choices) : choices_(choices) {
    for (const aggregate_choice& c : choices) kept_ |= bit(c.kind);
  }

  void open(arena& memory) noexcept { memory_ = &memory; }

  template <class In>
  void add(state& s, const In& r, timestamp t, std::uint64_t arrival) const {
    each_part([&](const auto& aggregate, auto& to) { aggregate.template add<tick>(to, r, t, arrival); }, s);
    if (keeps(aggregate_kind::quantile)) s.sketch.add(*memory_, r.value);
  }
  template <class In>
  void merge(state& into, const state& from) const {
    each_part([](const auto& aggregate, auto& to, const auto& other) { aggregate.template merge<tick>(to, other); }, into, from);
    if (keeps(aggregate_kind::quantile)) into.sketch.merge(*memory_, from.sketch);
  }
  template <class In>
  summary_values get(const state& s) const {
    summary_values all;
    for (std::size_t i = 0; i < choices_.size(); ++i) all.value[i] = value_of(choices_[i], s);
    return all;
  }
  template <class In>
  void discard(state& s) const noexcept {
    s.sketch.discard(*memory_);
  }

 private:
  static constexpr std::uint32_t bit(aggregate_kind kind) noexcept { return std::uint32_t{1} << static_cast<unsigned>(kind); }
  bool keeps(aggregate_kind kind) const noexcept { return (kept_ & bit(kind)) != 0; }

  /// `f(aggregate, part of each state...)` for each part that is kept.
  template <class F, class... States>
  void each_part(F&& f, States&... s) const {
    if (keeps(aggregate_kind::count)) f(records_, s.records...);
    if (keeps(aggregate_kind::sum)) f(total_, s.total...);
    if (keeps(aggregate_kind::avg)) f(average_, s.average...);
    if (keeps(aggregate_kind::min)) f(least_, s.least...);
    if (keeps(aggregate_kind::max)) f(most_, s.most...);
    if (keeps(aggregate_kind::first)) f(first_in_, s.first_in...);
    if (keeps(aggregate_kind::last)) f(last_in_, s.last_in...);
    if (keeps(aggregate_kind::open)) f(opened_, s.opened...);
    if (keeps(aggregate_kind::close)) f(closed_, s.closed...);
    if (keeps(aggregate_kind::vwap)) f(weighted_, s.weighted...);
    if (keeps(aggregate_kind::stddev)) f(spread_, s.spread...);
  }

  double value_of(const aggregate_choice& choice, const state& s) const {
    switch (choice.kind) {
      case aggregate_kind::count:
        return static_cast<double>(records_.template get<tick>(s.records));
      case aggregate_kind::sum:
        return total_.template get<tick>(s.total);
      case aggregate_kind::avg:
        return average_.template get<tick>(s.average);
      case aggregate_kind::min:
        return least_.template get<tick>(s.least);
      case aggregate_kind::max:
        return most_.template get<tick>(s.most);
      case aggregate_kind::first:
        return first_in_.template get<tick>(s.first_in);
      case aggregate_kind::last:
        return last_in_.template get<tick>(s.last_in);
      case aggregate_kind::open:
        return opened_.template get<tick>(s.opened);
      case aggregate_kind::close:
        return closed_.template get<tick>(s.closed);
      case aggregate_kind::vwap:
        return weighted_.template get<tick>(s.weighted);
      case aggregate_kind::stddev:
        return spread_.template get<tick>(s.spread).value_or(std::nan(""));
      case aggregate_kind::quantile:
        return s.sketch.quantile(choice.quantile);
    }
    return std::nan("");
  }

  std::vector<aggregate_choice> choices_;
  std::uint32_t kept_ = 0;
  arena* memory_ = nullptr;
  count records_;
  sum<value_field> total_{&tick::value};
  mean<value_field> average_{&tick::value};
  minimum<value_field> least_{&tick::value};
  maximum<value_field> most_{&tick::value};
  first<value_field> first_in_{&tick::value};
  last<value_field> last_in_{&tick::value};
  first_by_time<value_field> opened_{&tick::value};
  last_by_time<value_field> closed_{&tick::value};
  weighted_mean<value_field, value_field> weighted_{&tick::value, &tick::weight};
  standard_deviation<value_field> spread_{&tick::value};
};

}  // namespace spillway::tool
