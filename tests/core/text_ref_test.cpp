#include "spillway/core/text_ref.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

namespace text_ref_test {

struct raw_line {
  int number = 0;
  spillway::text_ref text;
};
spillway::text_ref& text_of(raw_line& line) { return line.text; }

struct plain {
  int number = 0;
};

}  // namespace text_ref_test

namespace {

using spillway::text_ref;

static_assert(std::is_trivially_copyable_v<text_ref>);
static_assert(spillway::text_record<text_ref>);
static_assert(spillway::text_record<text_ref_test::raw_line>);
static_assert(!spillway::text_record<text_ref_test::plain>);

TEST(text_ref, it_is_empty_at_first) {
  constexpr text_ref t;
  EXPECT_TRUE(t.empty());
  EXPECT_EQ(t.view(), "");
}

TEST(text_ref, it_refers_and_does_not_copy) {
  std::string text = "hello";
  const text_ref t{std::string_view(text)};
  EXPECT_EQ(t.data(), text.data());
  EXPECT_EQ(t.size(), 5u);
  text[0] = 'j';
  EXPECT_EQ(t.view(), "jello");
}

TEST(text_ref, equality_is_that_of_the_text) {
  const std::string a = "same";
  const std::string b = "same";
  EXPECT_EQ(text_ref(a), text_ref(b));
  EXPECT_FALSE(text_ref(a) == text_ref(std::string_view("other")));
}

TEST(text_ref, a_record_hands_out_the_handle_it_carries) {
  text_ref_test::raw_line line{7, std::string_view("raw")};
  text_of(line) = std::string_view("moved");
  EXPECT_EQ(line.text.view(), "moved");
  text_ref bare = std::string_view("bare");
  EXPECT_EQ(&text_of(bare), &bare);
}

TEST(text_ref, it_prints_its_text) {
  std::ostringstream out;
  out << text_ref(std::string_view("abc"));
  EXPECT_EQ(out.str(), "abc");
}

}  // namespace
