#include "spillway/operators/filter.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "operator_fixture.hpp"

namespace {

using namespace operator_test;

struct flagged {
  bool keep = false;
  int id = 0;
  bool kept() const { return keep; }
  friend std::ostream& operator<<(std::ostream& out, const flagged& f) { return out << f.id; }
};

bool even(int n) { return n % 2 == 0; }

TEST(filter, lets_through_what_the_predicate_holds_for_in_order_with_its_timestamp) {
  auto chain = chain_of<int>(sw::filter([](int n) { return n > 2; }));
  chain.give(1, 10).give(3, 30).give(2, 20).give(4, 40);
  EXPECT_EQ(chain.take(), (lines{"3@30", "4@40"}));
}

TEST(filter, passes_watermarks_and_the_end_whatever_it_filters) {
  auto chain = chain_of<int>(sw::filter([](int) { return false; }));
  chain.give(1, 10).watermark(10).give(2, 20).watermark(20).end();
  EXPECT_EQ(chain.take(), (lines{"wm 10", "wm 20", "wm max", "end"}));
}

TEST(filter, passes_records_on_without_a_copy) {
  auto moved = chain_of<std::unique_ptr<int>>(sw::filter([](const std::unique_ptr<int>& p) { return *p > 0; }));
  moved.give(std::make_unique<int>(0), 1).give(std::make_unique<int>(1), 2);
  EXPECT_EQ(moved.take(), (lines{"*1@2"}));

  auto uncopied = chain_of<counted>(sw::filter([](const counted&) { return true; }));
  uncopied.give(counted(1), 1);
  EXPECT_EQ(uncopied.take(), (lines{"1@1"}));
}

TEST(filter, takes_member_pointers_and_functions_as_types) {
  auto data = chain_of<flagged>(sw::filter(&flagged::keep) | sw::filter(&flagged::kept));
  data.give(flagged{true, 1}, 1).give(flagged{false, 2}, 2);
  EXPECT_EQ(data.take(), (lines{"1@1"}));

  auto function = chain_of<int>(sw::filter(sw::fn<even>));
  function.give(1, 1).give(2, 2);
  EXPECT_EQ(function.take(), (lines{"2@2"}));
}

TEST(filter, keeps_the_state_of_its_predicate) {
  auto every_other = chain_of<int>(sw::filter([n = 0](int) mutable { return n++ % 2 == 0; }));
  every_other.give(1, 0).give(2, 0).give(3, 0);
  EXPECT_EQ(every_other.take(), (lines{"1@0", "3@0"}));
}

}  // namespace
