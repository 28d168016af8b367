// The panes of every key of an aligned window operator: what the key's records of each stretch of time add up to.
//
// Owned by one stage: one thread at a time.
// 1. A key's newest pane lies in the key's own entry, where the record path finds it; older ones are in a pool, linked in order of time.
// 2. A key has at least one pane from its first record until `release_until` says that it has none.
// 3. `total` is a plain walk over the panes of a window. `next_total` gives the same for windows that are asked for in ascending order
//    per key, with a constant number of merges per pane however many panes a window has: it keeps sums from each pane up to a fixed one
//    (`split`) and one sum of the panes after it, and renews the former when a window no longer reaches back to `split`.
//
//     arena memory;
//     aggregate_contents<reading, count> contents_of{count()};
//     pane_store<aggregate_contents<reading, count>> store;
//     store.open(memory, contents_of);
//     key_panes<std::uint64_t> panes;                 // in the key's entry
//     store.begin(panes, timestamp(1s));
//     for (const timestamp start : {timestamp(1s), timestamp(2s), timestamp(2s)}) ++*store.find_or_open(panes, start).contents;
//     std::uint64_t in_window = 0;
//     store.total(panes, timestamp(1s), timestamp(2s), in_window);
//     assert(in_window == 3);
#pragma once

#include <cstdint>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/state/pool.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

/// What a key's entry holds.
template <class Accumulator>
struct key_panes {
  timestamp newest_start;
  Accumulator newest{};
  std::uint32_t newest_older = 0xffffffffu;  // of the panes in the pool
  std::uint32_t oldest = 0xffffffffu;
  std::uint32_t running = 0xffffffffu;
};

/// Where a pane was found or put, and the panes before and after it, for the windows that a new one opens.
template <class Accumulator>
struct found_pane {
  Accumulator* contents = nullptr;
  bool opened = false;
  bool has_previous = false;
  bool has_next = false;
  timestamp previous;
  timestamp next;
};

template <class Contents>
class pane_store {
 public:
  using accumulator = typename Contents::contents;
  using panes_of_key = key_panes<accumulator>;

  /// `contents` outlives the store.
  void open(arena& memory, Contents& contents) noexcept {
    contents_ = &contents;
    older_.open(memory);
    running_.open(memory);
  }

  /// Gives a new key its first pane.
  void begin(panes_of_key& key, timestamp start) { key.newest_start = start; }

  /// The key's pane at `start`, made if it is not there. A change to a pane that `next_total` has used is noted.
  found_pane<accumulator> find_or_open(panes_of_key& key, timestamp start) {
    found_pane<accumulator> found;
    if (start == key.newest_start) {
      found.contents = &key.newest;
    } else if (start > key.newest_start) {
      open_newest(key, start, found);
    } else {
      find_or_open_older(key, start, found);
    }
    note_change(key, start);
    return found;
  }

  /// Merges the panes that begin in [first, last] into `into`.
  void total(panes_of_key& key, timestamp first, timestamp last, accumulator& into) {
    if (key.newest_start >= first && key.newest_start <= last) contents_->merge(into, key.newest);
    for (std::uint32_t i = key.newest_older; i != none; i = older_[i].older) {
      if (older_[i].start > last) continue;
      if (older_[i].start < first) break;
      contents_->merge(into, older_[i].value);
    }
  }

  /// The one pane at `start`, or null.
  SPILLWAY_INLINE accumulator* find(panes_of_key& key, timestamp start) noexcept {
    if (key.newest_start == start) return &key.newest;
    std::uint32_t i = key.newest_older;
    while (i != none && older_[i].start > start) i = older_[i].older;
    return i != none && older_[i].start == start ? &older_[i].value : nullptr;
  }

  /// As `total`. Requires: neither bound is smaller than at the key's last call.
  void next_total(panes_of_key& key, timestamp first, timestamp last, accumulator& into) {
    if (key.newest_older == none || older_[key.newest_older].start < first) {
      if (key.newest_start >= first && key.newest_start <= last) contents_->merge(into, key.newest);
      return;
    }
    running& sums = running_of(key);
    if (sums.split == none || older_[sums.split].start < first) renew(key, sums, first, last);
    while (older_[sums.first].start < first) sums.first = older_[sums.first].newer;
    extend(key, sums, last);
    contents_->merge(into, older_[sums.first].up_to_split);
    contents_->merge(into, sums.after_split);
  }

