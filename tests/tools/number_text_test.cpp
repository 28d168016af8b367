#include "spillway/text/number_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace {

using spillway::tool::number_buffer;
using spillway::tool::parse_number;
using spillway::tool::print_number;

std::string printed(double value) {
  number_buffer buffer;
  return std::string(print_number(value, buffer));
}

double parsed(std::string_view text) {
  double value = -12345;
  EXPECT_TRUE(parse_number(text, value)) << text;
  return value;
}

TEST(number_text, parses_what_strtod_parses_to_the_last_bit) {
  for (const char* text : {"0",
                           "1",
                           "-1",
                           "+1",
                           "2681.62",
                           "61800.20",
                           "0.1",
                           ".5",
                           "5.",
                           "007",
                           "1e3",
                           "1E-3",
                           "-2.5e+10",
                           "12345678",
                           "123456789",
                           "1234567.",
                           "1234567.8",
                           "12345678.9",
                           "99999999",
                           "9007199254740993",
                           "9007199254740992.5",
                           "0.30000000000000004",
                           "1e22",
                           "1e23",
                           "1e-22",
                           "179769313486231570000000000000000000000",
                           "1.7976931348623157e308",
                           "4.9406564584124654e-324",
                           "2.2250738585072011e-308",
                           "123456789012345678901234567890.5",
                           "0.000000000000000000000000000001",
                           "1e0000000005"})
    EXPECT_EQ(std::bit_cast<std::uint64_t>(parsed(text)), std::bit_cast<std::uint64_t>(std::strtod(text, nullptr))) << text;
}

TEST(number_text, allows_blanks_around_a_number) {
  EXPECT_EQ(parsed(" 1.5"), 1.5);
  EXPECT_EQ(parsed("\t-1.5 \t"), -1.5);
}

TEST(number_text, refuses_what_is_no_finite_decimal_number) {
  for (const char* text : {"",      " ",    ".",        "-",   "+",   "+-1",   "--1",    "- 1",
                           "1 2",   "1,5",  "1.2.3",    "1e",  "1e+", "e5",    "0x10",   "0X1p3",
                           "inf",   "-inf", "INFINITY", "nan", "NaN", "1e309", "-1e999", "1e99999999999999999999",
                           "1_000", "abc",  "12a",      "a12", "1..", "..1",   "1-",     "12345678901234567890x",
                           "\x80",  "1\n"}) {
    double value = 7;
    EXPECT_FALSE(parse_number(text, value)) << text;
    EXPECT_EQ(value, 7) << text;
  }
  double value = 7;
  EXPECT_FALSE(parse_number(std::string_view("1\0", 2), value));
}

TEST(number_text, reads_what_is_too_small_as_zero) {
  EXPECT_EQ(parsed("1e-400"), 0);
  EXPECT_EQ(parsed("0.00001e-99999999999999999999"), 0);
  EXPECT_TRUE(std::signbit(parsed("-1e-400")));
  EXPECT_EQ(parsed("0e999"), 0);
  EXPECT_EQ(parsed("0e99999999999999999999"), 0);
}

TEST(number_text, prints_the_shortest_text_and_whole_numbers_without_a_point) {
  EXPECT_EQ(printed(0), "0");
  EXPECT_EQ(printed(-0.0), "-0");
  EXPECT_EQ(printed(100000), "100000");
  EXPECT_EQ(printed(-42), "-42");
  EXPECT_EQ(printed(9007199254740991), "9007199254740991");
  EXPECT_EQ(printed(0.1), "0.1");
  EXPECT_EQ(printed(35.7), "35.7");
  EXPECT_EQ(printed(1e300), "1e+300");
}

TEST(number_text, every_double_reads_back_from_its_text) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 300'000; ++i) {
    std::uint64_t bits = random();
    if (i % 16 == 0) bits &= 0x800FFFFFFFFFFFFF;  // subnormal
    const auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(parsed(printed(value))), bits) << printed(value);
  }
}

TEST(number_text, short_decimals_are_rounded_as_strtod_rounds_them) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 300'000; ++i) {
    std::string text = std::to_string(random() % static_cast<std::uint64_t>(std::pow(10, 1 + random() % 19)));
    if (random() % 4 != 0) text.insert(random() % (text.size() + 1), ".");
    if (random() % 4 == 0) text.insert(0, "-");
    ASSERT_EQ(std::bit_cast<std::uint64_t>(parsed(text)), std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)))
        << text;
  }
}

TEST(number_text, agrees_with_strtod_on_which_short_texts_are_numbers) {
  std::mt19937_64 random(13);
  const std::string alphabet = "0123456789..-+e x/:";
  for (int i = 0; i < 300'000; ++i) {
    std::string text;
    for (std::size_t size = random() % 11; text.size() < size;) text += alphabet[random() % alphabet.size()];
    const std::string trimmed(spillway::tool::trimmed(text));
    char* end = nullptr;
    const double expected = std::strtod(trimmed.c_str(), &end);
    const bool number = !trimmed.empty() && *end == '\0' && std::isfinite(expected) && trimmed.find('x') == std::string::npos;
    double value = 0;
    ASSERT_EQ(parse_number(text, value), number) << "'" << text << "'";
    if (number) {
      ASSERT_EQ(value, expected) << text;
    }
  }
}

}  // namespace
