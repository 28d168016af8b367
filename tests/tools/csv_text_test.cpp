#include "spillway/text/csv_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

std::string written(std::string_view field, char separator = ',') {
  std::string out;
  spillway::tool::append_csv_field(out, field, separator);
  return out;
}

TEST(csv_text, quotes_only_where_it_must) {
  EXPECT_EQ(written("plain text"), "plain text");
  EXPECT_EQ(written(""), "");
  EXPECT_EQ(written("a,b"), "\"a,b\"");
  EXPECT_EQ(written("a;b"), "a;b");
  EXPECT_EQ(written("a;b", ';'), "\"a;b\"");
  EXPECT_EQ(written("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(written("\""), "\"\"\"\"");
  EXPECT_EQ(written("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(written("cr\r"), "\"cr\r\"");
}

}  // namespace
