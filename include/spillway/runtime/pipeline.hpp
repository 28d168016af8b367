// A pipeline: stages and what they read, checked as types, then lowered to a plan that threads can run.
//
// Made, started and joined by one controlling thread; `stop`, `abort` and the counts may be used from any thread.
// 1. Every mistake in the graph is a compile error here. A pipeline that compiles can be started.
// 2. `run` is `start` and `join`: it returns when everything has drained, or throws what an operator threw (`pipeline_error`).
// 3. The same pipeline gives the same results on many threads, on one, and inline, for a single source over lossless edges.
// 4. A pipeline runs once. Its counts stay readable afterwards and balance for each edge. To run again, make another one: stages are values,
//    and a function that returns a pipeline of them may be called as often as one likes, in one process, several running at a time.
// 5. The host may poll stages from threads of its own: those placed `host_polled`, by `polled(name)`, or all of them from its event loop, by
//    `start({.host_polled = true})` and `poll()`. Somebody has to poll them before `join` can return.
// 6. Signals are the host's. A child that was forked after the start gets std::logic_error from every function but `stop` and the counts,
//    and its destructor does nothing.
//
//     int sum = 0;
//     auto numbers = sw::stage<"numbers">(sw::any_cpu{}, sw::source(sw::elements{1, 2, 3}));
//     auto total = sw::stage<"total">(sw::any_cpu{}, sw::from(numbers) | sw::sink([&](int n) { sum += n; }));
//     sw::pipeline p(std::move(numbers), std::move(total));
//     p.start();                                      // or p.run(), which joins as well
//     if (!p.wait_for(10s)) p.abort();                // or p.drain(1s), which stops the sources first
//     p.join();
//     assert(sum == 6 && p.edges().front().counts.balanced());
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "spillway/graph/check.hpp"
#include "spillway/runtime/reports.hpp"
#include "spillway/runtime/runner.hpp"
#include "spillway/runtime/stage_agent.hpp"

namespace spillway {

namespace detail {

template <class T>
inline constexpr bool is_poisoned = std::is_same_v<T, poison>;
template <fixed_string Name>
inline constexpr bool is_poisoned<stage_value<Name, poison>> = true;

template <class T>
concept discard_item = requires { typename T::is_discard; };
template <class T>
concept lowered_item = healthy_stage<T> || discard_item<T>;

template <class... Items>
struct sort_items;
template <class... Discarded, class... Descriptors>
struct sort_items<tag_list<Discarded...>, tag_list<Descriptors...>> {
  using checked = graph<tag_list<Discarded...>, Descriptors...>;
};
template <class... Discarded, class... Descriptors, class Item, class... Rest>
struct sort_items<tag_list<Discarded...>, tag_list<Descriptors...>, Item, Rest...> {
  static constexpr auto next() {
    if constexpr (discard_item<Item>) {
      return std::type_identity<sort_items<tag_list<Discarded..., typename Item::tag>, tag_list<Descriptors...>, Rest...>>{};
    } else {
      return std::type_identity<sort_items<tag_list<Discarded...>, tag_list<Descriptors..., descriptor_of<Item>>, Rest...>>{};
    }
  }
  using checked = typename decltype(next())::type::checked;
};

}  // namespace detail

class pipeline {
 public:
  /// Takes stages (by std::move) and `discard(tag)` items, in any order; threads are named and started in this order.
  template <class... Items>
    requires(sizeof...(Items) > 0 && !(std::is_same_v<std::remove_cvref_t<Items>, pipeline> || ...))
  explicit pipeline(Items&&... items) : plan_(std::make_unique<plan>()) {
    if constexpr (!(detail::is_poisoned<std::remove_cvref_t<Items>> || ...)) {
      constexpr bool items_ok = (detail::lowered_item<std::remove_cvref_t<Items>> && ...);
      static_assert(items_ok, "spillway: a pipeline takes stages and discard(tag) items");
      if constexpr (items_ok) {
        if constexpr (detail::sort_items<tag_list<>, tag_list<>, std::remove_cvref_t<Items>...>::checked::sound()) {
          (add(std::forward<Items>(items)), ...);
          plan_->connect();
        }
      }
    }
  }

  pipeline(pipeline&&) noexcept = default;

  /// Ends all threads, whatever is in the rings, and closes what the host polled and left unfinished; no thread of the host may poll any more.
  ~pipeline() {
    if (!runner_ || runner_->in_its_process()) return;
    static_cast<void>(runner_.release());  // a forked child: its parent's threads hold on to all of this
    static_cast<void>(plan_.release());
  }

  /// Where warnings go (first loss of an edge, ...). Before the start.
  void on_report(report_hook hook) { plan_->set_report_hook(std::move(hook)); }

  /// Runs to the end on threads as the stages are placed. Throws pipeline_error, std::invalid_argument, and std::logic_error when a stage is
  /// left to the host to poll.
  void run(run_options options = {}) {
    refuse_host_polled(options);
    start(options);
    join();
  }
  /// Runs to the end on the calling thread.
  void run_inline() {
    claim({});
    runner_->run_here();
  }

