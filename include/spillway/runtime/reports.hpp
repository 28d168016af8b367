// What a pipeline tells of its stages and edges.
//
// Values: copies of the counts at one moment.
//
//     auto ingest = sw::stage<"ingest">(sw::any_cpu{}, readings());
//     auto publish = sw::stage<"publish">(sw::any_cpu{}, sw::from(ingest) | sw::discard());
//     sw::pipeline p(std::move(ingest), std::move(publish));
//     p.run();
//     for (const sw::edge_report& e : p.edges()) {
//       std::cout << e.from << " -> " << e.to << ": " << e.counts.dropped() << " dropped\n";
//     }
//     assert(p.stages().front().counts.records_in == 4);
#pragma once

#include <string>
#include <vector>

#include "spillway/runtime/edge_base.hpp"
#include "spillway/runtime/stage_counts.hpp"

namespace spillway {

/// Counts of one edge with its names.
struct edge_report {
  std::string from;
  std::string tag;  // empty: the main output
  std::string to;
  overflow policy = overflow::block;
  std::size_t capacity = 0;
  edge_counts counts;
};

/// Counts of one stage, and the counters that its operators added.
struct stage_report {
  std::string name;
  stage_counts counts;
  std::vector<named_count> added;
};

}  // namespace spillway
