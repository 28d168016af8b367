#include "spillway/operators/count_by.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "operator_fixture.hpp"

namespace {

using namespace operator_test;

struct bad_line {
  std::string_view reason;
  int line = 0;
};

enum class side { buy, sell };
std::ostream& operator<<(std::ostream& out, side s) { return out << (s == side::buy ? "buy" : "sell"); }

using counts = std::map<std::string, std::uint64_t>;

template <class Chain>
counts counts_of(Chain& chain) {
  counts all;
  for (const sw::named_count& c : chain.stage().counts()) all.emplace(c.name, c.value);
  return all;
}

TEST(count_by, counts_each_value_under_its_own_name) {
  auto chain = chain_of<bad_line>(sw::count_by(&bad_line::reason));
  chain.give(bad_line{"bad time", 1}, 1).give(bad_line{"bad number", 2}, 2).give(bad_line{"bad time", 3}, 3).end();
  EXPECT_EQ(counts_of(chain), (counts{{"bad time", 2}, {"bad number", 1}, {"other", 0}}));
}

TEST(count_by, puts_the_prefix_before_every_name) {
  auto chain = chain_of<bad_line>(sw::count_by(&bad_line::reason, "malformed "));
  chain.give(bad_line{"bad time", 1}, 1);
  EXPECT_EQ(counts_of(chain), (counts{{"malformed bad time", 1}, {"malformed other", 0}}));
}

TEST(count_by, names_a_value_when_it_first_occurs) {
  auto chain = chain_of<int>(sw::count_by([](int n) { return n; }, "number "));
  EXPECT_EQ(counts_of(chain), (counts{{"number other", 0}}));
  chain.give(7, 1);
  EXPECT_EQ(counts_of(chain), (counts{{"number 7", 1}, {"number other", 0}}));
}

TEST(count_by, takes_text_of_every_kind_and_values_that_can_be_printed) {
  auto string = chain_of<int>(sw::count_by([](int n) { return std::string(static_cast<std::size_t>(n), 'x'); }));
  string.give(2, 1).give(2, 1).give(3, 1);
  EXPECT_EQ(counts_of(string), (counts{{"xx", 2}, {"xxx", 1}, {"other", 0}}));

  auto literal = chain_of<int>(sw::count_by([](int n) { return n > 0 ? "positive" : "negative"; }));
  literal.give(2, 1).give(-2, 1).give(3, 1);
  EXPECT_EQ(counts_of(literal), (counts{{"positive", 2}, {"negative", 1}, {"other", 0}}));

  auto printed = chain_of<int>(sw::count_by([](int n) { return n > 0 ? side::buy : side::sell; }));
  printed.give(2, 1).give(-2, 1).give(3, 1);
  EXPECT_EQ(counts_of(printed), (counts{{"buy", 2}, {"sell", 1}, {"other", 0}}));
}

TEST(count_by, counts_the_values_after_the_64th_together) {
  auto chain = chain_of<int>(sw::count_by([](int n) { return n; }));
  for (int n = 0; n < 100; ++n) chain.give(n, n);
  for (int n = 0; n < 100; ++n) chain.give(n, n);
  const counts all = counts_of(chain);
  EXPECT_EQ(all.size(), 65u);
  EXPECT_EQ(all.at("0"), 2u);
  EXPECT_EQ(all.at("63"), 2u);
  EXPECT_EQ(all.count("64"), 0u);
  EXPECT_EQ(all.at("other"), 2u * 36u);
}

TEST(count_by, counts_texts_that_are_too_long_for_a_name_under_one_cut_name) {
  const std::string common(100, 'x');
  auto chain = chain_of<std::string>(sw::count_by([](const std::string& s) { return std::string_view(s); }, "reason "));
  for (int i = 0; i < 100; ++i) chain.give(common + std::to_string(i), 1);
  EXPECT_EQ(counts_of(chain), (counts{{"reason " + std::string(73, 'x'), 100}, {"reason other", 0}}));
}

TEST(count_by, does_not_keep_the_text_of_a_record) {
  auto chain = chain_of<std::string>(sw::count_by([](const std::string& s) { return std::string_view(s); }));
  for (int i = 0; i < 2; ++i) {
    std::string text = "first";
    chain.give(text, 1);
    text.assign("other");
  }
  EXPECT_EQ(counts_of(chain).at("first"), 2u);
}

}  // namespace
