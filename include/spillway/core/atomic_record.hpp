// A trivially copyable record that one thread may copy while another writes it: each word is an atomic, and whether the words belong together is
// found out by a sequence number beside them.
//
// `store` belongs to one thread, `load` to any.
// 1. There is no data race, whatever the order; but a `load` beside a `store` may mix two records. Who uses this checks a number before and
//    after (a sequence lock), and throws the mixture away.
// 2. Each word is stored with release and loaded with acquire. So a reader that got a word of a store sees, afterwards, what the writer stored before
//    that word: the number that says "being written". On x86-64 these are plain moves.
//
//     atomic_record<quote> cell;
//     cell.store({7, 100.5});
//     quote q = cell.load();
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "spillway/core/config.hpp"

namespace spillway {

template <class T, template <class> class Atomic = std::atomic>
class atomic_record {
  static_assert(std::is_trivially_copyable_v<T>,
                "spillway: a record that is copied while it is written must be trivially copyable");

 public:
  static constexpr std::size_t words = (sizeof(T) + 7) / 8;

  SPILLWAY_INLINE void store(const T& record) noexcept {
    std::array<std::uint64_t, words> plain{};
    std::memcpy(plain.data(), &record, sizeof(T));
    // Release pairs with the acquire load of the word: see 2.
    for (std::size_t i = 0; i < words; ++i) words_[i].store(plain[i], std::memory_order_release);
  }

  SPILLWAY_INLINE void load(T& record) const noexcept {
    std::array<std::uint64_t, words> plain;
    // Acquire pairs with the release store of the word.
    for (std::size_t i = 0; i < words; ++i) plain[i] = words_[i].load(std::memory_order_acquire);
    std::memcpy(static_cast<void*>(&record), plain.data(), sizeof(T));
  }

 private:
  std::array<Atomic<std::uint64_t>, words> words_{};
};

}  // namespace spillway
