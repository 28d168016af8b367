// The pending timers of one operator in one kind of time, event or processing time: set, deleted and fired in order of time.
//
// Owned by one stage: one thread at a time. All memory comes from the stage's arena, which outlives the store.
// 1. A timer is (time, key, namespace): setting it again changes nothing, deleting one that is not there changes nothing.
// 2. Timers come due in ascending order of time; equal times in the order in which they were set, over all keys.
// 3. Nothing fires by itself. `pop_due` takes one timer at a time, so that whoever acts on it may set and delete others, also at or before
//    the time reached: those come up in the same row of calls, the earliest first.
// 4. An operation costs the same however many timers wait (it moves each a few times at most); only timers set before a time that
//    was already reached cost the logarithm of how many of their kind wait.
// 5. Times may be negative and reach both ends; `timestamp::maximum()` is a time like any other.
// 6. `visit` names all timers such that setting them in this order in an empty store gives the same order of firing.
//
// Keys are indices into a keyed_table, which gives an erased key's index to another: delete a key's timers before, or let the namespace
// hold a number that the entry changes with every key, and ignore what fires under an older one.
//
//     arena memory;
//     timer_store<> timers;
//     timers.open(memory);
//     timers.add(timestamp(4s), 7, 0);
//     timers.add(timestamp(9s), 7, 0);
//     while (auto due = timers.pop_due(timestamp(5s))) std::cout << "key " << due->key << " at " << due->at << "\n";
//     assert(timers.next() == timestamp(9s));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/hash.hpp"
#include "spillway/state/keyed_table.hpp"
#include "spillway/state/overdue_timers.hpp"
#include "spillway/state/timer_wheel.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

/// The namespace of operators that need none: it takes no room.
struct no_namespace {
  friend constexpr bool operator==(no_namespace, no_namespace) noexcept { return true; }
  friend constexpr std::uint64_t hash_value(no_namespace) noexcept { return 0; }
};

/// `Namespace` tells apart what one key has timers for, such as its windows: trivially copyable, with == and a hash (see hash.hpp).
template <class Namespace = std::uint64_t>
class timer_store {
  static_assert(std::is_trivially_copyable_v<Namespace>, "spillway: the namespace of a timer is trivially copyable");

 public:
  struct timer {
    timestamp at;
    [[no_unique_address]] Namespace name_space{};
    std::uint32_t key = 0;

    friend bool operator==(const timer& a, const timer& b) noexcept {
      return a.at == b.at && a.key == b.key && a.name_space == b.name_space;
    }
    friend std::uint64_t hash_value(const timer& t) noexcept {
      const auto time = static_cast<std::uint64_t>(t.at.ns);
      if constexpr (std::is_empty_v<Namespace>) {
        return time ^ t.key * detail::hash_word_2;  // hash_of mixes it again
      } else {
        return detail::multiply_fold(time ^ detail::hash_word_1, hash_of(t.name_space) ^ t.key * detail::hash_word_2);
      }
    }
  };

  /// Says where memory comes from. Requires: nothing was added yet. The store is not moved after that.
  void open(arena& memory) noexcept {
    known_.open(memory);
    wheel_.open(memory);
    overdue_.open(memory);
  }

  /// Makes room for `expected` pending timers. For set-up: it does all its work at once. Throws as `add`.
  void reserve(std::size_t expected) {
    wheel_.prepare();
    known_.reserve(expected);
  }

  /// Sets a timer; false if it was set already. Throws std::bad_alloc or std::length_error (2^31 timers) and then changes nothing.
  bool add(timestamp at, std::uint32_t key, const Namespace& name_space = {}) {
    wheel_.prepare();
    std::uint32_t i = none;
    bool inserted = false;
    timer_link& link = known_.entry_for(timer{at, name_space, key}, i, inserted);
    if (!inserted) return false;
    const std::uint64_t time = ordered(at);
    if (time >= wheel_.now()) [[likely]] {
      nodes all{known_};
      wheel_.put(all, i);
    } else {
      add_overdue(time, i, link);
    }
    if (time < not_before_) not_before_ = time;
    return true;
  }

