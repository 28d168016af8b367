#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "spillway/core/fixed_string.hpp"
#include "spillway/windows/aggregates/aggregate.hpp"
#include "spillway/windows/aggregates/aggregates.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/aggregates/first.hpp"
#include "spillway/windows/aggregates/first_by_time.hpp"
#include "spillway/windows/aggregates/last.hpp"
#include "spillway/windows/aggregates/last_by_time.hpp"
#include "spillway/windows/aggregates/maximum.hpp"
#include "spillway/windows/aggregates/mean.hpp"
#include "spillway/windows/aggregates/minimum.hpp"
#include "spillway/windows/aggregates/quantile.hpp"
#include "spillway/windows/aggregates/standard_deviation.hpp"
#include "spillway/windows/aggregates/sum.hpp"
#include "spillway/windows/aggregates/weighted_mean.hpp"

namespace {

using namespace spillway;

struct trade {
  double price = 0;
  std::int32_t volume = 0;
  std::uint8_t flags = 0;
  std::int64_t wide = 0;
  fixed_string<8> venue;
  std::int64_t at = 0;
};

struct user_defined {
  struct state {
    double low = 1e300;
    double high = -1e300;
  };
  template <class>
  using accumulator = state;
  template <class>
  using result = double;
  template <class In>
  void add(state& a, const In& r, timestamp, std::uint64_t) const {
    a.low = std::min(a.low, r.price);
    a.high = std::max(a.high, r.price);
  }
  template <class In>
  void merge(state& into, const state& from) const {
    into.low = std::min(into.low, from.low);
    into.high = std::max(into.high, from.high);
  }
  template <class In>
  double get(const state& a) const {
    return a.high - a.low;
  }
};

trade priced(double price, std::int32_t volume = 1) {
  trade t;
  t.price = price;
  t.volume = volume;
  return t;
}

// Feeds the records in one accumulator.
template <class Aggregate>
auto over(Aggregate aggregate, const std::vector<trade>& records) {
  static_assert(check_aggregate<Aggregate, trade>() && aggregate_of<Aggregate, trade>);
  arena memory;
  open_aggregate(aggregate, memory);
  accumulator_of<Aggregate, trade> a{};
  std::uint64_t arrival = 0;
  for (const trade& r : records) aggregate.template add<trade>(a, r, timestamp{r.at}, arrival++);
  auto result = aggregate.template get<trade>(a);
  discard_accumulator<trade>(aggregate, a);
  return result;
}

// Deals the records to several accumulators and merges them in a shuffled order, empty ones included.
template <class Aggregate>
auto merged(Aggregate aggregate, const std::vector<trade>& records, std::mt19937& random) {
  arena memory;
  open_aggregate(aggregate, memory);
  std::vector<accumulator_of<Aggregate, trade>> panes(6);
  std::uint64_t arrival = 0;
  for (const trade& r : records) aggregate.template add<trade>(panes[random() % 5], r, timestamp{r.at}, arrival++);
  std::shuffle(panes.begin(), panes.end(), random);
  accumulator_of<Aggregate, trade> all{};
  for (auto& pane : panes) aggregate.template merge<trade>(all, pane);
  auto result = aggregate.template get<trade>(all);
  for (auto& pane : panes) discard_accumulator<trade>(aggregate, pane);
  discard_accumulator<trade>(aggregate, all);
  return result;
}

template <class T>
bool close(const T& a, const T& b) {
  return a == b;
}
bool close(double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }
bool close(const std::optional<double>& a, const std::optional<double>& b) {
  return a.has_value() == b.has_value() && (!a || close(*a, *b));
}

template <class Aggregate>
void expect_merging_does_not_matter(Aggregate aggregate) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<trade> records(1 + random() % 40);
    for (trade& r : records) {
      r.price = static_cast<double>(random() % 20000) / 100.0 - 50;
      r.volume = static_cast<std::int32_t>(random() % 100) + 1;
      r.wide = static_cast<std::int64_t>(random()) - (1 << 20);
      r.at = static_cast<std::int64_t>(random() % 10) - 5;
      r.venue = fixed_string<8>(std::to_string(random() % 1000));
    }
    ASSERT_TRUE(close(over(aggregate, records), merged(aggregate, records, random))) << "round " << round;
  }
}

