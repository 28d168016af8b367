// The keys of a stage and what it keeps per key: one probe per record finds the key's entry.
//
// Owned by one stage: one thread at a time. All memory comes from the stage's arena, which outlives the table.
// 1. A slot is 8 bytes, {32 hash bits, entry index}; key and entry lie together in a pool and never move while the key is there.
// 2. Slots are probed linearly from the position that the top bits of the hash name. Erasing shifts back; there are no tombstones.
// 3. Growth is step by step. Each insertion clears a few slots of the array twice as large, then each insertion or hit moves a few slots to
//    it, up to the end of a probe run; no operation rehashes the table. While slots move, a key is in exactly one of the two
//    arrays, and its hash says in which.
// 4. Equal calls give equal indices and an equal order of `for_each`.
//
//        slots  [h|i] [   ] [h|i] [h|i] ...            pool  i: {key, entry}  {key, entry} ...
//                  '--------------------------------------------^
//
//     arena memory;
//     keyed_table<std::uint32_t, double> sums(memory);
//     bool inserted = false;
//     const std::uint32_t i = sums.find_or_insert(7, inserted);
//     sums.entry(i) += 70.0;
//     assert(inserted && sums.find(7) == i && sums.entry(i) == 70.0);
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/hash.hpp"
#include "spillway/state/pool.hpp"
#include "spillway/state/slot_array.hpp"
#include "spillway/state/stored_key.hpp"

namespace spillway {

template <class Key, class Entry>
class keyed_table {
  using traits = stored_key<Key>;
  struct node {
    explicit node(const typename traits::type& k) noexcept(std::is_nothrow_default_constructible_v<Entry>) : key(k), entry() {}
    typename traits::type key;
    Entry entry;
  };

 public:
  /// What a look-up takes: the key, by value if it fits two registers, or std::string_view for text keys.
  using key_view = typename traits::view;

  /// No entry.
  static constexpr std::uint32_t none = pool<node>::none;

