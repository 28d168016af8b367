// Timers set before the time that was already reached, earliest first: a pairing heap, since there are few and they go at the next chance.
//
// Owned by one stage: one thread at a time. Its cost depends on how many overdue timers there are, not on how many wait in the wheel.
// 1. `first` is the timer of the earliest time; of equal times the one that was added first.
// 2. An element keeps its index until it is removed.
//
//     arena memory;
//     overdue_timers overdue;
//     overdue.open(memory);
//     overdue.add(50, 1);
//     const std::uint32_t element = overdue.add(20, 2);
//     assert(overdue.first() == 2);
//     overdue.remove(element);
//     assert(overdue.first() == 1);
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/state/pool.hpp"

namespace spillway {

class overdue_timers {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;

  void open(arena& memory) noexcept { elements_.open(memory); }

  bool empty() const noexcept { return root_ == none; }
  /// Requires, for both: !empty().
  std::uint32_t first() const noexcept { return elements_[root_].timer; }
  std::uint64_t first_time() const noexcept { return elements_[root_].time; }

  /// Throws std::bad_alloc and then changes nothing.
  std::uint32_t add(std::uint64_t time, std::uint32_t timer) {
    const std::uint32_t i = elements_.create(element{time, arrivals_, timer});
    ++arrivals_;
    root_ = meld(root_, i);
    return i;
  }

  /// Requires: `i` is there.
  void remove(std::uint32_t i) noexcept {
    if (i == root_) {
      root_ = meld_all(elements_[i].child);
    } else {
      cut(i);
      root_ = meld(root_, meld_all(elements_[i].child));
    }
    elements_.destroy(i);
  }

  /// Calls f(timer) in the order in which they come due. It sorts them first, which leaves the heap a chain. `f` changes nothing here.
  template <class F>
  void for_each(F&& f) {
    std::uint32_t head = none;
    std::uint32_t tail = none;
    while (root_ != none) {
      const std::uint32_t i = root_;
      root_ = meld_all(elements_[i].child);
      elements_[i].child = elements_[i].right = elements_[i].left = none;
      if (tail == none) {
        head = i;
      } else {
        elements_[tail].child = i;
        elements_[i].left = tail;
      }
      tail = i;
    }
    root_ = head;
    for (std::uint32_t i = head; i != none; i = elements_[i].child) f(elements_[i].timer);
  }

 private:
  struct element {
    std::uint64_t time;
    std::uint64_t arrival;
    std::uint32_t timer;
    std::uint32_t child = 0xffffffffu;
    std::uint32_t left = 0xffffffffu;  // the sibling before it, or the parent of a first child
    std::uint32_t right = 0xffffffffu;
  };

  bool before(std::uint32_t a, std::uint32_t b) const noexcept {
    const element& x = elements_[a];
    const element& y = elements_[b];
    return std::tie(x.time, x.arrival) < std::tie(y.time, y.arrival);
  }

  // Joins two heaps, each perhaps `none`. Requires: neither root has siblings.
  std::uint32_t meld(std::uint32_t a, std::uint32_t b) noexcept {
    if (a == none) return b;
    if (b == none) return a;
    if (before(b, a)) std::swap(a, b);
    element& parent = elements_[a];
    element& added = elements_[b];
    added.left = a;
    added.right = parent.child;
    if (parent.child != none) elements_[parent.child].left = b;
    parent.child = b;
    return a;
  }

  // Joins siblings to one heap: in pairs from left to right, then the pairs from right to left.
  std::uint32_t meld_all(std::uint32_t sibling) noexcept {
    std::uint32_t pairs = none;  // linked by `right`, the latest first
    while (sibling != none) {
      const std::uint32_t a = sibling;
      const std::uint32_t b = elements_[a].right;
      sibling = b == none ? none : elements_[b].right;
      detach(a);
      if (b != none) detach(b);
      const std::uint32_t pair = meld(a, b);
      elements_[pair].right = pairs;
      pairs = pair;
    }
    std::uint32_t all = none;
    while (pairs != none) {
      const std::uint32_t next = elements_[pairs].right;
      elements_[pairs].right = none;
      all = meld(all, pairs);
      pairs = next;
    }
    return all;
  }

  void detach(std::uint32_t i) noexcept { elements_[i].left = elements_[i].right = none; }

  // Takes `i` and what is below it out of the heap. Requires: it is not the root.
  void cut(std::uint32_t i) noexcept {
    const element& gone = elements_[i];
    element& left = elements_[gone.left];
    (left.child == i ? left.child : left.right) = gone.right;
    if (gone.right != none) elements_[gone.right].left = gone.left;
    detach(i);
  }

  pool<element> elements_;
  std::uint64_t arrivals_ = 0;
  std::uint32_t root_ = none;
};

}  // namespace spillway
