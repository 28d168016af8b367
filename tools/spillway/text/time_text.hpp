// Event times as text: whole or decimal numbers of a unit since 1970, or ISO 8601 date and time; as 64-bit nanoseconds.
//
// Pure functions, for any thread.
// 1. A time is exact in nanoseconds or an error; nothing is rounded. Blanks and tabs around it are allowed.
// 2. iso is `YYYY-MM-DD hh:mm:ss`, with T for the blank, a fraction, and Z, +hh, +hhmm or +hh:mm behind it; without a zone it is UTC.
//    Fields are held to their ranges: no 30th of February, no hour 24, no leap second.
// 3. A time is printed in the form of the first one that was read (`learn_time_format`), so it reads back to the same nanosecond.
//
//     time_result t = parse_time("2013-12-02T21:15:00Z", time_unit::iso);
//     time_format form = learn_time_format("2013-12-02T21:15:00Z", time_unit::iso);
//     print_time(t.ns, form, buffer);                                   // "2013-12-02T21:15:00Z"
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spillway::tool {

enum class time_unit : std::uint8_t { s, ms, us, ns, iso };

/// "s", "ms", "us", "ns" or "iso".
std::optional<time_unit> parse_time_unit(std::string_view text) noexcept;

/// out_of_range: a time, but not within the years 1677 to 2262 that 64-bit nanoseconds span.
enum class time_error : std::uint8_t { none, bad_time, out_of_range };

/// "bad time", "time out of range", or nothing.
std::string_view to_string(time_error error) noexcept;

struct time_result {
  std::int64_t ns = 0;
  time_error error = time_error::none;
  constexpr bool ok() const noexcept { return error == time_error::none; }
};

/// The whole of `text` as nanoseconds since 1970-01-01 UTC.
time_result parse_time(std::string_view text, time_unit unit) noexcept;

/// How times are printed. The defaults print plain ISO: `2013-12-02 21:15:00`.
struct time_format {
  time_unit unit = time_unit::iso;
  char separator = ' ';
  std::uint8_t decimals = 0;      // iso: print at least so many; more where the time needs them
  std::uint8_t zone_size = 0;     // iso: 0 for none
  std::array<char, 6> zone{};     // as it was written
  std::int32_t zone_seconds = 0;  // east of UTC
};

/// The form of `text`. Requires: `parse_time(text, unit)` took it; else it is the default form of the unit.
time_format learn_time_format(std::string_view text, time_unit unit) noexcept;

/// Room for any printed time.
using time_buffer = std::array<char, 48>;

std::string_view print_time(std::int64_t ns, const time_format& format, time_buffer& buffer) noexcept;

}  // namespace spillway::tool