TEST(aggregates, merging_panes_in_any_order_gives_what_one_accumulator_gives) {
  expect_merging_does_not_matter(count());
  expect_merging_does_not_matter(sum(&trade::price));
  expect_merging_does_not_matter(sum(&trade::wide));
  expect_merging_does_not_matter(mean(&trade::price));
  expect_merging_does_not_matter(minimum(&trade::price));
  expect_merging_does_not_matter(maximum(&trade::price));
  expect_merging_does_not_matter(minimum(&trade::venue));
  expect_merging_does_not_matter(maximum(&trade::venue));
  expect_merging_does_not_matter(first(&trade::price));
  expect_merging_does_not_matter(last(&trade::price));
  expect_merging_does_not_matter(first_by_time(&trade::price));
  expect_merging_does_not_matter(last_by_time(&trade::price));
  expect_merging_does_not_matter(weighted_mean(&trade::price, &trade::volume));
  expect_merging_does_not_matter(standard_deviation(&trade::price));
  expect_merging_does_not_matter(quantile(0.3, &trade::price));
  expect_merging_does_not_matter(user_defined{});
}

TEST(aggregates, read_a_field_by_member_pointer_or_by_function) {
  const std::vector<trade> records{priced(1, 2), priced(3, 4)};
  EXPECT_EQ(over(sum(&trade::price), records), 4.0);
  EXPECT_EQ(over(sum([](const trade& t) { return t.price * t.volume; }), records), 14.0);
}

TEST(aggregates, count_counts) { EXPECT_EQ(over(count(), std::vector<trade>(3)), 3u); }

TEST(aggregates, sums_have_the_type_of_their_kind_of_number) {
  static_assert(std::is_same_v<aggregate_result<decltype(sum(&trade::price)), trade>, double>);
  static_assert(std::is_same_v<aggregate_result<decltype(sum(&trade::volume)), trade>, std::int64_t>);
  static_assert(std::is_same_v<aggregate_result<decltype(sum(&trade::flags)), trade>, std::uint64_t>);
  EXPECT_EQ(over(sum(&trade::volume), {priced(0, std::numeric_limits<std::int32_t>::max()), priced(0, 1)}), 2147483648);
}

TEST(aggregates, an_integer_sum_that_overflows_wraps) {
  trade most;
  most.wide = std::numeric_limits<std::int64_t>::max();
  trade one;
  one.wide = 1;
  EXPECT_EQ(over(sum(&trade::wide), {most, one}), std::numeric_limits<std::int64_t>::min());
}

TEST(aggregates, mean_of_the_sensor_demo) {
  EXPECT_NEAR(over(mean(&trade::price), {priced(35.5), priced(36.0), priced(36.5), priced(34.8)}), 35.7, 1e-12);
}

TEST(aggregates, minimum_and_maximum_pass_over_nan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(over(minimum(&trade::price), {priced(nan), priced(2), priced(-1), priced(nan)}), -1);
  EXPECT_EQ(over(maximum(&trade::price), {priced(nan), priced(2), priced(-1), priced(nan)}), 2);
}

