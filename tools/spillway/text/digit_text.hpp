// Short runs of digits as numbers, eight at a time in one 64-bit word: what numbers and times have in common.
//
// Pure functions, for any thread.
// 1. Nothing outside the text is read.
// 2. A word holds the characters in order from its lowest byte, each less '0', behind as many zeros as are missing to eight; so a
//    word of digits has the value of the text.
// 3. For machines that are not little-endian `short_words_work` is false and callers take their plain way.
//
//     digit_word word = load_digits("1723", 4);
//     if (all_digits(word)) use(value_of(word));                        // 1723
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace spillway::tool {

using digit_word = std::uint64_t;

inline constexpr bool short_words_work = std::endian::native == std::endian::little;

inline constexpr digit_word each_byte = 0x0101010101010101;

/// Requires: 1 <= size <= 8.
inline digit_word load_digits(const char* text, std::size_t size) noexcept {
  digit_word word = 0;
  if (size >= 4) {
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    std::memcpy(&head, text, 4);
    std::memcpy(&tail, text + size - 4, 4);
    word = head | (digit_word{tail} << (8 * (size - 4)));
  } else {
    const auto at = [&](std::size_t i) { return digit_word{static_cast<unsigned char>(text[i])} << (8 * i); };
    word = at(0) | at(size / 2) | at(size - 1);
  }
  return (word ^ (each_byte * '0')) << (8 * (8 - size));
}

constexpr bool all_digits(digit_word word) noexcept { return (((word + each_byte * 0x76) | word) & (each_byte * 0x80)) == 0; }

/// Requires: all_digits(word).
constexpr std::uint64_t value_of(digit_word word) noexcept {
  constexpr std::uint64_t pair = 0x000000FF000000FF;
  constexpr std::uint64_t millions_and_hundreds = 100 + (std::uint64_t{1'000'000} << 32);
  constexpr std::uint64_t ten_thousands_and_ones = 1 + (std::uint64_t{10'000} << 32);
  word = word * 10 + (word >> 8);
  return (((word & pair) * millions_and_hundreds) + (((word >> 16) & pair) * ten_thousands_and_ones)) >> 32;
}

/// Takes the point out of a word, the characters before it moved up; how many stood behind it, or `no_point`.
constexpr int no_point = -1;
constexpr int take_point(digit_word& word) noexcept {
  constexpr digit_word low_bits = each_byte * 0x7F;
  const digit_word differs = word ^ (each_byte * ('.' ^ '0'));
  const digit_word points = ~(((differs & low_bits) + low_bits) | differs | low_bits);
  if (points == 0) return no_point;
  const int place = std::countr_zero(points) / 8;
  const digit_word below = (digit_word{1} << (8 * place)) - 1;
  word = ((word & below) << 8) | (word & ~below & ~(digit_word{0xFF} << (8 * place)));
  return 7 - place;
}

/// Up to 19 digits and nothing else. False for any other text.
inline bool parse_digits(const char* text, std::size_t size, std::uint64_t& value) noexcept {
  constexpr std::uint64_t hundred_million = 100'000'000;
  if (size == 0 || size > 19) return false;
  std::uint64_t total = 0;
  const std::size_t head = (size - 1) % 8 + 1;
  const digit_word first = load_digits(text, head);
  bool good = all_digits(first);
  total = value_of(first);
  for (std::size_t at = head; at != size; at += 8) {
    const digit_word word = load_digits(text + at, 8);
    good = good && all_digits(word);
    total = total * hundred_million + value_of(word);
  }
  value = total;
  return good;
}

}  // namespace spillway::tool
