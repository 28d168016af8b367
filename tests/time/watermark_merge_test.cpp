#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "spillway/time/watermark_merge.hpp"

namespace {

using namespace spillway;

using result = std::optional<timestamp>;
timestamp at(std::int64_t ns) { return timestamp{ns}; }
result out(std::int64_t ns) { return timestamp{ns}; }
constexpr result nothing = std::nullopt;

TEST(watermark_merge, one_channel_passes_what_grows_and_ignores_what_goes_back) {
  watermark_merge m(1);
  EXPECT_EQ(m.update(0, at(0)), out(0));
  EXPECT_EQ(m.update(0, at(25)), out(25));
  EXPECT_EQ(m.update(0, at(18)), nothing);
  EXPECT_EQ(m.update(0, at(25)), nothing);
  EXPECT_EQ(m.update(0, at(42)), out(42));
}

TEST(watermark_merge, waits_for_every_channel) {
  watermark_merge m(3);
  EXPECT_EQ(m.update(0, at(0)), nothing);
  EXPECT_EQ(m.update(1, at(0)), nothing);
  EXPECT_EQ(m.update(2, at(0)), out(0));
}

TEST(watermark_merge, gives_the_minimum_as_it_advances) {
  watermark_merge m(3);
  for (std::size_t i = 0; i < 3; ++i) m.update(i, at(0));
  EXPECT_EQ(m.update(0, at(12)), nothing);
  EXPECT_EQ(m.update(2, at(8)), nothing);
  EXPECT_EQ(m.update(2, at(10)), nothing);
  EXPECT_EQ(m.update(1, at(15)), out(10));
  EXPECT_EQ(m.update(2, at(17)), out(12));
  EXPECT_EQ(m.update(0, at(20)), out(15));
}

TEST(watermark_merge, ignores_channels_that_go_back) {
  watermark_merge m(3);
  m.update(0, at(25));
  m.update(1, at(10));
  EXPECT_EQ(m.update(2, at(17)), out(10));
  EXPECT_EQ(m.update(0, at(12)), nothing);
  EXPECT_EQ(m.update(1, at(8)), nothing);
  EXPECT_EQ(m.update(2, at(15)), nothing);
  EXPECT_EQ(m.watermark(), at(10));
}

TEST(watermark_merge, is_idle_while_every_channel_is) {
  watermark_merge m(2);
  EXPECT_EQ(m.set_idle(1, true), nothing);
  EXPECT_FALSE(m.idle());
  EXPECT_EQ(m.set_idle(0, true), nothing);
  EXPECT_TRUE(m.idle());
  EXPECT_EQ(m.set_idle(0, true), nothing);
  EXPECT_EQ(m.set_idle(1, false), nothing);
  EXPECT_FALSE(m.idle());
}

TEST(watermark_merge, an_idle_channel_does_not_hold_the_others) {
  watermark_merge m(3);
  m.update(0, at(15));
  EXPECT_EQ(m.update(1, at(10)), nothing);
  EXPECT_EQ(m.set_idle(2, true), out(10));
  EXPECT_EQ(m.update(1, at(18)), out(15));
  EXPECT_EQ(m.update(0, at(20)), out(18));
}

TEST(watermark_merge, an_idle_channel_s_watermarks_are_ignored) {
  watermark_merge m(2);
  m.update(0, at(5));
  EXPECT_EQ(m.set_idle(1, true), out(5));
  EXPECT_EQ(m.update(1, at(100)), nothing);
  EXPECT_EQ(m.set_idle(1, false), nothing);
  EXPECT_EQ(m.update(0, at(9)), out(9)) << "the returned channel is behind, so it does not hold";
}

TEST(watermark_merge, rises_as_channels_go_idle_one_after_the_other) {
  watermark_merge m(3);
  m.update(0, at(25));
  m.update(1, at(10));
  EXPECT_EQ(m.update(2, at(17)), out(10));
  EXPECT_EQ(m.set_idle(1, true), out(17));
  EXPECT_EQ(m.set_idle(2, true), out(25));
}

TEST(watermark_merge, gives_the_largest_watermark_when_the_last_holder_goes_idle) {
  watermark_merge m(2);
  m.update(0, at(25));
  EXPECT_EQ(m.set_idle(0, true), nothing) << "channel 1 has not spoken";
  EXPECT_EQ(m.update(1, at(10)), out(10));
  EXPECT_EQ(m.set_idle(1, true), out(25));
  EXPECT_TRUE(m.idle());
}

TEST(watermark_merge, a_returned_channel_counts_only_after_reaching_the_output) {
  watermark_merge m(3);
  m.update(0, at(10));
  m.update(1, at(7));
  EXPECT_EQ(m.update(2, at(3)), out(3));
  EXPECT_EQ(m.set_idle(2, true), out(7));
  EXPECT_EQ(m.set_idle(2, false), nothing);
  EXPECT_EQ(m.update(1, at(8)), out(8));
  EXPECT_EQ(m.update(2, at(6)), nothing);
  EXPECT_EQ(m.update(1, at(9)), out(9));
  EXPECT_EQ(m.update(2, at(9)), nothing);
  EXPECT_EQ(m.update(1, at(20)), nothing);
  EXPECT_EQ(m.update(2, at(11)), out(10));
}

TEST(watermark_merge, a_channel_still_behind_may_go_idle_again_without_effect) {
  watermark_merge m(2);
  m.update(0, at(7));
  EXPECT_EQ(m.update(1, at(10)), out(7));
  EXPECT_EQ(m.set_idle(0, true), out(10));
  EXPECT_EQ(m.set_idle(0, false), nothing);
  EXPECT_EQ(m.update(0, at(9)), nothing);
  EXPECT_EQ(m.set_idle(0, true), nothing);
}

TEST(watermark_merge, nothing_comes_out_while_only_channels_behind_the_output_are_active) {
  watermark_merge m(2);
  m.update(0, at(10));
  m.update(1, at(5));
  EXPECT_EQ(m.set_idle(1, true), out(10));
  EXPECT_EQ(m.set_idle(1, false), nothing);
  EXPECT_EQ(m.set_idle(0, true), nothing);
  EXPECT_EQ(m.update(1, at(8)), nothing);
  EXPECT_EQ(m.update(1, at(11)), out(11));
}

TEST(watermark_merge, an_ended_channel_holds_nothing_back) {
  watermark_merge m(2);
  m.update(0, at(5));
  EXPECT_EQ(m.update(1, at(3)), out(3));
  EXPECT_EQ(m.update(1, timestamp::maximum()), out(5));
  EXPECT_EQ(m.update(0, at(8)), out(8));
  EXPECT_EQ(m.update(0, timestamp::maximum()), result(timestamp::maximum()));
  EXPECT_TRUE(m.ended());
  EXPECT_FALSE(m.idle());
}

TEST(watermark_merge, the_final_watermark_waits_for_idle_channels) {
  watermark_merge m(2);
  m.update(0, at(5));
  m.update(1, at(3));
  EXPECT_EQ(m.set_idle(1, true), out(5));
  EXPECT_EQ(m.update(0, timestamp::maximum()), nothing);
  EXPECT_TRUE(m.idle());
  EXPECT_EQ(m.set_idle(1, false), nothing);
  EXPECT_EQ(m.update(1, at(9)), out(9));
  EXPECT_EQ(m.update(1, timestamp::maximum()), result(timestamp::maximum()));
}

TEST(watermark_merge, a_channel_that_ends_before_others_spoke_does_not_end_time) {
  watermark_merge m(2);
  EXPECT_EQ(m.update(0, timestamp::maximum()), nothing);
  EXPECT_EQ(m.update(1, at(1)), out(1));
}

TEST(watermark_merge, an_idle_channel_may_end) {
  watermark_merge m(1);
  m.set_idle(0, true);
  EXPECT_EQ(m.update(0, timestamp::maximum()), result(timestamp::maximum()));
}

}  // namespace
