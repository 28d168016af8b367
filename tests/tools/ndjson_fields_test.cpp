#include "spillway/text/ndjson_fields.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using spillway::tool::json_kind;
using spillway::tool::ndjson_fields;

class ndjson : public ::testing::Test {
 protected:
  explicit ndjson(std::vector<std::string> pointers = {"/a", "/b/c", "/b/list/1", "/n"}) : fields_(pointers, 100'000) {}

  /// Parses a copy with padding that would mislead a parser that looked at it.
  bool parse(std::string_view text) {
    line_ = std::string(text) + std::string(spillway::segment_padding, '}');
    return fields_.parse(std::string_view(line_).substr(0, text.size()), scratch_);
  }

  std::string line_;
  spillway::counter growths_;
  spillway::text_scratch scratch_{growths_};
  ndjson_fields fields_;
};

TEST_F(ndjson, finds_fields_of_every_kind) {
  ASSERT_TRUE(parse(R"({"a":"text","x":[1,{"a":2}],"b":{"c":1723161255088165267,"list":[0,-1.50e3]},"n":null})"));
  EXPECT_EQ(fields_[0].kind, json_kind::string);
  EXPECT_EQ(fields_[0].text, "text");
  EXPECT_EQ(fields_[1].kind, json_kind::number);
  EXPECT_EQ(fields_[1].text, "1723161255088165267");
  EXPECT_EQ(fields_[2].text, "-1.50e3");
  EXPECT_EQ(fields_[3].kind, json_kind::null);
  ASSERT_TRUE(parse(R"( { "a" : true , "b" : [ ] , "n" : { } } )"));
  EXPECT_EQ(fields_[0].kind, json_kind::boolean);
  EXPECT_EQ(fields_[0].text, "true");
  EXPECT_EQ(fields_[1].kind, json_kind::missing);
  EXPECT_EQ(fields_[3].kind, json_kind::object);
  ASSERT_TRUE(parse(R"({"a":[1]})"));
  EXPECT_EQ(fields_[0].kind, json_kind::array);
}

TEST_F(ndjson, resolves_escapes_in_names_and_values) {
  ASSERT_TRUE(parse(R"({"\u0061":"line\nbreak \"\u00e9\ud83d\ude00\"","b":{"c":"plain"}})"));
  EXPECT_EQ(fields_[0].text, "line\nbreak \"\xC3\xA9\xF0\x9F\x98\x80\"");
  EXPECT_EQ(fields_[1].text, "plain");
}

TEST_F(ndjson, of_equal_names_the_first_counts) {
  ASSERT_TRUE(parse(R"({"a":1,"a":2})"));
  EXPECT_EQ(fields_[0].text, "1");
}

TEST_F(ndjson, takes_every_json_text_and_finds_nothing_in_scalars) {
  for (const char* text : {"{}", "[]", "1", "-0", "\"a\"", "true", "null", " null ", "[[[]]]", "[1,2]", R"({"a":{}})",
                           R"("\u0041")", "123456789012345678901234567890", "[1e999]", "{\"\":1}", "\"\xC3\xA9\"", "{}\r"})
    EXPECT_TRUE(parse(text)) << text;
  ASSERT_TRUE(parse("\"a\""));
  EXPECT_EQ(fields_[0].kind, json_kind::missing);
}

TEST_F(ndjson, refuses_a_line_with_a_fault_anywhere) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "}",
                           "[",
                           "]",
                           "{]",
                           "[}",
                           "{}}",
                           "{}{}",
                           "{} x",
                           "[1 2]",
                           "[1,]",
                           "[,1]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{'a':1}",
                           "{\"a\":1 \"b\":2}",
                           "{\"a\" 1}",
                           "{\"a\":tru}",
                           "{\"a\":True}",
                           "{\"a\":nul}",
                           "{\"a\":truex}",
                           "{\"a\":01}",
                           "{\"a\":1.}",
                           "{\"a\":.5}",
                           "{\"a\":+1}",
                           "{\"a\":1e}",
                           "{\"a\":-}",
                           "{\"a\":0x1}",
                           "{\"a\":NaN}",
                           "{\"a\":\"unclosed}",
                           "{\"a\":\"tab\tin\"}",
                           "{\"x\":[1,{\"y\":tru}]}",
                           "{\"x\":\"\\q\"}",
                           "{\"x\":\"\\ud800\"}",
                           "{\"x\\q\":1}",
                           "{\"x\":\"\\u12g4\"}",
                           "1 2",
                           "1x",
                           "tru",
                           "\"a\" 1",
                           "\"a",
                           "\xC3\x28",
                           "{\"x\":\"\xFF\"}",
                           "{\"x\":\"\xED\xA0\x80\"}",
                           "{\"a\":{\"b\":1}",
                           "{\"x\":[1,2}",
                           "{\"x\":[1,2]",
                           "[{\"a\":1]",
                           "{\"a\":1\"b\":2}",
                           "{\"a\":\"b\"\"c\":1}",
                           "[\"a\"\"b\"]",
                           "[1]]",
                           "{\"a\":1}\xEF\xBB\xBF",
                           "hello",
                           "window_start,count"}) {
    EXPECT_FALSE(parse(text)) << text;
    EXPECT_EQ(fields_[0].kind, json_kind::missing) << text;
  }
  EXPECT_FALSE(parse(std::string_view("{\"a\":\"\0\"}", 9)));
  EXPECT_FALSE(parse(std::string_view("\0", 1)));
}

