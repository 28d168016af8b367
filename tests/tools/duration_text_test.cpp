#include "spillway/text/duration_text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

namespace {

using spillway::tool::parse_duration;
using spillway::tool::print_duration;
using namespace std::chrono_literals;

std::string error_of(const char* text) {
  try {
    parse_duration(text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no error";
}

TEST(duration_text, parses_every_unit) {
  EXPECT_EQ(parse_duration("10ns"), 10ns);
  EXPECT_EQ(parse_duration("250us"), 250us);
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("1s"), 1s);
  EXPECT_EQ(parse_duration("5m"), 5min);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("1d"), 24h);
  EXPECT_EQ(parse_duration("0"), 0ns);
  EXPECT_EQ(parse_duration("-2h"), -2h);
}

TEST(duration_text, takes_decimals_where_they_are_exact) {
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("0.000000001s"), 1ns);
  EXPECT_EQ(parse_duration("1.25m"), 75s);
  EXPECT_EQ(parse_duration("0.5d"), 12h);
  EXPECT_EQ(parse_duration("0.0000000000003125d"), 27ns);
}

TEST(duration_text, says_what_is_wrong) {
  for (const char* text : {"", "x", "5", "5x", "s", "1 s", ".5s", "1.s", "1e3s", "1.5", "--1s", "1sec", "1S"})
    EXPECT_NE(error_of(text).find("is not a duration; write a number and a unit"), std::string::npos) << text;
  for (const char* text : {"1.5ns", "0.0000000001s", "0.00000000000000001d"}) EXPECT_NE(error_of(text), "no error") << text;
  EXPECT_NE(error_of("1.5ns").find("not a whole number of nanoseconds"), std::string::npos);
  for (const char* text : {"106752d", "9223372036854775808ns", "99999999999999999999999s", "9223372036.9s"})
    EXPECT_NE(error_of(text).find("too long"), std::string::npos) << text;
}

TEST(duration_text, reaches_both_ends_of_64_bits) {
  EXPECT_EQ(parse_duration("9223372036854775807ns").count(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_duration("-9223372036854775808ns").count(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(print_duration(std::chrono::nanoseconds::min()), "-9223372036854775808ns");
}

TEST(duration_text, prints_the_largest_unit_that_is_exact) {
  EXPECT_EQ(print_duration(0ns), "0s");
  EXPECT_EQ(print_duration(90s), "90s");
  EXPECT_EQ(print_duration(48h), "2d");
  EXPECT_EQ(print_duration(-1500us), "-1500us");
}

}  // namespace
