// A map per key, walked in the order of insertion.
//
// Part of a key's entry; one thread at a time. It takes memory from the arena that comes with the access: a node per entry and, beyond
// eight entries, an index.
// 1. Putting a value under a key that is there keeps its place in the order; a key that was removed or expired comes back at the end.
// 2. No call rehashes the map: growth is spread over insertions. Entries never move.
// 3. Each entry has its own time-to-live. Expired ones are never shown; a call that meets one by its key removes it, every write also looks
//    at two others, in turn, and `sweep` removes all.
// 4. Whoever owns the entry of the table calls `clear` before it is erased; the destructor does nothing. Maps are neither copied nor moved.
// 5. Without a time-to-live the reading functions also come without `access`. Pointers and references are valid until the entry is removed;
//    with a time-to-live, until the next write.
//
//     arena memory;
//     const state_access access{memory};  // a context has one
//     map_state<int, double> by_id;
//     by_id.get_or_put(access, 7, 0.0) += 70;
//     by_id.get_or_put(access, 7, 0.0) += 72;
//     by_id.for_each(access, [](int id, double sum) { std::cout << id << ": " << sum << "\n"; });
//     assert(*by_id.get(7) == 142);
//     by_id.clear(access);
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/hash.hpp"
#include "spillway/state/chain_index.hpp"
#include "spillway/state/stored_key.hpp"
#include "spillway/state/time_to_live.hpp"

namespace spillway {

template <class Key, class Value, time_to_live Ttl = no_expiry>
class map_state {
  static constexpr bool forever = !Ttl.ends();
  using traits = stored_key<Key>;
  struct node : chain_node {
    node* before = nullptr;
    node* behind = nullptr;
    typename traits::type key;
    Value value;
    [[no_unique_address]] detail::lifetime<Ttl> life;

    template <class V>
    node(const typename traits::type& k, V&& v) : key(k), value(std::forward<V>(v)) {}
  };
  struct nothing {};

 public:
  /// What a look-up takes: the key, or std::string_view for text keys, of which the map keeps copies.
  using key_view = typename traits::view;
  using mapped_type = Value;

  map_state() noexcept = default;
  map_state(const map_state&) = delete;
  map_state& operator=(const map_state&) = delete;

  /// The value under a key, or null. `get` reads, `modify` writes.
  const Value* get(const state_access& access, key_view key) {
    node* n = live(access, key);
    if (n == nullptr) return nullptr;
    n->life.read(access);
    return &n->value;
  }
  const Value* get(key_view key) const
    requires forever
  {
    const node* n = find(key, hash_bits(key));
    return n == nullptr ? nullptr : &n->value;
  }
  Value* modify(const state_access& access, key_view key) {
    node* n = live(access, key);
    if (n == nullptr) return nullptr;
    n->life.written(access);
    return &n->value;
  }
  bool contains(const state_access& access, key_view key) { return live(access, key) != nullptr; }
  bool contains(key_view key) const
    requires forever
  {
    return get(key) != nullptr;
  }

  /// Puts a value under a key. Throws std::bad_alloc, or what Value throws, and then has not put it.
  template <class V = Value>
  Value& put(const state_access& access, key_view key, V&& value) {
    sweep_two(access);
    node* n = live(access, key);
    if (n == nullptr) return add(access, key, std::forward<V>(value));
    n->value = std::forward<V>(value);
    n->life.written(access);
    return n->value;
  }

  /// The value under a key to change in place; it is `initial` if there was none. Throws as `put`.
  template <class V = Value>
  Value& get_or_put(const state_access& access, key_view key, V&& initial) {
    sweep_two(access);
    node* n = live(access, key);
    if (n == nullptr) return add(access, key, std::forward<V>(initial));
    n->life.written(access);
    return n->value;
  }

  /// False if the key was not there.
  bool remove(const state_access& access, key_view key) {
    node* n = live(access, key);
    if (n == nullptr) return false;
    drop(access, n);
    return true;
  }

  /// Calls f(key, value) for every live entry in the order of insertion, which counts as a read. `f` may remove the entry it is called for; entries it
  /// adds are met too. Without a time-to-live the value may be changed; with one, `f` must not put.
  template <class F>
  void for_each(const state_access& access, F&& f) {
    for (node* n = first_; n != nullptr;) {
      if (n->life.is_over(access)) {
        node* const gone = std::exchange(n, n->behind);
        drop(access, gone);
        continue;
      }
      n->life.read(access);
      // What comes next is asked before `f` may remove this entry, and again where it was the last and `f` may have added to it.
      node* const next = n->behind;
      const bool was_last = next == nullptr;
      node* const before = n->before;
      const std::uint32_t removals = removals_;
      f(traits::get(std::as_const(n->key)), static_cast<std::conditional_t<forever, Value&, const Value&>>(n->value));
      if (!was_last) {
        n = next;
      } else if (removals == removals_) {
        n = n->behind;
      } else {
        n = before == nullptr ? first_ : before->behind;
      }
    }
  }

