// What a plan looks like, and what holds it up, in words.
//
// Reads counts only: from any thread, before, while and after the pipeline runs. What it says of a running pipeline is a moment's.
// 1. Every thread, CPU, edge, policy and byte of a ring is listed.
// 2. *Who holds the watermark*: from a stage upstream along the input that has come least far, to where it is no longer an input's fault.
// 3. *Where backpressure begins*: a stage that has a full input and no full output.
//
//     auto ingest = sw::stage<"ingest">(sw::any_cpu{}, readings());
//     auto publish = sw::stage<"publish">(sw::any_cpu{}, sw::from(ingest) | sw::discard());
//     sw::pipeline p(std::move(ingest), std::move(publish));
//     std::cout << p.explain();
//     assert(p.explain().find("publish") != std::string::npos);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "spillway/runtime/plan.hpp"

namespace spillway {

/// One thread and what runs on it.
struct thread_line {
  std::string name;
  std::string where;  // "CPU 3", "any CPU", "the host"
  std::vector<std::string> stages;
};

/// What holds a running pipeline up.
struct standing {
  /// The stage that holds the watermark of the slowest end of the graph, and that watermark; empty where no time is used or it has ended.
  std::string watermark_holder;
  timestamp watermark = timestamp::minimum();
  /// The stages at which backpressure begins.
  std::vector<std::string> backpressure_from;
  /// Indices of the edges that have lost records.
  std::vector<std::size_t> losing_edges;
};

/// Looks at the counts now.
standing standing_of(const plan& p);

/// The whole graph as text, one line each: threads, edges with their policies and bytes, and, once it runs, its standing.
std::string explain(const plan& p, const std::vector<thread_line>& threads);

}  // namespace spillway
