#include "spillway/operators/output_tag.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace {

namespace sw = spillway;

inline constexpr sw::output_tag<"late", int> late{};
inline constexpr sw::output_tag<"malformed", std::string> malformed{};

template <class T>
inline constexpr bool is_tag = sw::any_output_tag<T>;

TEST(output_tag, has_a_name_and_a_record_type_and_no_contents) {
  EXPECT_EQ(late.name(), "late");
  static_assert(std::is_same_v<decltype(malformed)::record, std::string>);
  static_assert(std::is_empty_v<decltype(late)>);
}

TEST(output_tag, is_the_same_for_the_same_name_and_type_only) {
  static_assert(std::is_same_v<decltype(late), const sw::output_tag<"late", int>>);
  static_assert(!std::is_same_v<decltype(late), const sw::output_tag<"late", long>>);
  static_assert(!std::is_same_v<decltype(late), const sw::output_tag<"later", int>>);
  SUCCEED();
}

TEST(output_tag, is_told_from_other_types) {
  static_assert(is_tag<decltype(late)> && is_tag<sw::output_tag<"late", int>>);
  static_assert(!is_tag<int> && !is_tag<sw::no_tag>);
  SUCCEED();
}

TEST(output_tag, emits_lists_the_types_of_its_tags_in_order) {
  using list = sw::emits<late, malformed>::list;
  static_assert(std::is_same_v<list, sw::tag_list<sw::output_tag<"late", int>, sw::output_tag<"malformed", std::string>>>);
  static_assert(std::is_same_v<sw::emits<>::list, sw::tag_list<>>);
  SUCCEED();
}

}  // namespace
