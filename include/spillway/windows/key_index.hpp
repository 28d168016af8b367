// The entries of a window operator's keys: a keyed_table, or a single entry where the stream has no key.
//
// Owned by one stage: one thread at a time. 1. The two have the same functions, so that an operator is written once; without a key nothing is hashed.
//
//     arena memory;
//     key_index<no_key, double> sums;                 // with a key: a keyed_table
//     sums.open(memory);
//     bool inserted = false;
//     sums.entry(sums.find_or_insert(no_key(), inserted)) += 70;
//     assert(inserted && sums.size() == 1);
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "spillway/core/arena.hpp"
#include "spillway/operators/stream.hpp"
#include "spillway/state/keyed_table.hpp"

namespace spillway {

/// See keyed_table for the contracts.
template <class Entry>
class single_entry {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;

  void open(arena&) noexcept {}
  void reserve(std::size_t) noexcept {}
  std::uint32_t find(no_key) const noexcept { return there_ ? 0 : none; }
  std::uint32_t find_or_insert(no_key, bool& inserted) {
    inserted = !there_;
    if (inserted) entry_ = Entry{};
    there_ = true;
    return 0;
  }
  Entry& entry_for(no_key key, std::uint32_t& index, bool& inserted) {
    index = find_or_insert(key, inserted);
    return entry_;
  }
  Entry& entry(std::uint32_t) noexcept { return entry_; }
  no_key key(std::uint32_t) const noexcept { return {}; }
  void erase(std::uint32_t) noexcept { there_ = false; }
  std::uint32_t size() const noexcept { return there_ ? 1 : 0; }
  template <class F>
  void for_each(F&& f) const {
    if (there_) f(std::uint32_t{0});
  }

 private:
  Entry entry_{};
  bool there_ = false;
};

template <class Key, class Entry>
using key_index = std::conditional_t<std::is_same_v<Key, no_key>, single_entry<Entry>, keyed_table<Key, Entry>>;

}  // namespace spillway