  /// True if no live entry is there.
  bool empty(const state_access& access) noexcept {
    if constexpr (!forever) {
      while (first_ != nullptr && first_->life.is_over(access)) drop(access, first_);
    }
    return first_ == nullptr;
  }
  bool empty() const noexcept
    requires forever
  {
    return first_ == nullptr;
  }

  /// Entries that take memory, expired ones that were not removed yet included.
  std::size_t stored() const noexcept { return size_; }

  /// Removes all entries and gives the memory back.
  void clear(const state_access& access) noexcept {
    index_.clear(access.memory);
    for (node* n = first_; n != nullptr;) {
      node* const gone = std::exchange(n, n->behind);
      destroy(access, gone);
    }
    first_ = last_ = nullptr;
    size_ = 0;
    ++removals_;
    if constexpr (!forever) turn_ = nullptr;
  }

  /// Removes the expired entries; true if none is left. Costs a walk over the map if there is a time-to-live.
  bool sweep(const state_access& access) noexcept {
    if constexpr (!forever) {
      for (node* n = first_; n != nullptr;) {
        node* const seen = std::exchange(n, n->behind);
        if (seen->life.is_over(access)) drop(access, seen);
      }
    }
    return first_ == nullptr;
  }

  /// Calls f(key, value, end of its life) for every stored entry, expired or not, in the order of insertion.
  template <class F>
  void visit(F&& f) const {
    for (const node* n = first_; n != nullptr; n = n->behind) f(traits::get(n->key), n->value, n->life.end());
  }

 private:
  // Entries up to which a walk along the list is cheaper than an index.
  static constexpr std::uint32_t most_without_index = 8;

  static std::uint32_t hash_bits(key_view key) { return static_cast<std::uint32_t>(hash_of(key) >> 32); }

  node* find(key_view key, std::uint32_t hash) const {
    if (index_.is_open()) {
      for (chain_node* c = index_.first(hash); c != nullptr; c = c->next_in_chain) {
        auto* n = static_cast<node*>(c);
        if (c->hash == hash && traits::equal(n->key, key)) return n;
      }
      return nullptr;
    }
    for (node* n = first_; n != nullptr; n = n->behind) {
      if (n->hash == hash && traits::equal(n->key, key)) return n;
    }
    return nullptr;
  }

  // The entry of a key; an expired one is removed.
  SPILLWAY_INLINE node* live(const state_access& access, key_view key) {
    node* n = find(key, hash_bits(key));
    if constexpr (!forever) {
      if (n != nullptr && n->life.is_over(access)) {
        drop(access, n);
        return nullptr;
      }
    }
    return n;
  }

  template <class V>
  Value& add(const state_access& access, key_view key, V&& value) {
    node* const made = make(access.memory, key, std::forward<V>(value));
    made->hash = hash_bits(key);
    made->life.written(access);
    try {
      add_to_index(access.memory, made);
    } catch (...) {
      destroy(access, made);
      throw;
    }
    made->before = last_;
    (last_ == nullptr ? first_ : last_->behind) = made;
    last_ = made;
    ++size_;
    return made->value;
  }

  template <class V>
  static node* make(arena& memory, key_view key, V&& value) {
    void* const room = memory.allocate(sizeof(node), alignof(node));
    try {
      typename traits::type kept = traits::store(memory, key);
      try {
        return ::new (room) node(kept, std::forward<V>(value));
      } catch (...) {
        traits::drop(memory, kept);
        throw;
      }
    } catch (...) {
      memory.deallocate(room, sizeof(node), alignof(node));
      throw;
    }
  }

  void add_to_index(arena& memory, node* added) {
    if (index_.is_open()) return index_.insert(memory, added);
    if (size_ < most_without_index) return;
    // Room for all of these is taken with the first, so that none of the others throws.
    index_.insert(memory, added);
    for (node* n = first_; n != nullptr; n = n->behind) index_.insert(memory, n);
  }

  void drop(const state_access& access, node* n) noexcept {
    if (index_.is_open()) index_.remove(n);
    (n->before == nullptr ? first_ : n->before->behind) = n->behind;
    (n->behind == nullptr ? last_ : n->behind->before) = n->before;
    if constexpr (!forever) {
      if (turn_ == n) turn_ = n->behind;
    }
    destroy(access, n);
    ++removals_;
    if (--size_ == 0) index_.clear(access.memory);
  }

  static void destroy(const state_access& access, node* n) noexcept {
    traits::drop(access.memory, n->key);
    n->~node();
    access.memory.deallocate(n, sizeof(node), alignof(node));
  }

  void sweep_two(const state_access& access) noexcept {
    if constexpr (!forever) {
      for (int i = 0; i < 2; ++i) {
        if (turn_ == nullptr) turn_ = first_;
        if (turn_ == nullptr) return;
        node* const seen = std::exchange(turn_, turn_->behind);
        if (seen->life.is_over(access)) drop(access, seen);
      }
    }
  }

  node* first_ = nullptr;
  node* last_ = nullptr;
  chain_index index_;
  std::uint32_t size_ = 0;
  std::uint32_t removals_ = 0;
  [[no_unique_address]] std::conditional_t<forever, nothing, node*> turn_{};  // whose turn it is to be looked at
};

}  // namespace spillway