  keyed_table() noexcept = default;
  explicit keyed_table(arena& memory) noexcept { open(memory); }
  keyed_table(keyed_table&& other) noexcept { swap(other); }
  keyed_table& operator=(keyed_table&& other) noexcept {
    keyed_table taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~keyed_table() { release(); }

  /// Says where memory comes from. Requires: nothing was inserted or reserved yet.
  void open(arena& memory) noexcept {
    memory_ = &memory;
    nodes_.open(memory);
  }

  /// The hash that the `_hashed` forms take. They require it, or another one that is always the same for equal keys.
  SPILLWAY_INLINE static std::uint64_t hash(key_view key) { return hash_of(key); }

  /// Asks the CPU for the slots of a key that will be looked up soon.
  SPILLWAY_INLINE void prefetch(std::uint64_t hash) const noexcept {
    __builtin_prefetch(slots_.slots + slots_.home(upper(hash)));
  }

  /// The index of the key's entry, or `none`.
  SPILLWAY_INLINE std::uint32_t find(key_view key) const { return find_hashed(key, hash(key)); }
  SPILLWAY_INLINE std::uint32_t find_hashed(key_view key, std::uint64_t hash) const {
    if (moving_) [[unlikely]]
      return find_while_moving(key, upper(hash));
    std::uint32_t i = none;
    return probe(slots_, key, upper(hash), i) != nullptr ? i : none;
  }

  /// The index of the key's entry; a key that is not there gets a value-initialised entry and sets `inserted`, which is else
  /// cleared. Throws std::bad_alloc or std::length_error (more than about 2^31 keys), and then the key is not there. Requires: the table has an arena.
  SPILLWAY_INLINE std::uint32_t find_or_insert(key_view key, bool& inserted) {
    return find_or_insert_hashed(key, hash(key), inserted);
  }
  SPILLWAY_INLINE std::uint32_t find_or_insert_hashed(key_view key, std::uint64_t hash, bool& inserted) {
    std::uint32_t i = none;
    (void)entry_for_hashed(key, hash, i, inserted);
    return i;
  }

  /// The same, for who wants the entry at once: this spares computing its address from the index.
  SPILLWAY_INLINE Entry& entry_for(key_view key, std::uint32_t& index, bool& inserted) {
    return entry_for_hashed(key, hash(key), index, inserted);
  }
  SPILLWAY_INLINE Entry& entry_for_hashed(key_view key, std::uint64_t hash, std::uint32_t& index, bool& inserted) {
    if (!moving_) [[likely]] {
      if (const node* found = probe(slots_, key, upper(hash), index)) [[likely]] {
        inserted = false;
        return const_cast<node*>(found)->entry;
      }
    }
    index = insert_or_move(key, upper(hash), inserted);
    return nodes_[index].entry;
  }

  /// Requires, for all of these: `i` is the index of a key that is there.
  SPILLWAY_INLINE Entry& entry(std::uint32_t i) noexcept { return nodes_[i].entry; }
  SPILLWAY_INLINE const Entry& entry(std::uint32_t i) const noexcept { return nodes_[i].entry; }
  /// The key, or a view of the table's own copy for text keys; valid until the key is erased.
  SPILLWAY_INLINE decltype(auto) key(std::uint32_t i) const noexcept { return traits::get(nodes_[i].key); }
  /// Forgets the key and destroys its entry. Costs a probe.
  void erase(std::uint32_t i) { erase_hashed(i, hash_of(traits::get(nodes_[i].key))); }
  SPILLWAY_NOINLINE void erase_hashed(std::uint32_t i, std::uint64_t hash) {
    const std::uint32_t bits = upper(hash);
    array_of(bits).remove(bits, i);
    if constexpr (traits::owns_memory) traits::drop(*memory_, nodes_[i].key);
    nodes_.destroy(i);
  }

  std::uint32_t size() const noexcept { return nodes_.size(); }
  bool empty() const noexcept { return nodes_.empty(); }

  /// Calls f(index) for every key, in ascending order of index. `f` may erase keys; those it inserts may or may not be met.
  template <class F>
  void for_each(F&& f) const {
    nodes_.for_each(std::forward<F>(f));
  }

  /// Makes room for `expected_keys` in all, so that inserting up to that many takes no memory (but for long text keys). For set-up:
  /// unlike growth it does all its work at once. Throws as `find_or_insert`.
  void reserve(std::size_t expected_keys) {
    if (expected_keys == 0) return;
    nodes_.reserve(expected_keys);
    while (growing_) grow_step();
    const std::size_t wanted = slot_array::slots_for(expected_keys);
    if (wanted <= slots_.size()) return;
    start_growth(wanted);
    while (growing_) grow_step();
  }

  /// True while a growth is under way (for tests and measurements).
  bool growing() const noexcept { return growing_; }

 private:
  // Hash bits of 0 mark an empty slot; the lowest bit is set to keep them free, which costs a probe one comparison less.
  static constexpr std::uint32_t upper(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32) | 1u; }

  SPILLWAY_INLINE const node* probe(const slot_array& array, key_view key, std::uint32_t bits, std::uint32_t& index) const {
    for (std::uint32_t at = array.home(bits);; at = array.next(at)) {
      const slot_array::slot* s = array.slots + at;
      if (s->hash == bits) [[likely]] {
        const node& n = nodes_[s->index];
        if (traits::equal(n.key, key)) [[likely]] {
          index = s->index;
          return &n;
        }
      } else if (s->hash == 0) {
        return nullptr;
      }
    }
  }

  // The array that holds a hash while slots move: those whose home position was passed are in the new one.
  slot_array& array_of(std::uint32_t bits) noexcept {
    if (moving_ && slots_.distance(move_start_, slots_.home(bits)) < moved_) return larger_;
    return slots_;
  }

  SPILLWAY_NOINLINE std::uint32_t find_while_moving(key_view key, std::uint32_t bits) const {
    const bool passed = slots_.distance(move_start_, slots_.home(bits)) < moved_;
    std::uint32_t i = none;
    return probe(passed ? larger_ : slots_, key, bits, i) != nullptr ? i : none;
  }

