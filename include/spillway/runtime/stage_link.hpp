// What the host holds of a running stage: the way from an inlet, an outlet or a push source to the agent whose stage it is part of.
//
// 1. `polled_by` is called before the stage's first duty cycle, in the thread that starts the pipeline, and with null when the pipeline goes.
// 2. `stopped` may be called from any thread, more than once.
// 3. A source or sink offers its link by `std::shared_ptr<stage_link> link() const`; the pipeline asks for it when the stage is given to it.
//
//     struct bell final : stage_link {
//       std::atomic<bool> rung{false};
//       void stopped() noexcept override { rung = true; }
//     };
//     struct quiet {                                  // a source
//       using record = int;
//       std::shared_ptr<bell> ring_when_stopped;
//       source_status poll(auto&, std::size_t) { return source_status::idle; }
//       std::shared_ptr<stage_link> link() const { return ring_when_stopped; }
//     };
//
//     auto stop_bell = std::make_shared<bell>();
//     pipeline p(stage<"quiet">(any_cpu{}, source(quiet{stop_bell}) | discard()));
//     p.start();
//     p.stop();
//     p.join();
//     assert(stop_bell->rung);
#pragma once

#include <concepts>
#include <memory>
#include <vector>

namespace spillway {

class polled_agent;

class stage_link {
 public:
  stage_link() = default;
  virtual ~stage_link() = default;
  stage_link(const stage_link&) = delete;
  stage_link& operator=(const stage_link&) = delete;

  /// The host polls the stage by this agent. Not called for a stage that has a thread.
  virtual void polled_by(polled_agent*) noexcept {}
  /// Stop was requested, or the stage will never run.
  virtual void stopped() noexcept {}
  /// False: the stage's duty cycle must wait, since its records have nowhere to go.
  virtual bool ready() const noexcept { return true; }
};

namespace detail {

template <class T>
concept has_stage_link = requires(const T& part) {
  { part.link() } -> std::convertible_to<std::shared_ptr<stage_link>>;
};

/// The links of a stage's source and of its sinks.
template <class Expression>
void collect_links(const Expression& e, std::vector<std::shared_ptr<stage_link>>& to) {
  if constexpr (requires { e.previous; }) {
    collect_links(e.previous, to);
    if constexpr (requires { requires has_stage_link<decltype(e.op.f)>; }) to.push_back(e.op.f.link());
  } else if constexpr (requires { requires has_stage_link<decltype(e.source)>; }) {
    to.push_back(e.source.link());
  }
}

}  // namespace detail

}  // namespace spillway
