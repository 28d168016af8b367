// What a stage offers to the steps fused into it: memory, counters, and a place to note which operator failed.
//
// Belongs to the stage's thread; only the counters may be read from others.
// 1. Steps take memory from `memory()` alone, so that every growth of the stage is counted in one place.
// 2. The first operator that is noted as failed stays noted: an exception passes through all operators before it on its way out.
//
//     stage_context stage("average");
//     counter& lost = stage.add_counter("lost");      // in a step's `open`
//     lost.add();                                     // in its `on_record`
//     assert(stage.counts().front().name == "lost" && stage.counts().front().value == 1);
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/counter.hpp"
#include "spillway/operators/release_tracker.hpp"
#include "spillway/operators/stop_signal.hpp"

namespace spillway {

/// A counter that a step added, as a reader sees it.
struct named_count {
  std::string name;
  std::uint64_t value = 0;
};

/// A counter whose name may be given after it was made, without allocating. Readers see it once it has one.
class named_counter {
 public:
  static constexpr std::size_t most_characters = 80;

  counter count;

  /// Names it `prefix` + `text`, cut at `most_characters`; returns the part that came from `text`. The stage's thread, once.
  std::string_view set_name(std::string_view prefix, std::string_view text) noexcept {
    prefix = prefix.substr(0, name_.size());
    text = text.substr(0, name_.size() - prefix.size());
    prefix.copy(name_.data(), prefix.size());
    text.copy(name_.data() + prefix.size(), text.size());
    // Release pairs with the acquire load in name(): a reader that sees the size sees the characters.
    size_.store(prefix.size() + text.size(), std::memory_order_release);
    return {name_.data() + prefix.size(), text.size()};
  }
  std::string_view name() const noexcept { return {name_.data(), size_.load(std::memory_order_acquire)}; }

 private:
  std::array<char, most_characters> name_{};
  std::atomic<std::size_t> size_{0};
};

class stage_context {
 public:
  explicit stage_context(std::string_view name) : name_(name) {}
  stage_context(const stage_context&) = delete;
  stage_context& operator=(const stage_context&) = delete;

  std::string_view name() const noexcept { return name_; }

  /// Memory owned by the stage; growth is counted.
  arena& memory() noexcept { return memory_; }
  const arena& memory() const noexcept { return memory_; }

  /// Adds a counter under a name of the step's choice. Its address stays valid as long as the stage. Allocates: call it in `open`.
  counter& add_counter(std::string_view name) {
    named_counter& added = add_unnamed_counter();
    added.set_name({}, name);
    return added.count;
  }
  /// Adds a counter that gets its name later. Allocates: call it in `open`.
  named_counter& add_unnamed_counter() {
    const std::lock_guard lock(counters_mutex_);
    return counters_.emplace_back();
  }

  /// The counters that steps added, with their values now. Any thread.
  std::vector<named_count> counts() const {
    const std::lock_guard lock(counters_mutex_);
    std::vector<named_count> all;
    for (const named_counter& c : counters_) {
      if (!c.name().empty()) all.push_back({std::string(c.name()), c.count.get()});
    }
    return all;
  }

  /// Tells a source when the text behind its records may be overwritten; null for stages that do not begin with a source.
  release_tracker* releases() const noexcept { return releases_; }
  void set_releases(release_tracker* tracker) noexcept { releases_ = tracker; }

  /// Tells the report hook, if there is one.
  void report(std::string_view text) const {
    if (report_ != nullptr && *report_) (*report_)(text);
  }
  /// Ends the pipeline's sources, as pipeline::stop does; `pipeline::stop_reason` tells the first reason. False when somebody else was first, or
  /// no pipeline runs the stage.
  bool request_stop(std::string_view reason) { return stop_ != nullptr && stop_->request(name_, reason); }
  /// What the two above reach. Before the start.
  void set_controls(const report_hook* report, stop_signal* stop) noexcept {
    report_ = report;
    stop_ = stop;
  }

  /// In a handler: remembers which operator the exception in flight came from. The first operator that notes an exception is the one it came from.
  SPILLWAY_COLD void note_failure(int position, std::string_view kind) noexcept {
    std::exception_ptr now = std::current_exception();
    if (now == noted_ && now != nullptr) return;
    noted_ = std::move(now);
    failed_position_ = position;
    failed_kind_ = kind;
  }
  int failed_position() const noexcept { return failed_position_; }
  std::string_view failed_kind() const noexcept { return failed_kind_; }

  /// In a handler: the exception in flight comes from behind a guarded operator, and is not the guard's.
  SPILLWAY_COLD void note_passing() noexcept { passing_ = std::current_exception(); }
  /// In a handler: was that said of the exception in flight?
  bool is_passing() const noexcept { return passing_ != nullptr && passing_ == std::current_exception(); }

 private:
  std::string name_;
  arena memory_;
  mutable std::mutex counters_mutex_;
  std::deque<named_counter> counters_;
  release_tracker* releases_ = nullptr;
  const report_hook* report_ = nullptr;
  stop_signal* stop_ = nullptr;
  std::exception_ptr noted_;  // which the next two are about
  std::exception_ptr passing_;
  int failed_position_ = 0;
  std::string_view failed_kind_;
};

}  // namespace spillway
