// What happened in one stage.
//
// A value.
//
//     sw::pipeline p = run(sw::source(sw::elements{1, 2, 3}) | sw::discard());
//     const sw::stage_counts counts = p.stages().front().counts;
//     assert(counts.records_in == 3 && counts.duty_cycles >= counts.idle_cycles);
#pragma once

#include <cstdint>

#include "spillway/operators/stage_context.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

/// What happened in one stage.
struct stage_counts {
  std::uint64_t records_in = 0;
  std::uint64_t duty_cycles = 0;
  std::uint64_t idle_cycles = 0;  // of them, those that found nothing to do
  std::uint64_t growth_events = 0;
  timestamp watermark;  // what the stage's inputs have reached
};

}  // namespace spillway
