// A pipeline: stages and what they read, checked as types, then lowered to a plan that threads can run.
//
// Made, started and joined by one controlling thread; `stop`, `abort` and the counts may be used from any thread.
// 1. Every mistake in the graph is a compile error here. A pipeline that compiles can be started.
// 2. `run` is `start` and `join`: it returns when everything has drained, or throws what an operator threw (`pipeline_error`).
// 3. The same pipeline gives the same results on many threads, on one, and inline, for a single source over lossless edges.
// 4. A pipeline runs once. Its counts stay readable afterwards and balance for each edge.
//
//     spillway::pipeline p(std::move(ingest), std::move(average), spillway::discard(malformed));
//     p.run();
#pragma once

#include <memory>
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

  /// Where warnings go (first loss of an edge, ...). Before the start.
  void on_report(report_hook hook) { plan_->set_report_hook(std::move(hook)); }

  /// Runs to the end on threads as the stages are placed. Throws pipeline_error, std::invalid_argument.
  void run(run_options options = {}) {
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
  /// Waits for the end; throws pipeline_error.
  void join() {
    if (runner_) runner_->join();
  }

  /// Ends the sources; what they gave so far is processed to the end.
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
  /// Ends all threads as soon as their duty cycle does, whatever is in the rings, and waits for them.
  void abort() {
    if (!runner_) return;
    runner_->abort();
    runner_->join();
  }

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
        plan_->add(std::make_unique<lowered_type>(type(std::forward<Item>(item)), where, type::name.view()));
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