TEST_F(ndjson, refuses_nesting_without_end_and_takes_512_levels) {
  EXPECT_TRUE(parse(std::string(512, '[') + std::string(512, ']')));
  EXPECT_FALSE(parse(std::string(513, '[') + std::string(513, ']')));
  EXPECT_FALSE(parse(std::string(50'000, '[') + std::string(50'000, ']')));
  EXPECT_FALSE(parse(std::string(90'000, '[')));
}

TEST_F(ndjson, never_reads_wrongly_or_crashes_on_damaged_lines) {
  const std::string good = R"({"a":"te\u0041xt","x":[1,{"a":2.5e1,"t":true}],"b":{"c":17,"list":["q",null,{}]},"n":-0})";
  std::minstd_rand random(17);
  const std::string alphabet = "{}[]\",:\\0e.-tn \x80";
  for (int round = 0; round < 100'000; ++round) {
    std::string text = good;
    for (std::size_t changes = random() % 3; changes-- != 0;) text[random() % text.size()] = alphabet[random() % alphabet.size()];
    if (random() % 3 == 0) text.resize(random() % text.size());
    if (text != good) (void)parse(text);
    if (round % 1000 == 0) scratch_.reset();
  }
  EXPECT_TRUE(parse(good));
}

TEST(ndjson_pointers, know_escapes_and_indices_and_refuse_other_texts) {
  spillway::counter growths;
  spillway::text_scratch scratch(growths);
  const std::vector<std::string> pointers{"/a~1b/m~0n", "/list/2/x", "/list/01", "/", "/a~1b/m~0n"};
  ndjson_fields fields(pointers, 1000);
  const std::string line = R"({"a/b":{"m~n":1},"list":[0,1,{"x":"y"}],"":5})" + std::string(spillway::segment_padding, ' ');
  ASSERT_TRUE(fields.parse(std::string_view(line).substr(0, line.size() - spillway::segment_padding), scratch));
  EXPECT_EQ(fields[0].text, "1");
  EXPECT_EQ(fields[1].text, "y");
  EXPECT_EQ(fields[2].kind, json_kind::missing);
  EXPECT_EQ(fields[3].text, "5");
  EXPECT_EQ(fields[4].text, "1");
  for (const char* bad : {"", "name", "/a~", "/a~2"})
    EXPECT_THROW(ndjson_fields(std::vector<std::string>{bad}, 1000), std::invalid_argument) << bad;
}

}  // namespace
