// Numbers as text: parsed strictly, printed so that they read back to the same double.
//
// Pure functions, for any thread; nothing depends on the locale.
// 1. A number is decimal, with optional sign, fraction and exponent, and finite; blanks and tabs around it are allowed.
//    Hexadecimal, "inf" and "nan", and what is too large for a double, are none. What is too small reads as zero.
// 2. `print_number` gives the shortest such text; whole numbers below 2^53 have no exponent and no point.
//
//     double price = 0;
//     if (!parse_number(" 2681.62", price)) return "bad number";
//     std::string_view text = print_number(price, buffer);              // "2681.62"
#pragma once

#include <array>
#include <string_view>

namespace spillway::tool {

/// Room for any printed double.
using number_buffer = std::array<char, 32>;

/// The whole of `text` as a finite double. False, and `value` unchanged, when it is none.
bool parse_number(std::string_view text, double& value) noexcept;

/// `value` as text in `buffer`. Not finite values print as "inf", "-inf" and "nan", which do not read back.
std::string_view print_number(double value, number_buffer& buffer) noexcept;

/// `text` without the blanks and tabs around it.
constexpr std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace spillway::tool
