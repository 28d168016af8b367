#include "duration_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "number_text.hpp"

namespace spillway::tool {

namespace {

struct duration_unit {
  std::string_view name;
  std::uint64_t ns;
};

constexpr std::array<duration_unit, 7> units{{{"ns", 1},
                                              {"us", 1'000},
                                              {"ms", 1'000'000},
                                              {"s", 1'000'000'000},
                                              {"m", 60'000'000'000},
                                              {"h", 3'600'000'000'000},
                                              {"d", 86'400'000'000'000}}};

constexpr std::uint64_t largest_ns = std::uint64_t{1} << 63;  // of a negative duration; one less for a positive one

[[noreturn]] void refuse(std::string_view text, std::string_view what) {
  throw std::invalid_argument("'" + std::string(text) + "' " + std::string(what));
}

constexpr std::string_view no_duration =
    "is not a duration; write a number and a unit: ns, us, ms, s, m, h or d, as in 500ms or 1.5s";
constexpr std::string_view too_long = "is too long for a duration; the longest is about 292 years (106751d)";
constexpr std::string_view too_fine = "is not a whole number of nanoseconds; use fewer decimals";

/// total += digit * scale, false when that does not fit.
bool add(std::uint64_t& total, std::uint64_t factor, std::uint64_t scale) noexcept {
  std::uint64_t product = 0;
  return !__builtin_mul_overflow(factor, scale, &product) && !__builtin_add_overflow(total, product, &total);
}

/// 0.`fraction` of a unit.
std::uint64_t fraction_ns(std::string_view text, std::string_view fraction, std::uint64_t unit_ns) {
  // A day is 2^16 * 3^3 * 5^11 ns, so a fraction of it with more than 16 decimals is never whole.
  constexpr std::size_t most_decimals = 16;
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  if (fraction.size() > most_decimals) refuse(text, too_fine);
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
  for (const char digit : fraction) {
    numerator = numerator * 10 + static_cast<std::uint64_t>(digit - '0');
    denominator *= 10;
  }
  __extension__ using wide = unsigned __int128;
  const wide share = static_cast<wide>(numerator) * unit_ns;
  if (share % denominator != 0) refuse(text, too_fine);
  return static_cast<std::uint64_t>(share / denominator);
}

}  // namespace

std::chrono::nanoseconds parse_duration(std::string_view text) {
  std::string_view rest = trimmed(text);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);

  const auto whole_end = std::find_if_not(rest.begin(), rest.end(), is_digit);
  const std::string_view whole = rest.substr(0, static_cast<std::size_t>(whole_end - rest.begin()));
  rest.remove_prefix(whole.size());
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const auto fraction_end = std::find_if_not(rest.begin(), rest.end(), is_digit);
    fraction = rest.substr(0, static_cast<std::size_t>(fraction_end - rest.begin()));
    rest.remove_prefix(fraction.size());
    if (fraction.empty()) refuse(text, no_duration);
  }
  if (whole.empty()) refuse(text, no_duration);
  const bool zero = (std::string(whole) + std::string(fraction)).find_first_not_of('0') == std::string::npos;
  if (rest.empty() && zero) return std::chrono::nanoseconds{0};
  const auto* const unit = std::find_if(units.begin(), units.end(), [&](const duration_unit& u) { return u.name == rest; });
  if (unit == units.end()) refuse(text, no_duration);

  std::uint64_t total = 0;
  for (const char digit : whole) {
    std::uint64_t next = 0;
    if (!add(next, total, 10) || !add(next, static_cast<std::uint64_t>(digit - '0'), 1)) refuse(text, too_long);
    total = next;
  }
  std::uint64_t ns = 0;
  if (!add(ns, total, unit->ns)) refuse(text, too_long);
  if (!add(ns, fraction_ns(text, fraction, unit->ns), 1)) refuse(text, too_long);
  if (ns > largest_ns - (negative ? 0 : 1)) refuse(text, too_long);
  return std::chrono::nanoseconds{static_cast<std::int64_t>(negative ? std::uint64_t{0} - ns : ns)};
}

std::string print_duration(std::chrono::nanoseconds duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  const std::uint64_t magnitude =
      count < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  const auto unit = std::find_if(units.rbegin(), units.rend(), [&](const duration_unit& u) { return magnitude % u.ns == 0; });
  return (count < 0 ? "-" : "") + std::to_string(magnitude / unit->ns) + std::string(unit->name);
}

}  // namespace spillway::tool