  /// Starts the threads and returns. Throws std::invalid_argument, std::logic_error when started before.
  void start(run_options options = {}) {
    claim(options);
    runner_->start();
  }
  /// Waits for the end; throws pipeline_error. In a thread of the host that polls stages: polls them to the end meanwhile.
  void join() {
    if (runner_) runner_->join();
  }

  /// One duty cycle of every stage that the host polls, in the calling thread, always the same; returns how much they did, 0: idle.
  /// Throws std::logic_error before the start, and nothing that an operator throws: `done` becomes true, and `join` tells.
  std::size_t poll() { return started().poll(); }
  /// Everything has ended, so that `join` would not wait.
  bool done() const noexcept { return runner_ && runner_->done(); }
  /// The stage of that name for a thread of the host to poll, as long as the pipeline lives. Throws std::logic_error before the start, and
  /// std::invalid_argument when the host polls no such stage.
  polled_agent& polled(std::string_view name) { return started().polled(name); }

  /// Ends the sources; what they gave so far is processed to the end. Pushes that wait for room return.
  void stop() noexcept {
    for (const auto& a : plan_->agents()) a->request_stop();
  }
  /// Stops, and waits up to `timeout` for everything to drain; false if it did not: call `abort`, then see what was left per edge.
  bool drain(std::chrono::nanoseconds timeout) {
    stop();
    return !runner_ || runner_->wait_for(timeout);
  }
  /// Waits up to `timeout` for the end; false if it did not come. `join` then tells how it ended.
  bool wait_for(std::chrono::nanoseconds timeout) { return !runner_ || runner_->wait_for(timeout); }
  /// Ends all threads as soon as their duty cycle does, whatever is in the rings, and waits for them. Stages that this thread polls are closed
  /// here, those that another thread of the host polls by its next `poll`, which is waited for.
  void abort() {
    if (!runner_) return;
    runner_->check_process();
    runner_->abort();
    runner_->join();
  }

  /// The first operator that asked the pipeline to stop, and why. Any thread.
  std::optional<spillway::stop_reason> stop_reason() const { return plan_->stop().reason(); }

  std::vector<edge_report> edges() const {
    std::vector<edge_report> all;
    for (const auto& e : plan_->edges())
      all.push_back({e->from(), e->tag(), e->to(), e->policy().kind, e->capacity(), e->counts()});
    return all;
  }
  std::vector<stage_report> stages() const {
    std::vector<stage_report> all;
    for (const auto& a : plan_->agents()) all.push_back({std::string(a->name()), a->counts(), a->context().counts()});
    return all;
  }

  /// The graph in words: threads, CPUs, edges, policies, bytes; once it runs, also who holds the watermark, where backpressure begins and which
  /// edges lose records. From any thread, not during `start`. `options`: those of the start to come; a pipeline that was started explains its own.
  /// Throws std::invalid_argument when a placement cannot be had.
  std::string explain(run_options options = {}) const {
    return spillway::explain(*plan_, runner_ ? runner_->threads() : runner(*plan_, options).threads());
  }
  /// What holds the running pipeline up, for programs.
  spillway::standing standing() const { return standing_of(*plan_); }

  /// The run-time form, for programs that poll agents themselves and for tools.
  plan& lowered() noexcept { return *plan_; }

 private:
  runner& started() {
    if (!runner_) throw std::logic_error("spillway: start the pipeline before its stages are polled");
    return *runner_;
  }
  void refuse_host_polled(const run_options& options) const {
    for (const auto& a : plan_->agents()) {
      if (!options.host_polled && a->where().where != placement::kind::host) continue;
      throw std::logic_error("spillway: run() polls no stage, but '" + std::string(a->name()) +
                             "' is left to the host; use start(), poll() until done(), and join()");
    }
  }

  template <class Item>
  void add(Item&& item) {
    using type = std::remove_cvref_t<Item>;
    if constexpr (std::is_lvalue_reference_v<Item> && !std::is_copy_constructible_v<type>) {
      static_assert(detail::never<Item>, "spillway: give the pipeline its stages by std::move");
    } else if constexpr (detail::healthy_stage<type>) {
      using lowered_type = detail::stage_agent<type, typename type::output::kept>;
      if constexpr (requires { item.copies; }) {
        for (std::size_t i = 0; i < item.copies.count(); ++i) {
          plan_->add(std::make_unique<lowered_type>(type(std::as_const(item)), item.copies.place(i),
                                                    item.copies.label(type::name.view(), i)));
        }
      } else {
        const placement where = item.where;
        std::vector<std::shared_ptr<stage_link>> links;
        detail::collect_links(item.expression, links);
        auto made = std::make_unique<lowered_type>(type(std::forward<Item>(item)), where, type::name.view());
        made->add_links(std::move(links));
        plan_->add(std::move(made));
      }
    }
  }

  void claim(run_options options) {
    if (runner_) throw std::logic_error("spillway: a pipeline runs once; make another one to run again");
    runner_ = std::make_unique<runner>(*plan_, options);
  }

  std::unique_ptr<plan> plan_;
  std::unique_ptr<runner> runner_;  // ends its threads before the plan goes
};

}  // namespace spillway