  /// Deletes a timer; false if there is none.
  bool remove(timestamp at, std::uint32_t key, const Namespace& name_space = {}) {
    const timer wanted{at, name_space, key};
    const std::uint64_t hash = known_.hash(wanted);
    const std::uint32_t i = known_.find_hashed(wanted, hash);
    if (i == none) return false;
    if (ordered(at) >= wheel_.now()) [[likely]] {
      nodes all{known_};
      wheel_.take(all, i);
    } else {
      overdue_.remove(known_.entry(i).next);
    }
    known_.erase_hashed(i, hash);
    return true;
  }

  bool contains(timestamp at, std::uint32_t key, const Namespace& name_space = {}) const {
    return known_.find(timer{at, name_space, key}) != none;
  }

  /// Takes out the first timer if its time is not after `until`: a watermark, or the last processing time that is over.
  SPILLWAY_INLINE std::optional<timer> pop_due(timestamp until) {
    if (ordered(until) < not_before_) [[likely]]
      return std::nullopt;
    return pop(ordered(until));
  }

  std::size_t size() const noexcept { return known_.size(); }
  bool empty() const noexcept { return known_.empty(); }

  /// No timer is before this time; `timestamp::maximum()` if there is none. Costs nothing, and may lie before `next`.
  timestamp not_before() const noexcept { return empty() ? timestamp::maximum() : as_timestamp(not_before_); }

  /// The time of the first timer. May walk the timers of its slot in the wheel, so it is for those who ask seldom.
  std::optional<timestamp> next() const {
    if (empty()) return std::nullopt;
    if (!overdue_.empty()) return as_timestamp(overdue_.first_time());
    const const_nodes all{known_};
    return as_timestamp(wheel_.earliest(all));
  }

  /// Calls f(const timer&) for every timer; equal times in the order in which they come due. `f` changes nothing here.
  template <class F>
  void visit(F&& f) {
    const auto show = [&](std::uint32_t i) { f(static_cast<const timer&>(known_.key(i))); };
    overdue_.for_each(show);
    const const_nodes all{known_};
    wheel_.for_each(all, show);
  }

 private:
  using table = keyed_table<timer, timer_link>;
  static constexpr std::uint32_t none = table::none;

  // Times as the wheel orders them: from 0 upwards.
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  static std::uint64_t ordered(timestamp t) noexcept { return static_cast<std::uint64_t>(t.ns) ^ sign; }
  static timestamp as_timestamp(std::uint64_t time) noexcept { return timestamp{static_cast<std::int64_t>(time ^ sign)}; }

  // The timers as the wheel sees them.
  struct nodes {
    table& known;
    std::uint64_t time(std::uint32_t i) const noexcept { return ordered(known.key(i).at); }
    timer_link& link(std::uint32_t i) const noexcept { return known.entry(i); }
  };
  struct const_nodes {
    const table& known;
    std::uint64_t time(std::uint32_t i) const noexcept { return ordered(known.key(i).at); }
    const timer_link& link(std::uint32_t i) const noexcept { return known.entry(i); }
  };

  // The wheel's `now` rises only to times that were reached, so this timer is due at the next `pop_due`. Its link names its element.
  SPILLWAY_COLD void add_overdue(std::uint64_t time, std::uint32_t i, timer_link& link) {
    try {
      link.next = overdue_.add(time, i);
    } catch (...) {
      known_.erase(i);
      throw;
    }
  }

  SPILLWAY_NOINLINE std::optional<timer> pop(std::uint64_t until) {
    std::uint32_t i = none;
    if (!overdue_.empty()) [[unlikely]] {  // all of these are before all in the wheel
      not_before_ = overdue_.first_time();
      if (not_before_ > until) return std::nullopt;
      i = overdue_.first();
      overdue_.remove(known_.entry(i).next);
    } else {
      nodes all{known_};
      i = wheel_.take_due(all, until, not_before_);
      if (i == none) return std::nullopt;
    }
    const timer due = known_.key(i);
    known_.erase(i);
    return due;
  }

  table known_;
  timer_wheel wheel_;
  overdue_timers overdue_;
  std::uint64_t not_before_ = timer_wheel::never;  // no timer is before it
};

}  // namespace spillway
