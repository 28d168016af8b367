// What happens when a keyed operator has as many keys as it was given: grow, refuse new keys, or forget the one used least recently.
//
// Owned by one stage: one thread at a time; the counts may be read from any thread.
// 1. Growing is always counted: a key beyond the budget adds one to `grown`.
// 2. Refusing leaves the table as it is: the operator sends the record to a side output and the key is `refused`.
// 3. Evicting costs the same however many keys there are: entry indices are linked by their last use, in memory of the arena by index.
//    The other two policies keep no links and do nothing per use.
// 4. The owner clears what the evicted entry holds, its timers too, in the function it passes; the entry is erased right after.
//
//     arena memory;
//     keyed_table<int, double> table(memory);
//     key_budget budget;
//     budget.open(memory, {.keys = 2, .when_full = when_full::evict_least_recently_used});
//     bool inserted = false;
//     for (int key : {1, 2, 1, 3}) budget.find_or_admit(table, key, inserted, [&](std::uint32_t gone) { table.entry(gone) = 0; });
//     assert(table.size() == 2 && table.find(2) == key_budget::none && budget.evicted() == 1);
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/counter.hpp"
#include "spillway/state/use_order.hpp"

namespace spillway {

enum class when_full : std::uint8_t { grow, refuse, evict_least_recently_used };

struct key_budget_options {
  std::size_t keys = 0;  ///< 0: no limit
  spillway::when_full when_full = spillway::when_full::grow;
};

class key_budget {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;

  /// Requires: the table that it is used for is empty.
  void open(arena& memory, const key_budget_options& options) noexcept {
    options_ = options;
    order_.open(memory);
  }

  /// The index of the key's entry in the table, or `none` if it is new and refused. Where a key has to go for it, evict(its index) is
  /// called first. Throws what the table throws (an eviction then stays done).
  template <class Table, class Evict>
  SPILLWAY_INLINE std::uint32_t find_or_admit(Table& table, typename Table::key_view key, bool& inserted, Evict&& evict) {
    return find_or_admit_hashed(table, key, Table::hash(key), inserted, std::forward<Evict>(evict));
  }
  template <class Table, class Evict>
  SPILLWAY_INLINE std::uint32_t find_or_admit_hashed(Table& table, typename Table::key_view key, std::uint64_t hash,
                                                     bool& inserted, Evict&& evict) {
    if (options_.when_full == when_full::grow) [[likely]] {
      const std::uint32_t i = table.find_or_insert_hashed(key, hash, inserted);
      if (inserted && options_.keys != 0 && table.size() > options_.keys) [[unlikely]]
        grown_.add();
      return i;
    }
    const std::uint32_t found = table.find_hashed(key, hash);
    if (found == none) return admit(table, key, hash, inserted, evict);
    inserted = false;
    if (options_.when_full == when_full::evict_least_recently_used) order_.used(found);
    return found;
  }

  /// A use of a key that did not come by `find_or_admit`, such as its timer.
  SPILLWAY_INLINE void used(std::uint32_t i) noexcept {
    if (options_.when_full == when_full::evict_least_recently_used) order_.used(i);
  }

  /// The owner erases an entry by itself. Call it before.
  void erased(std::uint32_t i) noexcept {
    if (options_.when_full == when_full::evict_least_recently_used) order_.remove(i);
  }

  /// Keys so far that went beyond the budget, records of new keys that were refused, keys that were evicted. Any thread.
  std::uint64_t grown() const noexcept { return grown_.get(); }
  std::uint64_t refused() const noexcept { return refused_.get(); }
  std::uint64_t evicted() const noexcept { return evicted_.get(); }

 private:
  template <class Table, class Evict>
  SPILLWAY_NOINLINE std::uint32_t admit(Table& table, typename Table::key_view key, std::uint64_t hash, bool& inserted,
                                        Evict& evict) {
    inserted = false;
    const bool full = options_.keys != 0 && table.size() >= options_.keys;
    if (options_.when_full == when_full::refuse) {
      if (!full) return table.find_or_insert_hashed(key, hash, inserted);
      refused_.add();
      return none;
    }
    if (full) {
      const std::uint32_t gone = order_.least_recent();
      evict(gone);
      order_.remove(gone);
      table.erase(gone);
      evicted_.add();
    }
    const std::uint32_t i = table.find_or_insert_hashed(key, hash, inserted);
    try {
      order_.add(i);
    } catch (...) {
      table.erase_hashed(i, hash);
      inserted = false;
      throw;
    }
    return i;
  }

  key_budget_options options_;
  use_order order_;
  counter grown_;
  counter refused_;
  counter evicted_;
};

}  // namespace spillway