  SPILLWAY_NOINLINE std::uint32_t insert_or_move(key_view key, std::uint32_t bits, bool& inserted) {
    if (growing_) {
      grow_step();
    } else if (nodes_.size() >= slots_.grow_at()) {
      start_growth(slots_.size() < slot_array::smallest ? slot_array::smallest : slots_.size() * 2);
      grow_step();
    }
    slot_array& array = array_of(bits);
    std::uint32_t i = none;
    inserted = probe(array, key, bits, i) == nullptr;
    if (!inserted) return i;
    i = create(key);
    array.put(bits, i);
    return i;
  }

  std::uint32_t create(key_view key) {
    if constexpr (traits::owns_memory) {
      typename traits::type kept = traits::store(*memory_, key);
      try {
        return nodes_.create(kept);
      } catch (...) {
        traits::drop(*memory_, kept);
        throw;
      }
    } else {
      return nodes_.create(key);
    }
  }

  SPILLWAY_COLD void start_growth(std::size_t wanted) {
    if (wanted > slot_array::largest)
      throw std::length_error("spillway: a keyed table is full at 2^31 keys; spread the keys over more replicas");
    larger_ = slot_array::make(*memory_, wanted);
    cleared_ = 0;
    growing_ = true;
    if (slots_.size() < slot_array::smallest) {  // nothing to move from
      larger_.clear(0, larger_.size());
      finish_growth();
    }
  }

  // The two rates end a growth within an eighth of the old capacity's insertions, so the load stays below slot_array's highest one.
  static constexpr std::size_t clears_per_step = 32;
  static constexpr std::size_t moves_per_step = 16;

  SPILLWAY_NOINLINE void grow_step() {
    if (!growing_) return;
    if (!moving_) {
      const std::size_t left = larger_.size() - cleared_;
      const std::size_t n = left < clears_per_step ? left : clears_per_step;
      larger_.clear(cleared_, n);
      cleared_ += n;
      if (cleared_ < larger_.size()) return;
      move_start_ = slots_.after_first_gap();
      moved_ = 0;
      moving_ = true;
      return;
    }
    // A step ends behind an empty slot: then no key whose home was passed is still ahead in the old array.
    for (std::size_t n = 0;; ++n) {
      slot_array::slot& from = slots_.slots[slots_.wrap(move_start_ + moved_)];
      ++moved_;
      const bool gap = from.hash == 0;
      if (!gap) {
        larger_.put(from.hash, from.index);
        from = slot_array::slot{};
      }
      if (gap && moved_ >= slots_.size()) return finish_growth();
      if (gap && n >= moves_per_step) return;
    }
  }

  void finish_growth() noexcept {
    if (slots_.size() >= slot_array::smallest) slots_.give_back(*memory_);
    slots_ = larger_;
    larger_ = slot_array{};
    growing_ = false;
    moving_ = false;
  }

  void release() noexcept {
    if (memory_ == nullptr) return;
    if constexpr (traits::owns_memory) nodes_.for_each([this](std::uint32_t i) { traits::drop(*memory_, nodes_[i].key); });
    if (growing_) larger_.give_back(*memory_);
    if (slots_.size() >= slot_array::smallest) slots_.give_back(*memory_);
  }

  void swap(keyed_table& other) noexcept {
    std::swap(slots_, other.slots_);
    std::swap(moving_, other.moving_);
    std::swap(growing_, other.growing_);
    std::swap(nodes_, other.nodes_);
    std::swap(larger_, other.larger_);
    std::swap(cleared_, other.cleared_);
    std::swap(moved_, other.moved_);
    std::swap(move_start_, other.move_start_);
    std::swap(memory_, other.memory_);
  }

  slot_array slots_;
  bool moving_ = false;   // look-ups need both arrays
  bool growing_ = false;  // a larger array is there, being cleared or filled
  pool<node> nodes_;
  slot_array larger_;
  std::size_t cleared_ = 0;
  std::size_t moved_ = 0;
  std::uint32_t move_start_ = 0;
  arena* memory_ = nullptr;
};

}  // namespace spillway
