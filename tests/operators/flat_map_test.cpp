#include "spillway/operators/flat_map.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "operator_fixture.hpp"

namespace {

using namespace operator_test;

struct line {
  std::vector<counted> words;
};

std::array<int, 2> around(int n) { return {n - 1, n + 1}; }

TEST(flat_map, sends_the_elements_of_a_range_in_order_with_the_timestamp_of_their_record) {
  auto chain = chain_of<int>(sw::flat_map([](int n) { return std::vector<int>(static_cast<std::size_t>(n), n); }));
  chain.give(2, 20).give(0, 30).give(1, 40).watermark(40);
  EXPECT_EQ(chain.take(), (lines{"2@20", "2@20", "1@40", "wm 40"}));
}

TEST(flat_map, sends_what_its_function_hands_to_out) {
  auto chain = chain_of<int>(sw::flat_map<std::string>([](int n, auto& out) {
    for (int i = 0; i < n; ++i) out(std::to_string(i));
  }));
  chain.give(2, 20).give(0, 30).give(1, 40).watermark(40);
  EXPECT_EQ(chain.take(), (lines{"0@20", "1@20", "0@40", "wm 40"}));
}

TEST(flat_map, converts_what_is_handed_to_out) {
  auto chain = chain_of<int>(sw::flat_map<std::string>([](int, auto& out) { out("text"); }));
  chain.give(1, 1);
  EXPECT_EQ(chain.take(), (lines{"text@1"}));
}

TEST(flat_map, hands_the_record_over_to_its_function) {
  auto chain = chain_of<std::unique_ptr<int>>(sw::flat_map<std::unique_ptr<int>>([](std::unique_ptr<int> p, auto& out) {
    out(std::make_unique<int>(*p + 1));
    out(std::move(p));
  }));
  chain.give(std::make_unique<int>(1), 1);
  EXPECT_EQ(chain.take(), (lines{"*2@1", "*1@1"}));
}

TEST(flat_map, moves_the_elements_of_a_container_returned_by_value) {
  auto chain = chain_of<int>(sw::flat_map([](int n) {
    std::vector<std::unique_ptr<int>> all;
    all.push_back(std::make_unique<int>(n));
    all.push_back(std::make_unique<int>(n + 1));
    return all;
  }));
  chain.give(1, 1);
  EXPECT_EQ(chain.take(), (lines{"*1@1", "*2@1"}));
}

TEST(flat_map, moves_the_elements_of_a_member_of_the_record) {
  auto chain = chain_of<line>(sw::flat_map(&line::words));
  line two;
  two.words.emplace_back(1);
  two.words.emplace_back(2);
  chain.give(std::move(two), 1);
  EXPECT_EQ(chain.take(), (lines{"1@1", "2@1"}));
}

TEST(flat_map, copies_the_elements_of_a_view_or_a_reference_and_leaves_them_whole) {
  std::vector<std::string> table{"one", "two"};
  auto view = chain_of<int>(sw::flat_map([&table](int) { return std::span(table); }));
  auto reference = chain_of<int>(sw::flat_map([&table](int) -> std::vector<std::string>& { return table; }));
  for (int i = 0; i < 2; ++i) {
    view.give(1, 1);
    reference.give(1, 1);
  }
  EXPECT_EQ(view.take(), (lines{"one@1", "two@1", "one@1", "two@1"}));
  EXPECT_EQ(reference.take(), (lines{"one@1", "two@1", "one@1", "two@1"}));
}

TEST(flat_map, takes_ranges_whose_references_are_no_references) {
  auto bits = chain_of<int>(sw::flat_map([](int n) { return std::vector<bool>{n > 0, n > 1}; }));
  bits.give(1, 1);
  EXPECT_EQ(bits.take(), (lines{"1@1", "0@1"}));

  auto squares = chain_of<int>(
      sw::flat_map([](int n) { return std::views::iota(0, n) | std::views::transform([](int i) { return i * i; }); }));
  squares.give(3, 1);
  EXPECT_EQ(squares.take(), (lines{"0@1", "1@1", "4@1"}));
}

TEST(flat_map, takes_a_function_as_a_type) {
  auto chain = chain_of<int>(sw::flat_map(sw::fn<around>));
  chain.give(5, 1);
  EXPECT_EQ(chain.take(), (lines{"4@1", "6@1"}));
}

}  // namespace
