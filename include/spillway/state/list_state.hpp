// A list of elements per key, in the order in which they were appended.
//
// Part of a key's entry; one thread at a time. It takes memory from the arena that comes with the access, and holds 24 bytes while empty.
// 1. Whoever owns the entry calls `clear` before it is erased; the destructor does nothing. Lists are neither copied nor moved.
// 2. Each element has its own time-to-live. Expired ones are never shown; those at the front are removed by every write, the others by `sweep`.
// 3. Elements keep their addresses until they are removed, but for `sweep` of a list with a time-to-live.
//
//     arena memory;
//     const state_access access{memory};  // a context has one
//     list_state<int> open;
//     open.append(access, 3);
//     open.append(access, 4);
//     int sum = 0;
//     for (int each : open.live(access)) sum += each;
//     assert(sum == 7);
//     open.clear(access);
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/state/chunked_list.hpp"
#include "spillway/state/time_to_live.hpp"

namespace spillway {

template <class T, time_to_live Ttl = no_expiry>
class list_state {
  static constexpr bool forever = !Ttl.ends();
  struct element {
    T value;
    [[no_unique_address]] detail::lifetime<Ttl> life;
  };
  using list = chunked_list<element>;
  // Without a time-to-live the elements may be changed in place; with one, a change would have to refresh them.
  using shown = std::conditional_t<forever, T, const T>;

 public:
  using value_type = T;

  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = shown&;
    using iterator_category = std::input_iterator_tag;

    iterator() noexcept = default;
    reference operator*() const noexcept { return at_.element().value; }
    shown* operator->() const noexcept { return &at_.element().value; }
    iterator& operator++() noexcept {
      at_.advance();
      find_live();
      return *this;
    }
    void operator++(int) noexcept { ++*this; }
    friend bool operator==(const iterator& a, std::default_sentinel_t) noexcept { return a.at_.at_end(); }

   private:
    friend list_state;
    iterator(typename list::cursor at, const state_access* access) noexcept : at_(at), access_(access) { find_live(); }
    void find_live() noexcept {
      if constexpr (!forever) {
        while (!at_.at_end() && at_.element().life.is_over(*access_)) at_.advance();
        if (!at_.at_end()) at_.element().life.read(*access_);
      }
    }
    typename list::cursor at_;
    const state_access* access_ = nullptr;
  };

  /// The live elements, to be walked once while the list and the access stay as they are.
  class range {
   public:
    iterator begin() const noexcept { return first_; }
    std::default_sentinel_t end() const noexcept { return {}; }
    bool empty() const noexcept { return first_ == std::default_sentinel; }

   private:
    friend list_state;
    explicit range(iterator first) noexcept : first_(first) {}
    iterator first_;
  };

  /// Throws std::bad_alloc and then has not appended.
  SPILLWAY_INLINE void append(const state_access& access, T value) {
    drop_expired_front(access);
    element made{std::move(value), {}};
    made.life.written(access);
    elements_.append(access.memory, std::move(made));
  }

  /// Appends all of a range. One that throws on its way has appended the elements before.
  template <class Range>
  void add_all(const state_access& access, const Range& values) {
    for (const auto& value : values) append(access, T(value));
  }

  /// Makes the list hold just the elements of a range, which must not be its own.
  template <class Range>
  void replace(const state_access& access, const Range& values) {
    clear(access);
    add_all(access, values);
  }

  /// The live elements in order.
  SPILLWAY_INLINE range live(const state_access& access) noexcept { return range(iterator(elements_.begin(), &access)); }
  iterator begin() noexcept
    requires forever
  {
    return iterator(elements_.begin(), nullptr);
  }
  std::default_sentinel_t end() noexcept
    requires forever
  {
    return {};
  }

  /// True if no live element is there. Does not refresh.
  bool empty(const state_access& access) noexcept {
    if constexpr (forever) return elements_.empty();
    drop_expired_front(access);
    for (auto c = elements_.begin(); !c.at_end(); c.advance()) {
      if (!c.element().life.is_over(access)) return false;
    }
    return true;
  }
  bool empty() const noexcept
    requires forever
  {
    return elements_.empty();
  }

  /// Elements that take memory, expired ones that were not removed yet included.
  std::size_t stored() const noexcept { return elements_.size(); }

  /// Removes all elements and gives the memory back.
  void clear(const state_access& access) noexcept { elements_.clear(access.memory); }

  /// Removes the expired elements; true if none is left. Costs a walk over the list if there is a time-to-live.
  bool sweep(const state_access& access) noexcept {
    if constexpr (!forever) elements_.remove_if(access.memory, [&](element& e) { return e.life.is_over(access); });
    return elements_.empty();
  }

  /// Calls f(element, end of its life) for every stored element, expired or not, in order.
  template <class F>
  void visit(F&& f) const {
    for (auto c = elements_.begin(); !c.at_end(); c.advance()) f(std::as_const(c.element().value), c.element().life.end());
  }

 private:
  SPILLWAY_INLINE void drop_expired_front(const state_access& access) noexcept {
    if constexpr (!forever) {
      while (!elements_.empty() && elements_.front().life.is_over(access)) elements_.pop_front(access.memory);
    }
  }

  list elements_;
};

}  // namespace spillway