TEST(aggregates, minimum_and_maximum_know_the_ends_of_their_type) {
  EXPECT_EQ(over(maximum(&trade::price), {priced(-5)}), -5);
  EXPECT_EQ(over(maximum(&trade::volume), {priced(0, std::numeric_limits<std::int32_t>::min())}),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(over(minimum(&trade::volume), {priced(0, std::numeric_limits<std::int32_t>::max())}),
            std::numeric_limits<std::int32_t>::max());
}

TEST(aggregates, first_and_last_go_by_arrival_whatever_the_timestamps) {
  std::vector<trade> records{priced(1), priced(2), priced(3)};
  records[0].at = 9;
  records[2].at = 4;
  EXPECT_EQ(over(first(&trade::price), records), 1);
  EXPECT_EQ(over(last(&trade::price), records), 3);
  records[0].venue = "only";
  EXPECT_EQ(over(first(&trade::venue), records), fixed_string<8>("only"));
}

TEST(aggregates, first_and_last_by_time_go_by_timestamp_and_then_by_arrival) {
  std::vector<trade> records{priced(1), priced(2), priced(3), priced(4), priced(5)};
  const std::int64_t times[] = {5, 2, 9, 2, 9};
  for (std::size_t i = 0; i < records.size(); ++i) records[i].at = times[i];
  EXPECT_EQ(over(first_by_time(&trade::price), records), 2);
  EXPECT_EQ(over(last_by_time(&trade::price), records), 5);
}

TEST(aggregates, first_and_last_by_time_take_records_at_the_ends_of_time) {
  std::vector<trade> records{priced(1)};
  records[0].at = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(over(first_by_time(&trade::price), records), 1);
  records[0].at = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(over(last_by_time(&trade::price), records), 1);
}

TEST(aggregates, weighted_mean_is_the_volume_weighted_average_price) {
  EXPECT_DOUBLE_EQ(over(weighted_mean(&trade::price, &trade::volume), {priced(10, 1), priced(20, 3)}), 17.5);
  EXPECT_TRUE(std::isnan(over(weighted_mean(&trade::price, &trade::volume), {priced(10, 0)})));
}

TEST(aggregates, standard_deviation_is_the_sample_s_and_absent_for_one_record) {
  EXPECT_EQ(over(standard_deviation(&trade::price), {priced(3)}), std::nullopt);
  EXPECT_DOUBLE_EQ(over(standard_deviation(&trade::price),
                        {priced(2), priced(4), priced(4), priced(4), priced(5), priced(5), priced(7), priced(9)})
                       .value(),
                   std::sqrt(32.0 / 7.0));
  EXPECT_EQ(over(standard_deviation(&trade::price), {priced(5), priced(5)}), 0.0);
}

TEST(aggregates, standard_deviation_keeps_its_digits_far_from_zero) {
  EXPECT_NEAR(
      over(standard_deviation(&trade::price), {priced(1e9 + 4), priced(1e9 + 7), priced(1e9 + 13), priced(1e9 + 16)}).value(),
      std::sqrt(30.0), 1e-6);
}

TEST(aggregates, several_at_once_give_a_tuple_in_the_order_given) {
  const auto result = over(aggregates(count(), mean(&trade::price), quantile(0.5, &trade::price), user_defined{}),
                           {priced(1), priced(2), priced(6)});
  EXPECT_EQ(std::get<0>(result), 3u);
  EXPECT_EQ(std::get<1>(result), 3.0);
  EXPECT_NEAR(std::get<2>(result), 2.0, 2.0 / 256);
  EXPECT_EQ(std::get<3>(result), 5.0);
}

TEST(aggregates, only_what_owns_memory_asks_to_be_discarded) {
  using light = decltype(aggregates(count(), sum(&trade::price)));
  using heavy = decltype(aggregates(count(), quantile(0.5, &trade::price)));
  static_assert(!needs_discard<light, trade> && needs_discard<heavy, trade>);
  static_assert(!aggregate_of<decltype(sum(&trade::venue)), trade>, "text does not add up");
  static_assert(!aggregate_of<int, trade>);
}

double exact_quantile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(p * static_cast<double>(values.size()))));
  return values[rank - 1];
}

TEST(quantile_sketch, is_within_its_stated_error_for_many_shapes_of_values) {
  std::mt19937_64 random(3);
  for (int shape = 0; shape < 6; ++shape) {
    for (std::size_t n : {1u, 2u, 3u, 10u, 1000u, 20000u}) {
      arena memory;
      quantile_sketch sketch;
      std::vector<double> values(n);
      for (double& v : values) {
        const double u = static_cast<double>(random() >> 11) * 0x1p-53;
        v = shape == 0   ? u
            : shape == 1 ? -1000 * u
            : shape == 2 ? std::exp(10 * u)
            : shape == 3 ? std::floor(u * 5) - 2
            : shape == 4 ? 100 + u
                         : (u - 0.5) * 8;
        sketch.add(memory, v);
      }
      if (sketch.joined() != 0) continue;
      for (double p : {0.0, 0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0}) {
        const double exact = exact_quantile(values, p);
        ASSERT_NEAR(sketch.quantile(p), exact, std::abs(exact) * quantile_sketch::relative_error)
            << "shape " << shape << " n " << n << " p " << p;
      }
      ASSERT_EQ(sketch.count(), n);
      sketch.discard(memory);
    }
  }
}

