#include "spillway/operators/map.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "operator_fixture.hpp"

namespace {

using namespace operator_test;

struct reading {
  std::string sensor;
  int celsius = 0;
  int twice() const { return 2 * celsius; }
};

int half(int n) { return n / 2; }

TEST(map, makes_one_record_of_each_in_order_and_keeps_the_timestamp) {
  auto chain = chain_of<int>(sw::map([](int n) { return n * 10; }));
  chain.give(1, 5).give(3, 4).give(2, 6);
  EXPECT_EQ(chain.take(), (lines{"10@5", "30@4", "20@6"}));
}

TEST(map, passes_watermarks_and_the_end_in_their_place) {
  auto chain = chain_of<int>(sw::map([](int n) { return n; }));
  chain.give(1, 5).watermark(5).give(2, 7).end();
  EXPECT_EQ(chain.take(), (lines{"1@5", "wm 5", "2@7", "wm max", "end"}));
}

TEST(map, keeps_records_without_a_timestamp_without_one) {
  auto chain = chain_of<int, sw::untimed>(sw::map([](int n) { return n; }));
  chain.give_untimed(1);
  EXPECT_EQ(chain.take(), (lines{"1@none"}));
}

TEST(map, may_change_the_type_of_the_record) {
  auto chain = chain_of<int>(sw::map([](int n) { return std::string(static_cast<std::size_t>(n), 'x'); }));
  chain.give(3, 1);
  EXPECT_EQ(chain.take(), (lines{"xxx@1"}));
}

TEST(map, takes_the_record_by_value_reference_and_rvalue) {
  auto by_value = chain_of<counted>(sw::map([](counted c) { return c; }));
  by_value.give(counted(1), 0);
  EXPECT_EQ(by_value.take(), (lines{"1@0"}));

  auto by_rvalue = chain_of<counted>(sw::map([](counted&& c) { return std::move(c); }));
  by_rvalue.give(counted(2), 0);
  EXPECT_EQ(by_rvalue.take(), (lines{"2@0"}));

  auto by_reference = chain_of<counted>(sw::map([](counted& c) {
    c.value += 1;
    return c.value;
  }));
  by_reference.give(counted(3), 0);
  EXPECT_EQ(by_reference.take(), (lines{"4@0"}));
}

TEST(map, passes_records_that_only_move) {
  auto chain = chain_of<std::unique_ptr<int>>(sw::map([](std::unique_ptr<int> p) {
    ++*p;
    return p;
  }));
  chain.give(std::make_unique<int>(1), 9);
  EXPECT_EQ(chain.take(), (lines{"*2@9"}));
}

TEST(map, takes_member_pointers) {
  auto data = chain_of<reading>(sw::map(&reading::sensor));
  data.give(reading{"a", 20}, 1);
  EXPECT_EQ(data.take(), (lines{"a@1"}));

  auto function = chain_of<reading>(sw::map(&reading::twice));
  function.give(reading{"a", 20}, 1);
  EXPECT_EQ(function.take(), (lines{"40@1"}));
}

TEST(map, takes_a_function_as_a_type_and_as_a_pointer) {
  auto chain = chain_of<int>(sw::map(sw::fn<half>) | sw::map(half));
  chain.give(8, 1);
  EXPECT_EQ(chain.take(), (lines{"2@1"}));
}

TEST(map, copies_what_is_returned_by_reference) {
  auto chain = chain_of<reading>(sw::map([](const reading& r) -> const std::string& { return r.sensor; }));
  chain.give(reading{"a", 20}, 1);
  EXPECT_EQ(chain.take(), (lines{"a@1"}));

  counted kept(7);
  auto keeper = chain_of<int>(sw::map([&kept](int) -> counted& { return kept; }));
  keeper.give(1, 1).give(2, 2);
  EXPECT_EQ(keeper.take(), (lines{"7 copied@1", "7 copied@2"}));
}

TEST(map, keeps_the_state_of_its_function) {
  auto chain = chain_of<int>(sw::map([total = 0](int n) mutable { return total += n; }));
  chain.give(1, 0).give(2, 0).give(3, 0);
  EXPECT_EQ(chain.take(), (lines{"1@0", "3@0", "6@0"}));
}

}  // namespace
