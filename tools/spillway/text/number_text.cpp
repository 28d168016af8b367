#include "number_text.hpp"

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "digit_text.hpp"

namespace spillway::tool {

namespace {

/// Whole numbers up to here, and powers of ten up to 10^22, are doubles themselves, so one division of them rounds correctly.
constexpr std::uint64_t exact_limit = std::uint64_t{1} << 53;
constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Digits that always fit 64 bits.
constexpr std::ptrdiff_t most_digits = 19;

/// With x87 arithmetic the division would round twice.
constexpr bool doubles_are_exact = FLT_EVAL_METHOD == 0;

/// Whether an unsigned number that no double holds is too small rather than too large: by the place of its first digit that is not 0.
bool below_all_doubles(std::string_view digits) noexcept {
  const std::size_t exponent_at = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, exponent_at);
  const std::size_t first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) return true;
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  std::int64_t magnitude = point - static_cast<std::int64_t>(first);
  if (exponent_at == digits.size()) return magnitude <= 0;
  std::string_view exponent = digits.substr(exponent_at + 1);
  const bool negative = exponent.starts_with('-');
  if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
  std::int64_t ten_power = 0;
  if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), ten_power).ec != std::errc{}) return negative;
  if (__builtin_add_overflow(magnitude, negative ? -ten_power : ten_power, &magnitude)) return negative;
  return magnitude < 0;
}

bool parse_any(std::string_view digits, bool negative, double& value) noexcept {
  if (digits.empty() || !(is_digit(digits.front()) || digits.front() == '.')) return false;
  double magnitude = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, magnitude);
  if (stop != end) return false;
  if (error == std::errc::result_out_of_range) {
    if (!below_all_doubles(digits)) return false;
    magnitude = 0;
  } else if (error != std::errc{} || !std::isfinite(magnitude)) {
    return false;
  }
  value = negative ? -magnitude : magnitude;
  return true;
}

/// Any length, without vector words.
bool parse_long(std::string_view text, bool negative, double& value) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint64_t whole = 0;
  std::ptrdiff_t fraction = 0;
  for (; at != end && is_digit(*at); ++at) whole = whole * 10 + static_cast<std::uint64_t>(*at - '0');
  std::ptrdiff_t digits = at - text.data();
  if (at != end && *at == '.') {
    const char* const point = at++;
    for (; at != end && is_digit(*at); ++at) whole = whole * 10 + static_cast<std::uint64_t>(*at - '0');
    fraction = at - point - 1;
    digits += fraction;
  }
  if (doubles_are_exact && at == end && digits != 0 && digits <= most_digits && whole <= exact_limit) {
    const double magnitude = static_cast<double>(whole) / powers_of_ten[fraction];
    value = negative ? -magnitude : magnitude;
    return true;
  }
  return parse_any(text, negative, value);
}

}  // namespace

bool parse_number(std::string_view text, double& value) noexcept {
  if (text.empty() || !is_digit(text.front()) || !is_digit(text.back())) {
    text = trimmed(text);
    if (text.empty()) return false;
  }
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);

  if (short_words_work && doubles_are_exact && text.size() - 1 < 8) {
    digit_word word = load_digits(text.data(), text.size());
    const int decimals = take_point(word);
    if (all_digits(word) && (decimals == no_point || text.size() > 1)) [[likely]] {
      const double magnitude =
          static_cast<double>(static_cast<std::int64_t>(value_of(word))) / powers_of_ten[decimals == no_point ? 0 : decimals];
      value = negative ? -magnitude : magnitude;
      return true;
    }
  }
  return parse_long(text, negative, value);
}

std::string_view print_number(double value, number_buffer& buffer) noexcept {
  char* const begin = buffer.data();
  char* const end = begin + buffer.size();
  const bool whole =
      std::fabs(value) < static_cast<double>(exact_limit) && value == std::trunc(value) && !(value == 0 && std::signbit(value));
  const std::to_chars_result done =
      whole ? std::to_chars(begin, end, static_cast<std::int64_t>(value)) : std::to_chars(begin, end, value);
  return {begin, static_cast<std::size_t>(done.ptr - begin)};
}

}  // namespace spillway::tool