TEST(quantile_sketch, joins_buckets_at_the_bound_and_doubles_its_error) {
  arena memory;
  quantile_sketch sketch;
  std::vector<double> values;
  std::mt19937_64 random(5);
  for (int i = 0; i < 60000; ++i) {
    values.push_back(std::ldexp(1.0 + static_cast<double>(random() >> 11) * 0x1p-53, static_cast<int>(random() % 40) - 20) *
                     (random() % 2 == 0 ? 1 : -1));
    sketch.add(memory, values.back());
  }
  EXPECT_LE(sketch.buckets(), quantile_sketch::most_buckets);
  EXPECT_EQ(sketch.joined(), 3u) << "80 octaves of 128 parts in at most 2048 buckets";
  for (double p : {0.01, 0.3, 0.5, 0.77, 0.99}) {
    const double exact = exact_quantile(values, p);
    EXPECT_NEAR(sketch.quantile(p), exact, std::abs(exact) * quantile_sketch::relative_error * 8) << p;
  }
}

TEST(quantile_sketch, the_whole_range_of_doubles_fits) {
  arena memory;
  quantile_sketch sketch;
  std::mt19937_64 random(9);
  std::vector<double> values;
  for (int i = 0; i < 200000; ++i) {
    const double v = std::bit_cast<double>(random());
    if (!std::isfinite(v)) continue;
    values.push_back(v);
    sketch.add(memory, v);
  }
  EXPECT_LE(sketch.buckets(), quantile_sketch::most_buckets);
  EXPECT_EQ(sketch.count(), values.size());
  EXPECT_EQ(sketch.quantile(0), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(sketch.quantile(1), *std::max_element(values.begin(), values.end()));
  EXPECT_LT(sketch.quantile(0.4), 0);
  EXPECT_GT(sketch.quantile(0.6), 0);
}

TEST(quantile_sketch, does_not_depend_on_the_order_of_values_or_merges) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> values(5000);
    for (double& v : values)
      v = std::ldexp(static_cast<double>(random() % 1000 + 1),
                     static_cast<int>(random() % (4 + 3 * static_cast<unsigned>(round))));
    arena memory;
    quantile_sketch one;
    for (double v : values) one.add(memory, v);
    std::shuffle(values.begin(), values.end(), random);
    std::vector<quantile_sketch> parts(7);
    for (std::size_t i = 0; i < values.size(); ++i) parts[random() % (i < 4000 ? 2 : 7)].add(memory, values[i]);
    quantile_sketch all;
    for (const auto& part : parts) all.merge(memory, part);
    ASSERT_EQ(all.buckets(), one.buckets());
    ASSERT_EQ(all.joined(), one.joined());
    for (double p = 0; p <= 1; p += 0.0625) ASSERT_EQ(all.quantile(p), one.quantile(p)) << "round " << round << " p " << p;
  }
}

TEST(quantile_sketch, counts_zeros_negative_zeros_and_infinities_and_passes_over_nan) {
  arena memory;
  quantile_sketch s;
  const double infinity = std::numeric_limits<double>::infinity();
  for (double v : {-infinity, -1.0, -0.0, 0.0, 1e-310, 1.0, infinity, infinity, std::nan("")}) s.add(memory, v);
  EXPECT_EQ(s.count(), 8u);
  EXPECT_EQ(s.quantile(0.0), -infinity);
  EXPECT_EQ(s.quantile(0.5), 0.0);
  EXPECT_EQ(s.quantile(0.8), infinity);
  EXPECT_NEAR(s.quantile(0.25), -1.0, 1.0 / 256);
  EXPECT_TRUE(std::isnan(quantile_sketch{}.quantile(0.5)));
}

TEST(quantile_sketch, gives_its_memory_back_to_the_arena) {
  arena memory;
  std::uint64_t after_first = 0;
  for (int round = 0; round < 100; ++round) {
    quantile_sketch s;
    for (int i = 0; i < 3000; ++i) s.add(memory, i);
    s.discard(memory);
    if (round == 0) after_first = memory.growth_events();
  }
  EXPECT_EQ(memory.growth_events(), after_first);
}

TEST(quantile, refuses_ranks_outside_zero_to_one) {
  EXPECT_THROW(quantile(1.01, &trade::price), std::invalid_argument);
  EXPECT_THROW(quantile(-0.1, &trade::price), std::invalid_argument);
  EXPECT_THROW(quantile(std::nan(""), &trade::price), std::invalid_argument);
}

}  // namespace
