// What a window operator counts, under names of the stage's counters.
//
// Written by the stage's thread, read by any (core/counter.hpp). 1. The counters belong to the stage; this is a handful of pointers.
//
//     stage_context stage("average");
//     window_counts counts;
//     counts.open(stage);
//     counts.late().add();
//     assert(stage.counts().front().name == "late" && stage.counts().front().value == 1);
#pragma once

#include <cstdint>

#include "spillway/core/counter.hpp"

namespace spillway {

class window_counts {
 public:
  /// Adds the counters to the stage. Allocates.
  template <class Context>
  void open(Context& stage) {
    late_ = &stage.add_counter("late");
    late_dropped_ = &stage.add_counter("late_dropped");
    no_window_ = &stage.add_counter("no_window");
    fired_ = &stage.add_counter("windows_fired");
    open_windows_ = &stage.add_counter("windows_open");
    open_keys_ = &stage.add_counter("keys_open");
    held_back_ = &stage.add_counter("records_in_unfinished_windows");
  }

  /// Records that no window took because all of theirs are gone, whether they went to a side output or not.
  counter& late() const noexcept { return *late_; }
  /// Those of them that went nowhere, because the operator has no late tag (Flink's numLateRecordsDropped).
  counter& late_dropped() const noexcept { return *late_dropped_; }
  /// Records in a gap between windows that are not late by themselves.
  counter& no_window() const noexcept { return *no_window_; }
  /// Firings: one per window and key, one more each time it fires again.
  counter& fired() const noexcept { return *fired_; }
  /// Windows that may still take records. For count windows and sessions, one per key; for aligned ones, one for all keys together.
  counter& open_windows() const noexcept { return *open_windows_; }
  /// Keys that have a window.
  counter& open_keys() const noexcept { return *open_keys_; }
  /// Records in count windows that have not come to their number yet.
  counter& held_back() const noexcept { return *held_back_; }

 private:
  counter* late_ = nullptr;
  counter* late_dropped_ = nullptr;
  counter* no_window_ = nullptr;
  counter* fired_ = nullptr;
  counter* open_windows_ = nullptr;
  counter* open_keys_ = nullptr;
  counter* held_back_ = nullptr;
};

}  // namespace spillway
