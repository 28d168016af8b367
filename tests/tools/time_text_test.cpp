#include "spillway/text/time_text.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <random>
#include <string>

namespace {

using spillway::tool::learn_time_format;
using spillway::tool::parse_time;
using spillway::tool::time_buffer;
using spillway::tool::time_error;
using spillway::tool::time_format;
using spillway::tool::time_unit;

constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

std::int64_t ns_of(std::string_view text, time_unit unit) {
  const auto result = parse_time(text, unit);
  EXPECT_TRUE(result.ok()) << text << ": " << to_string(result.error);
  return result.ns;
}

std::string printed(std::int64_t ns, const time_format& format) {
  time_buffer buffer;
  return std::string(print_time(ns, format, buffer));
}

/// `text` parsed and printed in its own form.
std::string echoed(std::string_view text, time_unit unit) { return printed(ns_of(text, unit), learn_time_format(text, unit)); }

TEST(time_text, parses_whole_and_decimal_numbers_of_a_unit) {
  EXPECT_EQ(ns_of("1723161256310", time_unit::ms), 1723161256310000000);
  EXPECT_EQ(ns_of("1723161255088165267", time_unit::ns), 1723161255088165267);
  EXPECT_EQ(ns_of("1723161255", time_unit::s), 1723161255000000000);
  EXPECT_EQ(ns_of("1.5", time_unit::s), 1500000000);
  EXPECT_EQ(ns_of("-1.000000001", time_unit::s), -1000000001);
  EXPECT_EQ(ns_of("2.000001000", time_unit::ms), 2000001);
  EXPECT_EQ(ns_of("7.125", time_unit::us), 7125);
  EXPECT_EQ(ns_of("3.0", time_unit::ns), 3);
  EXPECT_EQ(ns_of(" +5\t", time_unit::s), 5000000000);
  EXPECT_EQ(ns_of("00000000000000000000000000000001", time_unit::s), 1000000000);
}

TEST(time_text, tells_bad_times_from_times_out_of_range) {
  for (const char* text : {"", " ", "-", "+", "x", "1x", "1.", ".5", "1e3", "1.2.3", "1.0000000001", "1,5", "--1", "1 2", "0x1",
                           "99999999999999999999x"})
    EXPECT_EQ(parse_time(text, time_unit::s).error, time_error::bad_time) << text;
  EXPECT_EQ(parse_time("1.5", time_unit::ns).error, time_error::bad_time);
  for (const char* text : {"9223372037", "9223372036.854775808", "-9223372036.854775809", "99999999999999999999999999"})
    EXPECT_EQ(parse_time(text, time_unit::s).error, time_error::out_of_range) << text;
  for (const char* text : {"9223372036854775808", "18446744073709551616", "-9223372036854775809", "9999999999999999999"})
    EXPECT_EQ(parse_time(text, time_unit::ns).error, time_error::out_of_range) << text;
}

TEST(time_text, reaches_both_ends_of_64_bits_in_every_unit) {
  for (const time_unit unit : {time_unit::s, time_unit::ms, time_unit::us, time_unit::ns, time_unit::iso})
    for (const std::int64_t ns :
         {smallest, smallest + 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, largest - 1, largest}) {
      const time_format format{.unit = unit};
      EXPECT_EQ(ns_of(printed(ns, format), unit), ns) << printed(ns, format);
    }
  EXPECT_EQ(printed(largest, {}), "2262-04-11 23:47:16.854775807");
  EXPECT_EQ(printed(smallest, {}), "1677-09-21 00:12:43.145224192");
  EXPECT_EQ(parse_time("2262-04-11 23:47:16.854775808", time_unit::iso).error, time_error::out_of_range);
  EXPECT_EQ(parse_time("1677-09-21 00:12:43.145224191", time_unit::iso).error, time_error::out_of_range);
  EXPECT_EQ(parse_time("0000-01-01 00:00:00", time_unit::iso).error, time_error::out_of_range);
  EXPECT_EQ(parse_time("9999-12-31 23:59:59", time_unit::iso).error, time_error::out_of_range);
}

TEST(time_text, prints_iso_in_the_form_of_the_first_time) {
  for (const char* text :
       {"2013-12-02 21:15:00", "2013-12-02T21:15:00", "2013-12-02T21:15:00Z", "2013-12-02 21:15:00.250",
        "2013-12-02T21:15:00.123456789Z", "2013-12-02T21:15:00+02:00", "2013-12-02T21:15:00-0530", "2013-12-02 21:15:00+02",
        "1969-12-31 23:59:59.5", "2000-02-29 00:00:00", "2012-02-29 12:00:00.000Z", "1970-01-01T00:00:00-00:00"})
    EXPECT_EQ(echoed(text, time_unit::iso), text);
  const time_format plain = learn_time_format("2013-12-02 21:15:00", time_unit::iso);
  EXPECT_EQ(printed(1386018900250000000, plain), "2013-12-02 21:15:00.25");
  const time_format millis = learn_time_format("2013-12-02T21:15:00.000+01:00", time_unit::iso);
  EXPECT_EQ(printed(1386018900000000000, millis), "2013-12-02T22:15:00.000+01:00");
  EXPECT_EQ(printed(1386018900000000001, millis), "2013-12-02T22:15:00.000000001+01:00");
}

TEST(time_text, knows_zones) {
  EXPECT_EQ(ns_of("2013-12-02 21:15:00", time_unit::iso), 1386018900000000000);
  EXPECT_EQ(ns_of("2013-12-02T23:15:00+02:00", time_unit::iso), 1386018900000000000);
  EXPECT_EQ(ns_of("2013-12-02T15:45:00-0530", time_unit::iso), 1386018900000000000);
}

TEST(time_text, holds_iso_fields_to_their_ranges) {
  for (const char* text : {"2013-12-02",
                           "2013-12-02 21:15",
                           "2013-12-02 21:15:0",
                           "2013-02-29 00:00:00",
                           "1900-02-29 00:00:00",
                           "2013-02-30 00:00:00",
                           "2013-04-31 00:00:00",
                           "2013-00-01 00:00:00",
                           "2013-13-01 00:00:00",
                           "2013-01-00 00:00:00",
                           "2013-01-32 00:00:00",
                           "2013-12-02 24:00:00",
                           "2013-12-02 21:60:00",
                           "2013-12-02 23:59:60",
                           "2013-12-02_21:15:00",
                           "2013/12/02 21:15:00",
                           "2013-12-02 21:15:00.",
                           "2013-12-02 21:15:00,5",
                           "2013-12-02 21:15:00.1234567891",
                           "2013-12-02 21:15:00z",
                           "2013-12-02 21:15:00+",
                           "2013-12-02 21:15:00+1",
                           "2013-12-02 21:15:00+24:00",
                           "2013-12-02 21:15:00+01:60",
                           "2013-12-02 21:15:00+01:0",
                           "2013-12-02 21:15:00ZZ",
                           "2013-12-02 21:15:00 Z",
                           "-013-12-02 21:15:00",
                           "2013-1 -02 21:15:00",
                           "20131202T211500Z",
                           "abc"})
    EXPECT_EQ(parse_time(text, time_unit::iso).error, time_error::bad_time) << text;
}

TEST(time_text, every_time_reads_back_from_its_text) {
  std::mt19937_64 random(3);
  const time_format forms[] = {{},
                               {.unit = time_unit::s},
                               {.unit = time_unit::ms},
                               {.unit = time_unit::us},
                               {.unit = time_unit::ns},
                               learn_time_format("2013-12-02T21:15:00.000-11:30", time_unit::iso),
                               learn_time_format("2013-12-02 21:15:00+14:00", time_unit::iso)};
  for (int i = 0; i < 100'000; ++i) {
    auto ns = static_cast<std::int64_t>(random());
    if (i % 3 == 0) ns -= ns % 1'000'000'000;
    const time_format& form = forms[static_cast<std::size_t>(i) % std::size(forms)];
    const std::string text = printed(ns, form);
    const auto back = parse_time(text, form.unit);
    ASSERT_TRUE(back.ok()) << text;
    ASSERT_EQ(back.ns, ns) << text;
  }
}

TEST(time_text, agrees_with_the_standard_calendar_on_every_day) {
  using namespace std::chrono;
  for (sys_days day = sys_days{year{1678} / 1 / 1}; day < sys_days{year{2262} / 1 / 1}; day += days{1}) {
    const year_month_day date{day};
    char text[32];
    std::snprintf(text, sizeof text, "%04d-%02u-%02u 00:00:00", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    const std::int64_t ns = duration_cast<nanoseconds>(day.time_since_epoch()).count();
    ASSERT_EQ(parse_time(text, time_unit::iso).ns, ns) << text;
    ASSERT_EQ(printed(ns, {}), text);
  }
}

TEST(time_text, names_units_and_reasons) {
  EXPECT_EQ(spillway::tool::parse_time_unit("ms"), time_unit::ms);
  EXPECT_EQ(spillway::tool::parse_time_unit("MS"), std::nullopt);
  EXPECT_EQ(to_string(time_error::bad_time), "bad time");
  EXPECT_EQ(to_string(time_error::out_of_range), "time out of range");
}

}  // namespace
