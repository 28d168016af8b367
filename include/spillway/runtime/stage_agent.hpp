// A stage lowered: its fused chain, its head and its outputs as an agent.
//
// Belongs to the thread that runs it, as `agent` says.
// 1. A duty cycle first empties what an output had no room for, then finishes firings, then takes new input, then publishes.
// 2. New input is taken only while no lossless output is full, so the backlog holds at most what one input record or one cycle's resumed
//    firing makes.
// 3. The pass is a local value: ring cursors live in registers for the whole cycle and are written back on every way out.
//
//     int sum = 0;
//     auto total = stage<"sum">(any_cpu{}, source(elements{1, 2, 3}) | sink([&](int n) { sum += n; }));
//     using total_agent = detail::stage_agent<decltype(total), stream<no_record>>;
//     plan lowered;
//     lowered.add(std::make_unique<total_agent>(std::move(total), placement(), "sum"));
//     lowered.connect();
//     runner(lowered).run_here();
//     assert(sum == 6);
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "spillway/runtime/input_head.hpp"
#include "spillway/runtime/main_output.hpp"
#include "spillway/runtime/merge_driver.hpp"
#include "spillway/runtime/plan.hpp"
#include "spillway/runtime/side_outputs.hpp"
#include "spillway/runtime/source_head.hpp"
#include "spillway/runtime/text_releases.hpp"

namespace spillway::detail {

/// Writes a pass back when the cycle ends, by return or by exception.
template <class Pass>
struct settle_at_exit {
  Pass& pass;
  SPILLWAY_INLINE ~settle_at_exit() { pass.settle(); }
};

/// `Output` is the stream that the stage hands on, as its readers know it.
template <class Stage, class Output>
class stage_agent final : public agent {
  using expression = decltype(Stage::expression);
  using environment = stage_environment<typename distinct<typename Stage::emits>::type>;
  static constexpr bool has_main = !std::is_same_v<typename Output::record, no_record>;
  using port_type = std::conditional_t<has_main, main_port<Output>, std::monostate>;
  using end_type = std::conditional_t<has_main, main_end<Output>, fused_end>;
  using fused_type = decltype(fuse(std::declval<expression>(), std::declval<end_type>()));
  using head_type = decltype(lower_head(std::declval<decltype(fused_type::head)>()));

 public:
  /// One replica of a stage, placed at `where` and called `label` in reports.
  stage_agent(Stage&& stage, placement where, std::string_view label)
      : agent(Stage::name.view(), where),
        environment_(label),
        port_(make_port(stage)),
        lowered_(lower(std::move(stage.expression), port_)) {}

  const stage_context& context() const noexcept override { return environment_; }

  void connect(plan& p) override {
    plan_ = &p;
    environment_.set_controls(p.hook(), &p.stop());
    lowered_.head.connect(p, {std::string(stage_name()), std::string(name())});
  }

  std::vector<output_port*> ports() override {
    std::vector<output_port*> all;
    if constexpr (has_main) all.push_back(port_.get());
    environment_.for_each_port([&](output_port& port) { all.push_back(&port); });
    return all;
  }

  void start() override {
    releases_.watch(plan_->text_edges_from(name()));
    environment_.set_releases(&releases_);
    started_ = true;
    if constexpr (has_main) port_->open();
    environment_.open_ports();
    lowered_.head.open_edges();
    lowered_.chain.open(environment_);
    try {
      lowered_.head.open(environment_);
    } catch (...) {
      environment_.note_failure(0, head_type::kind);
      throw;
    }
    growth_at_start_.set(environment_.memory().growth_events());
  }

  std::size_t do_work() override {
    duty_cycles_.add();
    const std::size_t done = cycle();
    releases_.capture();
    if (done == 0) idle_cycles_.add();
    return done;
  }

  bool finished() const noexcept override { return state_ == state::delivered; }

