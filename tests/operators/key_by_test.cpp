#include "spillway/operators/key_by.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "operator_fixture.hpp"
#include "spillway/core/fixed_string.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/map.hpp"

namespace {

using namespace operator_test;

struct trade {
  std::string symbol;
  std::uint32_t venue = 0;
  sw::fixed_string<4> currency{};
  const char* side = "";

  std::uint32_t venue_group() const { return venue / 10; }
  friend std::ostream& operator<<(std::ostream& out, const trade& t) { return out << t.symbol << '/' << t.venue; }
};

template <class F>
using key_for = sw::key_by_operator<F>::template output<sw::stream<trade>>::key;

TEST(key_by, hands_the_key_to_the_operator_right_behind_with_record_and_timestamp) {
  auto chain = chain_of<trade>(sw::key_by(&trade::venue));
  chain.give(trade{"A", 7}, 10).give(trade{"B", 8}, 20).watermark(20).end();
  EXPECT_EQ(chain.take(), (lines{"7:A/7@10", "8:B/8@20", "wm 20", "wm max", "end"}));
}

TEST(key_by, takes_functions_and_member_functions) {
  auto function = chain_of<int>(sw::key_by([](int n) { return n % 2; }));
  function.give(1, 1).give(2, 2);
  EXPECT_EQ(function.take(), (lines{"1:1@1", "0:2@2"}));

  auto member = chain_of<trade>(sw::key_by(&trade::venue_group));
  member.give(trade{"A", 42}, 1);
  EXPECT_EQ(member.take(), (lines{"4:A/42@1"}));
}

TEST(key_by, leaves_the_stream_unkeyed_behind_any_other_operator) {
  auto mapped = chain_of<int>(sw::key_by([](int n) { return n; }) | sw::map([](int n) { return n; }));
  mapped.give(1, 1);
  EXPECT_EQ(mapped.take(), (lines{"1@1"}));

  auto filtered = chain_of<int>(sw::key_by([](int n) { return n; }) | sw::filter([](int) { return true; }));
  filtered.give(1, 1);
  EXPECT_EQ(filtered.take(), (lines{"1@1"}));
}

TEST(key_by, replaces_an_earlier_key) {
  auto chain = chain_of<int>(sw::key_by([](int n) { return n; }) | sw::key_by([](int n) { return -n; }));
  chain.give(1, 1);
  EXPECT_EQ(chain.take(), (lines{"-1:1@1"}));
}

TEST(key_by, passes_records_that_only_move) {
  auto chain = chain_of<std::unique_ptr<int>>(sw::key_by([](const std::unique_ptr<int>& p) { return *p; }));
  chain.give(std::make_unique<int>(3), 1);
  EXPECT_EQ(chain.take(), (lines{"3:*3@1"}));
}

TEST(key_by, reads_text_of_every_kind_in_place) {
  trade t{"EURUSD", 1};
  t.side = "buy";

  auto string = chain_of<trade>(sw::key_by(&trade::symbol));
  string.give(t, 1);
  EXPECT_EQ(string.take(), (lines{"EURUSD:EURUSD/1@1"}));

  auto view = chain_of<trade>(sw::key_by([](const trade& r) { return std::string_view(r.symbol).substr(0, 3); }));
  view.give(t, 1);
  EXPECT_EQ(view.take(), (lines{"EUR:EURUSD/1@1"}));

  auto literal = chain_of<trade>(sw::key_by(&trade::side));
  literal.give(t, 1);
  EXPECT_EQ(literal.take(), (lines{"buy:EURUSD/1@1"}));

  auto temporary = chain_of<trade>(sw::key_by([](const trade& r) { return r.symbol + " by a text that is not short at all"; }));
  temporary.give(t, 1);
  EXPECT_EQ(temporary.take(), (lines{"EURUSD by a text that is not short at all:EURUSD/1@1"}));
}

TEST(key_by, has_one_type_for_text_and_the_values_own_type_for_the_rest) {
  static_assert(std::is_same_v<key_for<std::string trade::*>, sw::text_ref>);
  static_assert(std::is_same_v<key_for<const char* trade::*>, sw::text_ref>);
  static_assert(std::is_same_v<key_for<std::string_view (*)(const trade&)>, sw::text_ref>);
  static_assert(std::is_same_v<key_for<sw::fixed_string<4> trade::*>, sw::fixed_string<4>>);
  static_assert(std::is_same_v<key_for<std::uint32_t trade::*>, std::uint32_t>);
  SUCCEED();
}

}  // namespace
