#include "spillway/operators/process.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "operator_fixture.hpp"
#include "spillway/operators/key_by.hpp"

namespace {

using namespace operator_test;

inline constexpr sw::output_tag<"odd", int> odd{};
inline constexpr sw::output_tag<"text", std::string> text{};
inline constexpr sw::output_tag<"pointer", std::unique_ptr<int>> pointer{};

struct running_total {
  using main = int;
  using emits = sw::emits<text>;
  explicit running_total(lines& calls) : calls_(&calls) {}

  void open() { calls_->push_back("open"); }
  void on_record(auto& ctx, const int& n) {
    total_ += n;
    ctx.emit(total_);
    if (total_ > 5) ctx.output(text, "over 5");
  }
  void close() { calls_->push_back("close"); }

 private:
  lines* calls_;
  int total_ = 0;
};

TEST(process, emits_to_main_and_to_side_outputs_independently_with_the_records_timestamp) {
  auto chain = chain_of<int>(sw::process<int>(sw::emits<odd, text>{}, [](auto& ctx, int n) {
    if (n == 0) return;
    if (n % 2) ctx.output(odd, n);
    if (n > 2) ctx.output(text, std::to_string(n));
    if (n != 5) ctx.emit(10 * n);
  }));
  chain.give(0, 10).give(1, 11).give(2, 12).give(3, 13).give(5, 15);
  EXPECT_EQ(chain.take(), (lines{"odd 1@11", "10@11", "20@12", "odd 3@13", "text 3@13", "30@13", "odd 5@15", "text 5@15"}));
}

TEST(process, emits_any_number_of_records_in_the_order_of_its_calls) {
  auto chain = chain_of<int>(sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int n) {
    for (int i = 0; i < n; ++i) i % 2 ? ctx.output(odd, i) : ctx.emit(i);
  }));
  chain.give(4, 1);
  EXPECT_EQ(chain.take(), (lines{"0@1", "odd 1@1", "2@1", "odd 3@1"}));
}

TEST(process, makes_records_of_the_declared_types_from_what_it_is_given) {
  auto chain = chain_of<int>(sw::process<std::string>(sw::emits<text>{}, [](auto& ctx, int) {
    ctx.emit("main");
    ctx.output(text, "side");
  }));
  chain.give(1, 1);
  EXPECT_EQ(chain.take(), (lines{"main@1", "text side@1"}));
}

TEST(process, knows_the_time_of_its_record_and_the_last_watermark) {
  auto chain = chain_of<int>(sw::process<std::string>(
      sw::emits<>{}, [](auto& ctx, int) { ctx.emit(show_time(ctx.timestamp()) + " after " + show_time(ctx.watermark())); }));
  chain.give(1, 10).watermark(9).give(2, 12).give_untimed(3);
  EXPECT_EQ(chain.take(), (lines{"10 after none@10", "wm 9", "12 after 9@12", "none after 9@none"}));
}

TEST(process, knows_the_key_behind_key_by) {
  auto chain = chain_of<int>(sw::key_by([](int n) { return n % 3; }) |
                             sw::process<int>(sw::emits<>{}, [](auto& ctx, int n) { ctx.emit(100 * ctx.key() + n); }));
  chain.give(4, 1).give(5, 2);
  EXPECT_EQ(chain.take(), (lines{"104@1", "205@2"}));
}

TEST(process, keeps_a_key_of_text_whole_while_it_has_the_record_by_value) {
  auto chain = chain_of<std::string>(sw::key_by([](const std::string& s) -> const std::string& { return s; }) |
                                     sw::process<std::string>(sw::emits<>{}, [](auto& ctx, std::string s) {
                                       ctx.emit(std::string(ctx.key().view()) + " of " + s);
                                     }));
  chain.give("short", 1).give("a text that is too long to be kept in place", 2);
  EXPECT_EQ(chain.take(),
            (lines{"short of short@1",
                   "a text that is too long to be kept in place of a text that is too long to be kept in place@2"}));
}

TEST(process, as_a_class_keeps_its_state_and_is_opened_and_closed_once) {
  lines calls;
  {
    auto chain = chain_of<int>(sw::process(running_total(calls)));
    chain.give(2, 1).give(4, 2);
    EXPECT_EQ(chain.take(), (lines{"2@1", "6@2", "text over 5@2"}));
    EXPECT_EQ(calls, (lines{"open"}));
    chain.close();
  }
  EXPECT_EQ(calls, (lines{"open", "close"}));
}

TEST(process, may_have_no_main_output) {
  auto chain = chain_of<int>(sw::process<sw::no_record>(sw::emits<odd>{}, [](auto& ctx, int n) { ctx.output(odd, n); }));
  chain.give(1, 1).end();
  EXPECT_EQ(chain.take(), (lines{"odd 1@1"}));
}

TEST(process, takes_the_record_by_value_reference_and_rvalue) {
  auto by_value = chain_of<counted>(sw::process<counted>(sw::emits<>{}, [](auto& ctx, counted c) { ctx.emit(std::move(c)); }));
  by_value.give(counted(1), 1);
  EXPECT_EQ(by_value.take(), (lines{"1@1"}));

  auto by_rvalue = chain_of<std::unique_ptr<int>>(sw::process<sw::no_record>(
      sw::emits<pointer>{}, [](auto& ctx, std::unique_ptr<int>&& p) { ctx.output(pointer, std::move(p)); }));
  by_rvalue.give(std::make_unique<int>(2), 1);
  EXPECT_EQ(by_rvalue.take(), (lines{"pointer *2@1"}));

  auto by_reference = chain_of<int>(sw::process<int>(sw::emits<>{}, [](auto& ctx, int& n) { ctx.emit(++n); }));
  by_reference.give(3, 1);
  EXPECT_EQ(by_reference.take(), (lines{"4@1"}));
}

}  // namespace
