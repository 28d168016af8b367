// What a run did, as JSON.
//
// Made by the main thread when the pipeline has ended.
// 1. `lines == windowed + late + malformed + filtered + no_window`; a record in several windows counts once.
//
//     std::string text = statistics_json(collected);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spillway/observe/histogram.hpp"
#include "spillway/runtime/reports.hpp"

namespace spillway::tool {

struct run_statistics {
  std::uint64_t lines = 0;
  std::uint64_t windowed = 0;
  std::uint64_t late = 0;
  std::uint64_t malformed = 0;
  std::uint64_t filtered = 0;
  std::uint64_t no_window = 0;
  std::uint64_t in_unfinished_windows = 0;
  std::uint64_t rows = 0;
  std::vector<named_count> reasons;
  histogram late_by_ns;
  histogram latency_ns;
  std::vector<edge_report> edges;
  std::vector<stage_report> stages;
  double seconds = 0;
  bool interrupted = false;

  bool balanced() const noexcept { return lines == windowed + late + malformed + filtered + no_window; }
};

std::string statistics_json(const run_statistics& s);

}  // namespace spillway::tool
