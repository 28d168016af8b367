// Everything of spillway in one header; it defines nothing itself.
//
//     #include <spillway/spillway.hpp>
//     namespace sw = spillway;
//
//     std::vector<int> squares;
//     auto square = sw::stage<"square">(sw::any_cpu{},
//         sw::source(sw::elements{1, 2, 3})
//             | sw::map([](int n) { return n * n; })
//             | sw::sink([&](int n) { squares.push_back(n); }));
//     sw::pipeline p(std::move(square));
//     p.run();
//     assert((squares == std::vector{1, 4, 9}));
#pragma once

#include "spillway/core/fixed_string.hpp"
#include "spillway/core/frame_ring.hpp"
#include "spillway/core/result.hpp"
#include "spillway/core/spsc_ring.hpp"
#include "spillway/core/text_ref.hpp"
#include "spillway/graph/check.hpp"
#include "spillway/graph/expression.hpp"
#include "spillway/graph/from.hpp"
#include "spillway/graph/merge_by_time.hpp"
#include "spillway/graph/overflow_policy.hpp"
#include "spillway/graph/partitioning.hpp"
#include "spillway/graph/placement.hpp"
#include "spillway/graph/replicas.hpp"
#include "spillway/graph/stage.hpp"
#include "spillway/operators/count_by.hpp"
#include "spillway/operators/elements.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/flat_map.hpp"
#include "spillway/operators/key_by.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/on.hpp"
#include "spillway/operators/on_error.hpp"
#include "spillway/operators/output_tag.hpp"
#include "spillway/operators/print.hpp"
#include "spillway/operators/process.hpp"
#include "spillway/operators/retry.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/operators/skip_errors.hpp"
#include "spillway/operators/source.hpp"
#include "spillway/operators/source_failure.hpp"
#include "spillway/operators/try_map.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/runtime/affinity.hpp"
#include "spillway/runtime/any_inlet.hpp"
#include "spillway/runtime/errors.hpp"
#include "spillway/runtime/idle_strategy.hpp"
#include "spillway/runtime/inlet.hpp"
#include "spillway/runtime/outlet.hpp"
#include "spillway/runtime/pipeline.hpp"
#include "spillway/runtime/polled_agent.hpp"
#include "spillway/runtime/push_source.hpp"
#include "spillway/time/ascending.hpp"
#include "spillway/time/bounded_out_of_orderness.hpp"
#include "spillway/time/clock.hpp"
#include "spillway/time/punctuated.hpp"
#include "spillway/time/time_window.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/aggregates/aggregate.hpp"
#include "spillway/windows/aggregates/aggregates.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/aggregates/field.hpp"
#include "spillway/windows/aggregates/first.hpp"
#include "spillway/windows/aggregates/first_by_time.hpp"
#include "spillway/windows/aggregates/last.hpp"
#include "spillway/windows/aggregates/last_by_time.hpp"
#include "spillway/windows/aggregates/maximum.hpp"
#include "spillway/windows/aggregates/mean.hpp"
#include "spillway/windows/aggregates/minimum.hpp"
#include "spillway/windows/aggregates/quantile.hpp"
#include "spillway/windows/aggregates/quantile_sketch.hpp"
#include "spillway/windows/aggregates/standard_deviation.hpp"
#include "spillway/windows/aggregates/sum.hpp"
#include "spillway/windows/aggregates/weighted_mean.hpp"
#include "spillway/windows/window.hpp"
