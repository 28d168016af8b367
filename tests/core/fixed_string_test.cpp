#include "spillway/core/fixed_string.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace {

using spillway::fixed_string;

static_assert(std::is_trivially_copyable_v<fixed_string<16>>);
static_assert(sizeof(fixed_string<15>) == 16);
static_assert(fixed_string<255>::capacity() == 255);

template <fixed_string Name>
struct named {
  static constexpr std::string_view name = Name.view();
};

TEST(fixed_string, it_is_empty_at_first) {
  constexpr fixed_string<8> s;
  EXPECT_TRUE(s.empty());
  EXPECT_EQ(s.size(), 0u);
  EXPECT_EQ(s, "");
}

TEST(fixed_string, it_holds_a_text_up_to_its_capacity) {
  EXPECT_EQ(fixed_string<4>(std::string_view("abcd")).view(), "abcd");
  EXPECT_EQ(fixed_string<0>(std::string_view()).size(), 0u);
}

TEST(fixed_string, a_text_that_is_too_long_is_refused_or_cut_on_request) {
  EXPECT_THROW(fixed_string<4>(std::string_view("abcde")), std::length_error);
  EXPECT_EQ(fixed_string<4>::truncated("abcde"), "abcd");
  EXPECT_EQ(fixed_string<4>::truncated("ab"), "ab");
  EXPECT_TRUE(fixed_string<0>::truncated("ab").empty());
}

TEST(fixed_string, the_largest_holds_255_characters) {
  for (const std::size_t n : {254u, 255u}) EXPECT_EQ(fixed_string<255>(std::string_view(std::string(n, 'x'))).size(), n);
}

TEST(fixed_string, a_zero_character_is_a_character) {
  const fixed_string<4> s(std::string_view("a\0b", 3));
  EXPECT_EQ(s.size(), 3u);
  EXPECT_NE(s, "a");
}

TEST(fixed_string, equal_strings_have_equal_bytes) {
  const fixed_string<16> a(std::string_view("sensor"));
  fixed_string<16> b(std::string_view("a longer text"));
  b = fixed_string<16>("sensor");
  EXPECT_EQ(a, b);
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
}

TEST(fixed_string, capacities_do_not_matter_for_equality) {
  EXPECT_EQ(fixed_string<8>("abc"), fixed_string<3>("abc"));
  EXPECT_NE(fixed_string<8>("abc"), fixed_string<3>("abd"));
}

TEST(fixed_string, it_orders_like_its_text) {
  const fixed_string<8> a("ab");
  const fixed_string<8> b("abc");
  const fixed_string<8> c("b");
  EXPECT_TRUE(a < b && b < c && c > a);
  std::map<fixed_string<8>, int> map{{c, 3}, {a, 1}};
  EXPECT_EQ(map.begin()->second, 1);
}

TEST(fixed_string, it_prints_its_text) {
  std::ostringstream out;
  out << fixed_string<8>("abc");
  EXPECT_EQ(out.str(), "abc");
}

TEST(fixed_string, it_names_a_template) {
  EXPECT_EQ(named<"late">::name, "late");
  EXPECT_TRUE((std::is_same_v<named<"late">, named<"late">>));
  EXPECT_FALSE((std::is_same_v<named<"late">, named<"late2">>));
}

}  // namespace