  /// Gives back the panes that begin at or before `last`. False when the key has no pane left.
  bool release_until(panes_of_key& key, timestamp last) noexcept {
    while (key.oldest != none && older_[key.oldest].start <= last) release_oldest(key);
    if (key.newest_start > last) return true;
    contents_->discard(key.newest);
    if (key.running != none) {
      contents_->discard(running_[key.running].after_split);
      running_.destroy(key.running);
      key.running = none;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t none = 0xffffffffu;

  struct older_pane {
    timestamp start;
    accumulator value{};
    accumulator up_to_split{};
    std::uint32_t older = none;
    std::uint32_t newer = none;
  };
  struct running {
    std::uint32_t split = none;  // none: nothing here is valid
    std::uint32_t first = none;  // the oldest pane whose sum up to `split` may still be asked for
    std::uint32_t last = none;   // the newest pooled pane in `after_split`, or `split`
    timestamp until;             // the start of the newest pane that is in the sums
    accumulator after_split{};
  };

  void open_newest(panes_of_key& key, timestamp start, found_pane<accumulator>& found) {
    found.opened = true;
    found.has_previous = true;
    found.previous = key.newest_start;
    const std::uint32_t i = older_.create();
    older_pane& moved = older_[i];
    moved.start = key.newest_start;
    moved.value = std::move(key.newest);
    moved.older = key.newest_older;
    (key.newest_older == none ? key.oldest : older_[key.newest_older].newer) = i;
    key.newest_older = i;
    key.newest = accumulator{};
    key.newest_start = start;
    found.contents = &key.newest;
  }

  SPILLWAY_NOINLINE void find_or_open_older(panes_of_key& key, timestamp start, found_pane<accumulator>& found) {
    std::uint32_t newer = none;
    std::uint32_t at = key.newest_older;
    while (at != none && older_[at].start > start) {
      newer = at;
      at = older_[at].older;
    }
    if (at != none && older_[at].start == start) {
      found.contents = &older_[at].value;
      return;
    }
    found.opened = true;
    found.has_previous = at != none;
    if (at != none) found.previous = older_[at].start;
    found.has_next = true;
    found.next = newer == none ? key.newest_start : older_[newer].start;
    const std::uint32_t i = older_.create();
    older_pane& added = older_[i];
    added.start = start;
    added.older = at;
    added.newer = newer;
    (at == none ? key.oldest : older_[at].newer) = i;
    (newer == none ? key.newest_older : older_[newer].older) = i;
    found.contents = &added.value;
  }

  void note_change(panes_of_key& key, timestamp start) noexcept {
    if (key.running == none) return;
    running& sums = running_[key.running];
    if (start <= sums.until) sums.split = none;
  }

  running& running_of(panes_of_key& key) {
    if (key.running == none) key.running = running_.create();
    return running_[key.running];
  }

  // The newest pooled pane of the window becomes the split; every pane before it gets the sum from itself to the split.
  SPILLWAY_NOINLINE void renew(panes_of_key& key, running& sums, timestamp first, timestamp last) {
    std::uint32_t i = key.newest_older;
    while (older_[i].start > last && older_[i].older != none) i = older_[i].older;
    sums.split = sums.last = i;
    sums.until = older_[i].start;
    const accumulator* sum = nullptr;
    for (; i != none && older_[i].start >= first; i = older_[i].older) {
      older_pane& pane = older_[i];
      contents_->discard(pane.up_to_split);
      pane.up_to_split = accumulator{};
      contents_->merge(pane.up_to_split, pane.value);
      if (sum != nullptr) contents_->merge(pane.up_to_split, *sum);
      sum = &pane.up_to_split;
      sums.first = i;
    }
    contents_->discard(sums.after_split);
    sums.after_split = accumulator{};
  }

  void extend(panes_of_key& key, running& sums, timestamp last) {
    std::uint32_t i = older_[sums.last].newer;
    for (; i != none && older_[i].start <= last; i = older_[i].newer) {
      if (older_[i].start > sums.until) contents_->merge(sums.after_split, older_[i].value);
      if (older_[i].start > sums.until) sums.until = older_[i].start;
      sums.last = i;
    }
    if (i == none && key.newest_start <= last && key.newest_start > sums.until) {
      contents_->merge(sums.after_split, key.newest);
      sums.until = key.newest_start;
    }
  }

  void release_oldest(panes_of_key& key) noexcept {
    const std::uint32_t i = key.oldest;
    older_pane& gone = older_[i];
    if (key.running != none) {
      running& sums = running_[key.running];
      if (sums.split == i) sums.split = none;
      if (sums.first == i) sums.first = gone.newer;
    }
    contents_->discard(gone.value);
    contents_->discard(gone.up_to_split);
    key.oldest = gone.newer;
    (gone.newer == none ? key.newest_older : older_[gone.newer].older) = none;
    older_.destroy(i);
  }

  Contents* contents_ = nullptr;
  pool<older_pane> older_;
  pool<running> running_;
};

}  // namespace spillway
