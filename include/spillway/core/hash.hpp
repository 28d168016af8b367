// 64-bit hashes of keys: integers, enums, text, pairs and tuples of these, and user types with a `hash_value` function.
//
// Pure functions, usable from any thread; the values are the same in every run on one kind of machine.
// 1. Keys that compare equal hash equal; every text type (std::string_view, text_ref, fixed_string, std::string) with the same
//    characters has the same hash, so a table can be searched by a view of its keys.
// 2. Every bit of the key moves every bit of the result with a chance near one half. `keyed_table` uses the upper 32 bits;
//    whoever spreads keys over replicas takes the lower ones, so that the two choices do not depend on each other.
// 3. There is no secret seed: these hashes do not protect against keys chosen by an adversary.
//
//     struct route {
//       std::uint32_t from, to;
//       bool operator==(const route&) const = default;
//     };
//     inline std::uint64_t hash_value(const route& r) { return sw::hash_all(r.from, r.to); }      // found by argument-dependent lookup
//
//     assert(sw::hash_of(route{1, 2}) != sw::hash_of(route{2, 1}));
//     assert(sw::hash_of(sw::fixed_string<15>("boiler")) == sw::hash_of(std::string_view("boiler")));
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"

namespace spillway {

namespace detail {

// Odd words from the fraction of pi: constants that nobody chose.
inline constexpr std::uint64_t hash_word_1 = 0x243f6a8885a308d3u;
inline constexpr std::uint64_t hash_word_2 = 0xa4093822299f31d1u;
inline constexpr std::uint64_t hash_word_3 = 0xbe5466cf34e90c6du;

// The full 128-bit product, folded: high bits of the factors reach the low bits of the result and the other way round.
SPILLWAY_INLINE constexpr std::uint64_t multiply_fold(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  const std::uint64_t a_low = a & 0xffffffffu, a_high = a >> 32, b_low = b & 0xffffffffu, b_high = b >> 32;
  const std::uint64_t cross = a_high * b_low + (a_low * b_low >> 32);
  const std::uint64_t cross_low = (cross & 0xffffffffu) + a_low * b_high;
  const std::uint64_t high = a_high * b_high + (cross >> 32) + (cross_low >> 32);
  return (a * b) ^ high;
#endif
}

template <class Word>
SPILLWAY_INLINE Word load(const char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

SPILLWAY_NOINLINE inline std::uint64_t hash_long_text(const char* data, std::size_t size) noexcept {
  std::uint64_t state = hash_word_3 ^ size;
  const char* last = data + size - 16;
  for (; data < last; data += 16) {
    state = multiply_fold(load<std::uint64_t>(data) ^ hash_word_1, load<std::uint64_t>(data + 8) ^ state);
  }
  // The last 16 bytes may overlap what was read before, which spares a loop over single bytes.
  state = multiply_fold(load<std::uint64_t>(last) ^ hash_word_2, load<std::uint64_t>(last + 8) ^ state);
  return multiply_fold(state ^ hash_word_1, hash_word_2);
}

template <class Key>
concept has_hash_value = requires(const Key& key) {
  { hash_value(key) } -> std::convertible_to<std::uint64_t>;
};

template <class>
inline constexpr bool is_hashable_tuple = false;
template <class First, class Second>
inline constexpr bool is_hashable_tuple<std::pair<First, Second>> = true;
template <class... Parts>
inline constexpr bool is_hashable_tuple<std::tuple<Parts...>> = true;

template <class>
inline constexpr bool no_hash_for = false;

}  // namespace detail

/// The hash of one word.
SPILLWAY_INLINE constexpr std::uint64_t hash_word(std::uint64_t word) noexcept {
  return detail::multiply_fold(detail::multiply_fold(word ^ detail::hash_word_1, detail::hash_word_2) ^ word,
                               detail::hash_word_3);
}

/// The hash of a number of 32 bits: two short multiplications instead of two long ones.
SPILLWAY_INLINE constexpr std::uint64_t hash_half_word(std::uint32_t half) noexcept {
  std::uint64_t state = half * detail::hash_word_1;
  state = (state ^ (state >> 32)) * detail::hash_word_2;
  return state ^ (state >> 32);
}

/// The hash of characters. Texts of up to 16 bytes take two wide loads and no loop.
SPILLWAY_INLINE std::uint64_t hash_text(std::string_view text) noexcept {
  const char* data = text.data();
  const std::size_t size = text.size();
  if (size > 16) [[unlikely]]
    return detail::hash_long_text(data, size);
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  if (size >= 8) {
    head = detail::load<std::uint64_t>(data);
    tail = detail::load<std::uint64_t>(data + size - 8);
  } else if (size >= 4) {
    head = detail::load<std::uint32_t>(data);
    tail = detail::load<std::uint32_t>(data + size - 4);
  } else if (size > 0) {
    head = static_cast<std::uint64_t>(static_cast<unsigned char>(data[0])) << 16 |
           static_cast<std::uint64_t>(static_cast<unsigned char>(data[size / 2])) << 8 |
           static_cast<unsigned char>(data[size - 1]);
  }
  const std::uint64_t state = detail::multiply_fold(head ^ detail::hash_word_1, tail ^ detail::hash_word_2 ^ size);
  return detail::multiply_fold(state ^ detail::hash_word_3 ^ head, detail::hash_word_2 ^ (tail << 1));
}

/// The hash of a key. A user type needs a function `std::uint64_t hash_value(const Key&)` in its own namespace, or std::hash.
template <class Key>
SPILLWAY_INLINE std::uint64_t hash_of(const Key& key) {
  if constexpr (detail::has_hash_value<Key>) {
    return hash_word(static_cast<std::uint64_t>(hash_value(key)));  // mixed again: the user's function need not be a good one
  } else if constexpr (std::is_enum_v<Key>) {
    return hash_of(static_cast<std::underlying_type_t<Key>>(key));
  } else if constexpr (std::is_integral_v<Key> && sizeof(Key) <= 4) {
    return hash_half_word(static_cast<std::uint32_t>(key));
  } else if constexpr (std::is_integral_v<Key>) {
    return hash_word(static_cast<std::uint64_t>(key));
  } else if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
    return hash_text(key);
  } else if constexpr (detail::is_hashable_tuple<Key>) {
    return std::apply(
        [](const auto&... parts) {
          std::uint64_t state = detail::hash_word_1;
          ((state = detail::multiply_fold(state ^ hash_of(parts), detail::hash_word_2)), ...);
          return hash_word(state);
        },
        key);
  } else if constexpr (requires { std::hash<Key>{}(key); }) {
    return hash_word(static_cast<std::uint64_t>(std::hash<Key>{}(key)));
  } else {
    static_assert(detail::no_hash_for<Key>,
                  "spillway: a key type needs a function hash_value(const Key&) beside it, or a std::hash");
  }
}

/// The hash of several parts in order, for the `hash_value` function of an aggregate.
template <class... Parts>
SPILLWAY_INLINE std::uint64_t hash_all(const Parts&... parts) {
  return hash_of(std::tuple<const Parts&...>(parts...));
}

}  // namespace spillway
