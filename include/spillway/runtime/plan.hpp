// The run-time form of a pipeline: agents, ports, edges, all by name. Runner, counters and tools see only this.
//
// Built by one thread; afterwards the lists do not change, and their counts may be read from any thread.
// 1. The key of an output is (stage, tag); the main output has an empty tag.
// 2. Agents stand in the order of the pipeline.
//
//     auto ingest = stage<"ingest">(any_cpu{}, readings());
//     auto publish = stage<"publish">(any_cpu{}, from(ingest) | discard());
//     pipeline p(std::move(ingest), std::move(publish));
//     const plan& lowered = p.lowered();
//     assert(lowered.agents().size() == 2 && lowered.edges().size() == 1);
//     for (const auto& e : lowered.edges()) std::cout << e->from() << " -> " << e->to() << ": " << e->memory_bytes() << " bytes\n";
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spillway/runtime/agent.hpp"

namespace spillway {

class plan {
 public:
  void set_report_hook(report_hook hook) { report_ = std::move(hook); }
  const report_hook* hook() const noexcept { return &report_; }

  /// What an operator that wants the pipeline to stop reaches.
  stop_signal& stop() noexcept { return stop_; }
  const stop_signal& stop() const noexcept { return stop_; }

  void add(std::unique_ptr<agent> added) {
    for (output_port* port : added->ports()) ports_.push_back({added.get(), port});
    agents_.push_back(std::move(added));
  }

  /// Makes all edges. Throws std::logic_error when an output that is read does not exist or carries another type.
  void connect() {
    for (auto& a : agents_) a->connect(*this);
  }

  /// Makes an edge from each output that `stage` (empty: any) emits under `tag`, each of its replicas by itself, to the reader `to`, and hands it
  /// to `added`.
  template <class Stream, class Spec, class F>
  void connect_to(std::string_view stage, std::string_view tag, const reader_id& to, const Spec& spec, F&& added) {
    bool found = false;
    for (const auto& [emitter, port] : ports_) {
      if (port->tag() != tag || (!stage.empty() && emitter->stage_name() != stage)) continue;
      if (port->type() != mark_of<Stream>()) {
        if (stage.empty()) continue;  // another stage's tag of the same name
        throw std::logic_error("spillway: stage '" + to.stage + "' reads '" + std::string(stage) +
                               "', whose records there have another type");
      }
      auto made = std::make_unique<edge_of<Stream>>(emitter->name(), tag, to.label, spec.policy.lowered(), spec.options, &report_,
                                                    make_loose_storage<Stream>(spec.policy, spec.options));
      auto& typed = static_cast<port_of<Stream>&>(*port);
      typed.attach(*made, to, [&] { return spec.partitioning.template make_router<typename Stream::record>(); });
      added(*made, typed.edges().size() == 1);
      edges_.push_back(std::move(made));
      found = true;
    }
    if (!found) {
      throw std::logic_error("spillway: stage '" + to.stage + "' reads " +
                             (tag.empty() ? "stage '" + std::string(stage) : "tag '" + std::string(tag)) +
                             "', which no stage of the pipeline emits");
    }
  }

  const std::vector<std::unique_ptr<agent>>& agents() const noexcept { return agents_; }
  const std::vector<std::unique_ptr<edge_base>>& edges() const noexcept { return edges_; }

  /// The edges whose records point to text in a source's memory; the others take the text along, so that their readers hold up nobody.
  std::vector<const edge_base*> text_edges_from(std::string_view stage) const {
    std::vector<const edge_base*> found;
    for (const auto& e : edges_) {
      if (e->from() == stage && e->holds_source_text()) found.push_back(e.get());
    }
    return found;
  }

 private:
  struct owned_port {
    agent* emitter;
    output_port* port;
  };
  report_hook report_;
  stop_signal stop_{[this] {
    for (const auto& a : agents_) a->request_stop();
  }};
  std::vector<std::unique_ptr<agent>> agents_;
  std::vector<owned_port> ports_;
  std::vector<std::unique_ptr<edge_base>> edges_;
};

}  // namespace spillway
