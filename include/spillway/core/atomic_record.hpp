// A trivially copyable record that one thread may copy while another writes it: each word is an atomic, and whether the words belong together is
// found out by a sequence number beside them.
//
// `store` belongs to one thread, `load` to any.
// 1. There is no data race, whatever the order; but a `load` beside a `store` may mix two records. Who uses this checks a number before and
//    after (a sequence lock), and throws the mixture away.
// 2. Each word is stored with release and loaded with acquire. So a reader that got a word of a store sees, afterwards, what the writer stored before
//    that word: the number that says "being written". On x86-64 these are plain moves.
//
//     struct quote {
//       int instrument;
//       double price;
//     };
//
//     atomic_record<quote> cell;
//     cell.store({7, 100.5});
//     quote q;
//     cell.load(q);
//     assert(q.instrument == 7 && q.price == 100.5);
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
    const auto* from = reinterpret_cast<const std::byte*>(&record);
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t plain = 0;
      std::memcpy(&plain, from + i * 8, bytes_of(i));
      // Release pairs with the acquire load of the word: see 2.
      words_[i].store(plain, std::memory_order_release);
    }
  }

  SPILLWAY_INLINE void load(T& record) const noexcept {
    auto* to = reinterpret_cast<std::byte*>(&record);
    for (std::size_t i = 0; i < words; ++i) {
      // Acquire pairs with the release store of the word.
      const std::uint64_t plain = words_[i].load(std::memory_order_acquire);
      std::memcpy(to + i * 8, &plain, bytes_of(i));
    }
  }

 private:
  /// The last word may be a part of one.
  static constexpr std::size_t bytes_of(std::size_t i) noexcept { return i + 1 < words ? 8 : sizeof(T) - 8 * (words - 1); }

  std::array<Atomic<std::uint64_t>, words> words_{};
};

}  // namespace spillway
