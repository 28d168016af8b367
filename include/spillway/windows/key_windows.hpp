// The windows of every key of a `keyed_window_step`, each with its contents and its place in the plan.
//
// Owned by one stage: one thread at a time.
// 1. A key's windows are linked from the newest to the oldest (by end, then start).
// 2. An element of the plan is valid while its window is there and still planned for just that; what is not valid is skipped when it
//    comes up. A first arrival belongs to one window of one start, so no stale element can be taken for another one.
//
//     arena memory;
//     aggregate_contents<reading, count> contents_of{count()};
//     key_windows<aggregate_contents<reading, count>> windows;
//     windows.open(memory, contents_of);
//     decltype(windows)::windows_of_key mine;         // in the key's entry
//     const time_window span{timestamp(1s), timestamp(2s)};
//     const std::uint32_t i = windows.find_or_make(mine, 0, windows.none, span, span.last(), 1);
//     assert(mine.newest == i && windows[i].window == span);
#pragma once

#include <cstdint>
#include <tuple>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/state/pool.hpp"
#include "spillway/time/time_window.hpp"

namespace spillway {

template <class Contents>
class key_windows {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;

  struct windows_of_key {
    std::uint32_t newest = none;
  };

  /// What comes first: the time, then the window's start, then the arrival of its first record.
  struct plan_key {
    timestamp at;
    timestamp start;
    std::uint64_t first_arrival = 0;
    bool before(const plan_key& other) const noexcept {
      return std::tie(at, start, first_arrival) < std::tie(other.at, other.start, other.first_arrival);
    }
    friend bool operator==(const plan_key&, const plan_key&) noexcept = default;
  };
  struct due : plan_key {
    std::uint32_t window;
    due() noexcept = default;
    due(const plan_key& key, std::uint32_t w) noexcept : plan_key(key), window(w) {}
  };

  struct window_state {
    time_window window;
    timestamp last;
    std::uint64_t first_arrival = 0;
    typename Contents::contents contents{};
    std::uint32_t key = none;
    std::uint32_t older = none;
    std::uint32_t newer = none;
    bool fired = false;
    bool is_planned = false;
    plan_key planned;
  };

  /// `contents` outlives the store.
  void open(arena& memory, Contents& contents) noexcept {
    contents_ = &contents;
    states_.open(memory);
  }

  window_state& operator[](std::uint32_t i) noexcept { return states_[i]; }
  std::uint32_t size() const noexcept { return states_.size(); }

  bool is_valid(const due& d) const noexcept {
    return states_.alive(d.window) && states_[d.window].is_planned &&
           states_[d.window].planned == static_cast<const plan_key&>(d);
  }

  /// The key's window, made if it is not there. The search begins behind the window `newer` (none: at the newest).
  std::uint32_t find_or_make(windows_of_key& mine, std::uint32_t key, std::uint32_t newer, const time_window& window,
                             timestamp last, std::uint64_t arrival) {
    std::uint32_t at = newer == none ? mine.newest : states_[newer].older;
    while (at != none && after(states_[at].window, window)) {
      newer = at;
      at = states_[at].older;
    }
    if (at != none && states_[at].window == window) return at;
    return make(mine, key, newer, window, last, arrival);
  }

  /// The key's newest window that overlaps or touches `own`, or none; `newer` is then the one behind which a new window belongs.
  std::uint32_t find_touching(const windows_of_key& mine, const time_window& own, std::uint32_t& newer) const noexcept {
    std::uint32_t at = mine.newest;
    while (at != none && states_[at].window.start > own.end) {
      newer = at;
      at = states_[at].older;
    }
    return at != none && states_[at].window.end >= own.start ? at : none;
  }

  /// A new window right behind `newer`.
  std::uint32_t make(windows_of_key& mine, std::uint32_t key, std::uint32_t newer, const time_window& window, timestamp last,
                     std::uint64_t arrival) {
    const std::uint32_t i = states_.create();
    window_state& s = states_[i];
    s.window = window;
    s.last = last;
    s.first_arrival = arrival;
    s.key = key;
    s.newer = newer;
    s.older = newer == none ? mine.newest : states_[newer].older;
    (newer == none ? mine.newest : states_[newer].older) = i;
    if (s.older != none) states_[s.older].newer = i;
    return i;
  }

  /// Window `i` takes in `own` and all older windows of its key that touch it then; those are removed.
  void unite(windows_of_key& mine, std::uint32_t i, const time_window& own) {
    window_state& s = states_[i];
    if (own.start < s.window.start) s.window.start = own.start;
    if (own.end > s.window.end) s.window.end = own.end;
    while (s.older != none && states_[s.older].window.end >= s.window.start) {
      window_state& gone = states_[s.older];
      if (gone.window.start < s.window.start) s.window.start = gone.window.start;
      if (gone.first_arrival < s.first_arrival) s.first_arrival = gone.first_arrival;
      contents_->merge(s.contents, gone.contents);
      remove(mine, s.older);
    }
    s.last = s.window.last();
  }

  void remove(windows_of_key& mine, std::uint32_t i) noexcept {
    window_state& gone = states_[i];
    (gone.newer == none ? mine.newest : states_[gone.newer].older) = gone.older;
    if (gone.older != none) states_[gone.older].newer = gone.newer;
    contents_->discard(gone.contents);
    states_.destroy(i);
  }

  void discard_all() noexcept {
    states_.for_each([this](std::uint32_t i) { contents_->discard(states_[i].contents); });
  }

 private:
  // Windows of one kind are in one order by end and by start, but for those that are held at an end of time.
  static bool after(const time_window& a, const time_window& b) noexcept {
    return std::tie(a.end, a.start) > std::tie(b.end, b.start);
  }

  Contents* contents_ = nullptr;
  pool<window_state> states_;
};

}  // namespace spillway
