#include "spillway/operators/try_map.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "operator_fixture.hpp"

namespace {

using namespace operator_test;

struct reason {
  std::string text;
  friend std::ostream& operator<<(std::ostream& out, const reason& r) { return out << r.text; }
};
struct rejected {
  std::string text;
  explicit rejected(reason&& r) : text("because " + r.text) {}
  friend std::ostream& operator<<(std::ostream& out, const rejected& r) { return out << r.text; }
};

inline constexpr sw::output_tag<"malformed", reason> malformed{};
inline constexpr sw::output_tag<"rejected", rejected> rejects{};
inline constexpr sw::output_tag<"odd", int> odd{};
inline constexpr sw::output_tag<"empty", std::unique_ptr<int>> empty{};

sw::result<int, reason> parse(const std::string& text) {
  if (text.empty()) return sw::failure{reason{"no digits"}};
  return std::stoi(text);
}

TEST(try_map, sends_values_on_and_failures_to_the_side_output_both_with_their_timestamp) {
  auto chain = chain_of<std::string>(sw::try_map(sw::fn<parse>, malformed));
  chain.give("1", 10).give("", 20).give("3", 30).watermark(30);
  EXPECT_EQ(chain.take(), (lines{"1@10", "malformed no digits@20", "3@30", "wm 30"}));
}

TEST(try_map, makes_the_tags_record_from_the_error) {
  auto chain = chain_of<std::string>(sw::try_map(sw::fn<parse>, rejects));
  chain.give("", 20);
  EXPECT_EQ(chain.take(), (lines{"rejected because no digits@20"}));
}

TEST(try_map, sends_the_record_itself_aside_where_there_is_no_value) {
  auto chain = chain_of<int>(sw::try_map([](int n) { return n % 2 ? std::nullopt : std::optional(n / 2); }, odd));
  chain.give(3, 10).give(4, 20);
  EXPECT_EQ(chain.take(), (lines{"odd 3@10", "2@20"}));
}

TEST(try_map, moves_the_rejected_record) {
  auto chain = chain_of<std::unique_ptr<int>>(
      sw::try_map([](const std::unique_ptr<int>& p) { return *p > 0 ? std::optional(*p) : std::nullopt; }, empty));
  chain.give(std::make_unique<int>(0), 10).give(std::make_unique<int>(1), 20);
  EXPECT_EQ(chain.take(), (lines{"empty *0@10", "1@20"}));
}

TEST(try_map, moves_values_that_only_move) {
  auto chain = chain_of<std::unique_ptr<int>>(
      sw::try_map([](std::unique_ptr<int> p) -> sw::result<std::unique_ptr<int>, reason> { return p; }, malformed));
  chain.give(std::make_unique<int>(4), 10);
  EXPECT_EQ(chain.take(), (lines{"*4@10"}));
}

}  // namespace