  std::exception_ptr close() noexcept override {
    first_exception errors;
    if (std::exchange(started_, false)) {
      errors.run([&] { lowered_.head.close(); });
      lowered_.chain.close(environment_, errors);
      lowered_.head.close_edges();
      environment_.close_ports();
      if constexpr (has_main) port_->close();
    }
    return errors.get();
  }

 private:
  enum class state { running, firing_last, ending, delivered };

  static auto make_port(Stage& stage) {
    if constexpr (has_main) {
      return std::make_unique<port_type>(timing_of<typename Output::timing>(stage.expression));
    } else {
      return std::monostate{};
    }
  }

  struct lowered {
    head_type head;
    decltype(fused_type::chain) chain;
  };
  template <class Port>
  static lowered lower(expression&& e, Port& port) {
    auto whole = [&] {
      if constexpr (has_main) {
        return fuse(std::move(e), end_type{port.get()});
      } else {
        return fuse(std::move(e), fused_end{});
      }
    }();
    return {lower_head(std::move(whole.head)), std::move(whole.chain)};
  }

  std::size_t cycle() {
    auto pass = lowered_.chain.pass(environment_);
    const settle_at_exit<decltype(pass)> guard{pass};
    if (pass.held() && !relieve(pass)) return moved_since();
    std::size_t done = 0;
    if (!pass.resume()) {
      done = 1;
    } else if (!pass.held()) {
      done = advance(pass);
    }
    if (done == 0) pass.idle();
    pass.flush();
    environment_.flush_ports();
    return done > 0 ? done : moved_since();
  }

  /// 1 if anything left a backlog since the last call: a stage that only waits for room is busy as long as it finds some.
  std::size_t moved_since() noexcept {
    std::uint64_t moved = environment_.moved();
    if constexpr (has_main) moved += port_->moved();
    return std::exchange(moved_, moved) != moved ? 1 : 0;
  }

  /// Tries to make room on full outputs. True when nothing is held any more.
  template <class Pass>
  SPILLWAY_NOINLINE bool relieve(Pass& pass) {
    pass.flush();
    environment_.flush_ports();
    return !pass.held();
  }

  template <class Pass>
  SPILLWAY_INLINE std::size_t advance(Pass& pass) {
    if (state_ == state::running) [[likely]]
      return take_input(pass);
    finish(pass);
    return 0;
  }

  template <class Pass>
  SPILLWAY_INLINE std::size_t take_input(Pass& pass) {
    std::size_t records = 0;
    std::size_t done = 0;
    bool ended = false;
    try {
      done = lowered_.head.poll(pass, stop_requested(), records, ended);
    } catch (...) {
      records_in_.add(records);
      environment_.note_failure(0, head_type::kind);
      throw;
    }
    records_in_.add(records);
    watermark_.set(static_cast<std::uint64_t>(lowered_.head.watermark().ns));
    if (ended) {
      state_ = state::firing_last;
      if (lowered_.head.watermark() != timestamp::maximum()) pass.watermark(timestamp::maximum());
      ++done;
    }
    return done;
  }

  /// After the last input: the final firing may take several cycles, then the end is sent, then it must reach every edge.
  template <class Pass>
  SPILLWAY_NOINLINE void finish(Pass& pass) {
    if (state_ == state::firing_last) {
      pass.end();
      state_ = state::ending;
    }
    pass.flush();
    environment_.flush_ports();
    pass.settle();
    bool all = environment_.delivered();
    if constexpr (has_main) all = all && port_->delivered() && port_->ended();
    if (all) {
      state_ = state::delivered;
      ended_.set(1);
    }
  }

  environment environment_;
  [[no_unique_address]] std::conditional_t<has_main, std::unique_ptr<port_type>, std::monostate> port_;
  lowered lowered_;
  text_releases releases_;
  plan* plan_ = nullptr;
  std::uint64_t moved_ = 0;
  state state_ = state::running;
  bool started_ = false;
};

}  // namespace spillway::detail
