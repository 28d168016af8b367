// The head of a stage that reads several streams in the order of their time, so that its output does not depend on who was faster.
//
// Values and types only.
// 1. What comes out is ordered by (larger of the record's timestamp and its input's watermark, number of the input), watermarks included: a
//    function of the inputs alone, whatever threads, rings and idling do.
// 2. A record waits in the stage's memory until every other input's watermark has passed it. Growth is counted; past `limit_bytes` the pipeline
//    stops with an error that names the stage.
// 3. A watermark goes out once its input has sent something after it: the watermarks behind lag by one record.
// 4. Inputs are numbered in the order written, the replicas of one by their number.
//
//     std::vector<double> merged;
//     auto boiler = sw::stage<"boiler">(sw::any_cpu{}, readings({70, 71}));
//     auto pump = sw::stage<"pump">(sw::any_cpu{}, readings({40, 41}));
//     auto both = sw::stage<"both">(sw::any_cpu{},
//         sw::merge_by_time(boiler, pump)
//             | sw::sink([&](const reading& r) { merged.push_back(r.celsius); }));
//     sw::pipeline(std::move(boiler), std::move(pump), std::move(both)).run();
//     assert((merged == std::vector<double>{70, 40, 71, 41}));        // whichever thread is faster
#pragma once

#include <cstddef>

#include "spillway/graph/from.hpp"

namespace spillway {

struct merge_options {
  std::size_t limit_bytes = std::size_t{64} << 20;  // of records that wait
};

namespace detail {

template <class... Specs>
struct merge_head : from_head<Specs...> {
  using record = typename from_head<Specs...>::output::record;
  using output = stream<record, no_key, timed, text_home::elsewhere>;

  constexpr merge_head(merge_options chosen, Specs... specs) : from_head<Specs...>(std::move(specs)...), options(chosen) {}

  merge_options options;
  timed timing{};
};

template <class... Specs>
constexpr auto make_merge(merge_options options, Specs... specs) {
  if constexpr ((std::is_same_v<Specs, poison> || ...)) {
    return poison{};
  } else if constexpr (!one_record_type<Specs...>) {
    static_assert(never<Specs...>, "spillway: merge_by_time(a, b) reads streams of different record types");
    return poison{};
  } else if constexpr ((std::is_same_v<typename Specs::input_type::stream_type::timing, untimed> || ...)) {
    static_assert(never<Specs...>, "spillway: merge_by_time needs event time: write watermarks(...) in the stages that it reads");
    return poison{};
  } else if constexpr ((text_record<typename Specs::input_type::stream_type::record> || ...)) {
    static_assert(never<Specs...>, "spillway: merge_by_time cannot keep records with text; use fixed_string");
    return poison{};
  } else {
    return merge_head<Specs...>(options, std::move(specs)...);
  }
}

}  // namespace detail

/// Reads stages, tags or `edge(...)` of one record type in the order of their time.
template <class... What>
  requires(sizeof...(What) > 0)
constexpr auto merge_by_time(const What&... what) {
  return detail::make_merge(merge_options{}, detail::spec_of(what)...);
}
template <class... What>
  requires(sizeof...(What) > 0)
constexpr auto merge_by_time(merge_options options, const What&... what) {
  return detail::make_merge(options, detail::spec_of(what)...);
}

}  // namespace spillway
