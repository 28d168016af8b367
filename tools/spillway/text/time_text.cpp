#include "time_text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "digit_text.hpp"
#include "number_text.hpp"

namespace spillway::tool {

namespace {

constexpr time_result bad{0, time_error::bad_time};
constexpr time_result outside{0, time_error::out_of_range};

constexpr std::uint64_t powers_of_ten[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
constexpr std::int64_t ns_per_second = 1'000'000'000;
constexpr std::int64_t seconds_per_day = 86'400;

/// Decimals of a unit down to the nanosecond.
constexpr std::size_t decimals_of(time_unit unit) noexcept {
  switch (unit) {
    case time_unit::ms:
      return 6;
    case time_unit::us:
      return 3;
    case time_unit::ns:
      return 0;
    case time_unit::s:
    case time_unit::iso:
      break;
  }
  return 9;
}

/// The digits behind a point, as a number with exactly `decimals` of them. False when there are none, or one too many that is not 0.
bool parse_fraction(std::string_view digits, std::size_t decimals, std::uint64_t& value) noexcept {
  if (digits.empty()) return false;
  value = 0;
  std::size_t i = 0;
  for (; i < digits.size() && i < decimals; ++i) {
    if (!is_digit(digits[i])) return false;
    value = value * 10 + static_cast<std::uint64_t>(digits[i] - '0');
  }
  value *= powers_of_ten[decimals - i];
  return std::all_of(digits.begin() + static_cast<std::ptrdiff_t>(i), digits.end(), [](char c) { return c == '0'; });
}

/// seconds * 10^9 + ns with 0 <= ns < 10^9, or out_of_range.
time_result combine(std::int64_t seconds, std::int64_t ns) noexcept {
  // A negative total is built from the next second up, since the second itself may lie outside of what 64 bits hold.
  if (seconds < 0 && ns > 0) {
    ++seconds;
    ns -= ns_per_second;
  }
  std::int64_t total = 0;
  if (__builtin_mul_overflow(seconds, ns_per_second, &total) || __builtin_add_overflow(total, ns, &total)) return outside;
  return {total, time_error::none};
}

time_result parse_numeric(std::string_view text, time_unit unit) noexcept {
  if (text.empty()) return bad;
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint64_t whole = 0;
  bool fits = true;
  const char* const safe_end = at + std::min<std::size_t>(text.size(), 19);
  for (; at != safe_end && is_digit(*at); ++at) whole = whole * 10 + static_cast<std::uint64_t>(*at - '0');
  for (; at != end && is_digit(*at); ++at)
    fits = fits && !__builtin_mul_overflow(whole, std::uint64_t{10}, &whole) &&
           !__builtin_add_overflow(whole, static_cast<std::uint64_t>(*at - '0'), &whole);
  if (at == text.data()) return bad;
  const std::size_t decimals = decimals_of(unit);
  std::uint64_t fraction = 0;
  if (at != end) {
    if (*at != '.' || !parse_fraction({at + 1, static_cast<std::size_t>(end - at - 1)}, decimals, fraction)) return bad;
  }
  constexpr std::uint64_t largest = std::uint64_t{1} << 63;
  std::uint64_t magnitude = 0;
  fits = fits && !__builtin_mul_overflow(whole, powers_of_ten[decimals], &magnitude) &&
         !__builtin_add_overflow(magnitude, fraction, &magnitude);
  if (!fits || magnitude > largest - (negative ? 0 : 1)) return outside;
  return {static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude), time_error::none};
}

/// Days since 1970-01-01 of a date in the Gregorian calendar: years that begin in March have their leap day last, and 400 of them
/// are 146097 days.
constexpr std::int64_t days_of(std::int64_t year, unsigned month, unsigned day) noexcept {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * static_cast<std::int64_t>(month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

struct civil_date {
  std::int64_t year;
  unsigned month;
  unsigned day;
};

/// The inverse of days_of.
constexpr civil_date date_of(std::int64_t days) noexcept {
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const auto shifted = static_cast<unsigned>((5 * day_of_year + 2) / 153);
  const auto day = static_cast<unsigned>(day_of_year - (153 * shifted + 2) / 5 + 1);
  const unsigned month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

constexpr unsigned days_in(std::int64_t year, unsigned month) noexcept {
  constexpr unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : days[month - 1];
}

constexpr unsigned not_two_digits = 100;

constexpr unsigned two_digits(const char* at) noexcept {
  const unsigned tens = static_cast<unsigned>(static_cast<unsigned char>(at[0])) - '0';
  const unsigned ones = static_cast<unsigned>(static_cast<unsigned char>(at[1])) - '0';
  return tens > 9 || ones > 9 ? not_two_digits : tens * 10 + ones;
}

constexpr std::size_t plain_iso_size = 19;  // YYYY-MM-DD hh:mm:ss

/// Seconds east of UTC, false for what is no zone.
bool parse_zone(std::string_view zone, std::int32_t& seconds) noexcept {
  seconds = 0;
  if (zone.empty() || zone == "Z") return true;
  if ((zone[0] != '+' && zone[0] != '-') || zone.size() < 3) return false;
  const unsigned hours = two_digits(zone.data() + 1);
  unsigned minutes = 0;
  if (zone.size() == 5)
    minutes = two_digits(zone.data() + 3);
  else if (zone.size() == 6 && zone[3] == ':')
    minutes = two_digits(zone.data() + 4);
  else if (zone.size() != 3)
    return false;
  if (hours > 23 || minutes > 59) return false;
  seconds = static_cast<std::int32_t>(hours * 3600 + minutes * 60);
  if (zone[0] == '-') seconds = -seconds;
  return true;
}

/// What stands behind the seconds.
struct iso_tail {
  std::string_view fraction;
  std::string_view zone;
};

iso_tail split_tail(std::string_view text) noexcept {
  std::string_view tail = text.substr(plain_iso_size);
  iso_tail parts;
  if (tail.starts_with('.')) {
    const auto* const stop = std::find_if_not(tail.begin() + 1, tail.end(), is_digit);
    parts.fraction = tail.substr(0, static_cast<std::size_t>(stop - tail.begin()));
    tail.remove_prefix(parts.fraction.size());
  }
  parts.zone = tail;
  return parts;
}

time_result parse_iso(std::string_view text) noexcept {
  if (text.size() < plain_iso_size) return bad;
  const char* const at = text.data();
  const unsigned century = two_digits(at);
  const unsigned year_of_century = two_digits(at + 2);
  const unsigned month = two_digits(at + 5);
  const unsigned day = two_digits(at + 8);
  const unsigned hour = two_digits(at + 11);
  const unsigned minute = two_digits(at + 14);
  const unsigned second = two_digits(at + 17);
  const bool shape = at[4] == '-' && at[7] == '-' && (at[10] == ' ' || at[10] == 'T') && at[13] == ':' && at[16] == ':';
  if (!shape || century > 99 || year_of_century > 99 || month - 1 > 11 || hour > 23 || minute > 59 || second > 59) return bad;
  const std::int64_t year = static_cast<std::int64_t>(century) * 100 + year_of_century;
  if (day == 0 || day > days_in(year, month)) return bad;

  std::uint64_t fraction = 0;
  std::int32_t zone_seconds = 0;
  if (text.size() > plain_iso_size) {
    const iso_tail tail = split_tail(text);
    if (!tail.fraction.empty() && !parse_fraction(tail.fraction.substr(1), decimals_of(time_unit::iso), fraction)) return bad;
    if (!parse_zone(tail.zone, zone_seconds)) return bad;
  }
  const std::int64_t seconds = days_of(year, month, day) * seconds_per_day + hour * 3600 + minute * 60 + second - zone_seconds;
  return combine(seconds, static_cast<std::int64_t>(fraction));
}

char* put_padded(char* at, std::uint64_t value, int width) noexcept {
  for (int i = width - 1; i >= 0; --i) {
    at[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return at + width;
}

/// A point and the digits of `value` out of `width`, without the zeros at the end but for the first `at_least`; nothing for none.
char* put_fraction(char* at, std::uint64_t value, std::size_t width, std::size_t at_least) noexcept {
  char* const digits = at + 1;
  char* end = put_padded(digits, value, static_cast<int>(width));
  while (end - digits > static_cast<std::ptrdiff_t>(at_least) && end[-1] == '0') --end;
  if (end == digits) return at;
  *at = '.';
  return end;
}

char* print_numeric(std::int64_t ns, time_unit unit, char* at) noexcept {
  const std::size_t decimals = decimals_of(unit);
  std::uint64_t magnitude = static_cast<std::uint64_t>(ns);
  if (ns < 0) {
    magnitude = std::uint64_t{0} - magnitude;
    *at++ = '-';
  }
  at = std::to_chars(at, at + 20, magnitude / powers_of_ten[decimals]).ptr;
  return put_fraction(at, magnitude % powers_of_ten[decimals], decimals, 0);
}

char* print_iso(std::int64_t ns, const time_format& format, char* at) noexcept {
  std::int64_t seconds = ns / ns_per_second;
  std::int64_t fraction = ns % ns_per_second;
  if (fraction < 0) {
    --seconds;
    fraction += ns_per_second;
  }
  seconds += format.zone_seconds;
  std::int64_t days = seconds / seconds_per_day;
  std::int64_t second_of_day = seconds % seconds_per_day;
  if (second_of_day < 0) {
    --days;
    second_of_day += seconds_per_day;
  }
  const civil_date date = date_of(days);
  const auto of_day = static_cast<std::uint64_t>(second_of_day);
  at = put_padded(at, static_cast<std::uint64_t>(date.year), 4);
  *at++ = '-';
  at = put_padded(at, date.month, 2);
  *at++ = '-';
  at = put_padded(at, date.day, 2);
  *at++ = format.separator;
  at = put_padded(at, of_day / 3600, 2);
  *at++ = ':';
  at = put_padded(at, of_day / 60 % 60, 2);
  *at++ = ':';
  at = put_padded(at, of_day % 60, 2);
  at = put_fraction(at, static_cast<std::uint64_t>(fraction), decimals_of(time_unit::iso), format.decimals);
  return std::copy_n(format.zone.data(), format.zone_size, at);
}

}  // namespace

std::optional<time_unit> parse_time_unit(std::string_view text) noexcept {
  if (text == "s") return time_unit::s;
  if (text == "ms") return time_unit::ms;
  if (text == "us") return time_unit::us;
  if (text == "ns") return time_unit::ns;
  if (text == "iso") return time_unit::iso;
  return std::nullopt;
}

std::string_view to_string(time_error error) noexcept {
  switch (error) {
    case time_error::none:
      break;
    case time_error::bad_time:
      return "bad time";
    case time_error::out_of_range:
      return "time out of range";
  }
  return {};
}

time_result parse_time(std::string_view text, time_unit unit) noexcept {
  if (text.empty()) return bad;
  if (unit == time_unit::iso) return parse_iso(trimmed(text));
  std::uint64_t whole = 0;
  std::int64_t ns = 0;
  if (short_words_work && parse_digits(text.data(), text.size(), whole)) [[likely]] {
    if (whole > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return outside;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(whole), static_cast<std::int64_t>(powers_of_ten[decimals_of(unit)]),
                               &ns))
      return outside;
    return {ns, time_error::none};
  }
  return parse_numeric(trimmed(text), unit);
}

time_format learn_time_format(std::string_view text, time_unit unit) noexcept {
  time_format format;
  format.unit = unit;
  text = trimmed(text);
  if (unit != time_unit::iso || !parse_iso(text).ok()) return format;
  const iso_tail tail = split_tail(text);
  format.separator = text[10];
  if (!tail.fraction.empty()) format.decimals = static_cast<std::uint8_t>(std::min<std::size_t>(tail.fraction.size() - 1, 9));
  format.zone_size = static_cast<std::uint8_t>(tail.zone.size());
  std::copy(tail.zone.begin(), tail.zone.end(), format.zone.begin());
  parse_zone(tail.zone, format.zone_seconds);
  return format;
}

std::string_view print_time(std::int64_t ns, const time_format& format, time_buffer& buffer) noexcept {
  char* const begin = buffer.data();
  const char* const end = format.unit == time_unit::iso ? print_iso(ns, format, begin) : print_numeric(ns, format.unit, begin);
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace spillway::tool
