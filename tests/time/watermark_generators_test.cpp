#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>

#include "spillway/time/ascending.hpp"
#include "spillway/time/bounded_out_of_orderness.hpp"
#include "spillway/time/punctuated.hpp"
#include "spillway/time/watermark_generator.hpp"

namespace {

using namespace spillway;
using namespace std::chrono_literals;

struct record {
  std::int64_t value = 0;
};

struct every_second {
  int seen = 0;
  template <class R>
  timestamp on_record(const R&, timestamp t) {
    return ++seen % 2 == 0 ? t : timestamp::minimum();
  }
};

timestamp at(std::int64_t ns) { return timestamp{ns}; }

TEST(bounded_out_of_orderness, gives_the_largest_timestamp_minus_the_bound_minus_one_tick) {
  bounded_out_of_orderness g(10ns);
  EXPECT_EQ(g.on_record(record{}, at(12345)), at(12334));
  EXPECT_EQ(g.on_record(record{}, at(12300)), at(12334));
  EXPECT_EQ(g.on_record(record{}, at(12340)), at(12334));
  EXPECT_EQ(g.on_record(record{}, at(12346)), at(12335));
}

TEST(bounded_out_of_orderness, works_for_negative_timestamps) {
  bounded_out_of_orderness g(2000ns);
  EXPECT_EQ(g.on_record(record{}, at(-5000)), at(-7001));
  EXPECT_EQ(g.on_record(record{}, at(0)), at(-2001));
}

TEST(bounded_out_of_orderness, says_nothing_for_records_without_a_timestamp) {
  bounded_out_of_orderness g(0ns);
  EXPECT_EQ(g.on_record(record{}, no_timestamp), timestamp::minimum());
}

TEST(bounded_out_of_orderness, saturates_at_both_ends_instead_of_wrapping) {
  bounded_out_of_orderness widest(nanoseconds::max());
  EXPECT_EQ(widest.on_record(record{}, at(-2)), timestamp::minimum());
  EXPECT_EQ(widest.on_record(record{}, at(5)), at(5 - std::numeric_limits<std::int64_t>::max()));
  bounded_out_of_orderness g(10ns);
  EXPECT_EQ(g.on_record(record{}, at(std::numeric_limits<std::int64_t>::min() + 5)), timestamp::minimum());
  EXPECT_EQ(g.on_record(record{}, timestamp::maximum()), at(std::numeric_limits<std::int64_t>::max() - 11));
}

TEST(bounded_out_of_orderness, refuses_a_negative_bound) {
  EXPECT_THROW(bounded_out_of_orderness(-1ns), std::invalid_argument);
  EXPECT_NO_THROW(bounded_out_of_orderness(0ns));
}

TEST(ascending, stays_one_tick_behind_so_that_equal_timestamps_are_never_late) {
  ascending g;
  EXPECT_EQ(g.on_record(record{}, at(1337)), at(1336));
  EXPECT_EQ(g.on_record(record{}, at(1337)), at(1336));
  EXPECT_EQ(g.on_record(record{}, at(1338)), at(1337));
  EXPECT_EQ(g.on_record(record{}, at(1000)), at(1337));
}

TEST(punctuated, follows_what_the_function_says_record_by_record) {
  punctuated g([](const record& r, timestamp t) { return r.value > 0 ? std::optional(t) : std::nullopt; });
  EXPECT_EQ(g.on_record(record{1}, at(4)), at(4));
  EXPECT_EQ(g.on_record(record{0}, at(9)), timestamp::minimum());
  EXPECT_EQ(g.on_record(record{1}, at(2)), at(2)) << "going back is filtered behind the generator";
}

TEST(punctuated, takes_functions_of_the_record_alone_and_plain_timestamps) {
  punctuated g([](const record& r) { return timestamp{r.value}; });
  EXPECT_EQ(g.on_record(record{7}, at(0)), at(7));
}

TEST(watermark_generator, fits_the_ready_made_and_the_user_supplied_and_knows_who_is_subset_safe) {
  static_assert(watermark_generator<bounded_out_of_orderness, record>);
  static_assert(watermark_generator<ascending, record>);
  static_assert(watermark_generator<every_second, record>);
  auto f = [](const record&) { return timestamp{}; };
  static_assert(watermark_generator<punctuated<decltype(f)>, record>);
  static_assert(!watermark_generator<punctuated<decltype(f)>, int>);
  static_assert(!watermark_generator<int, record>);
  static_assert(is_subset_safe<bounded_out_of_orderness> && is_subset_safe<ascending>);
  static_assert(!is_subset_safe<every_second> && !is_subset_safe<punctuated<decltype(f)>>);
}

TEST(watermark_generator, a_copy_goes_on_from_where_the_original_stands) {
  bounded_out_of_orderness g(1ns);
  g.on_record(record{}, at(100));
  bounded_out_of_orderness copy = g;
  EXPECT_EQ(copy.on_record(record{}, at(50)), at(98));
}

}  // namespace
