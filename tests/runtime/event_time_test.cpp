// Watermarks across edges: found again in the records or sent as markers, merged over several inputs, on main and side outputs.
#include <gtest/gtest.h>

#include <random>

#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace event_time_test {

struct reading {
  int number = 0;
  spillway::timestamp at;
};
std::string show(const reading& r) { return std::to_string(r.number); }

}  // namespace event_time_test

namespace {

using namespace pipeline_test;
using namespace std::chrono_literals;
using event_time_test::reading;

inline constexpr sw::output_tag<"late", reading> late{};
inline constexpr sw::output_tag<"odd", int> odd{};

auto disordered(unsigned seed, int n) {
  return sw::source([random = std::mt19937(seed), i = 0, n]() mutable -> std::optional<reading> {
    if (i == n) return std::nullopt;
    const int number = i++;
    return reading{number, sw::timestamp(std::int64_t{number} * 10 - static_cast<std::int64_t>(random() % 60))};
  });
}

/// What a trace says about time at each record: the watermark before it. (Behind the last record, watermarks may be one with the end.)
std::string time_at_records(const trace& t) {
  std::string all;
  std::string watermark = "-";
  for (const std::string& line : t.lines) {
    if (line[0] == 'w') {
      watermark = line;
    } else {
      all += line + "|" + watermark + " ";
    }
  }
  return all;
}

/// The same filters in front of an edge that its reader recomputes, and of one where time travels as markers.
template <class Before, class Behind>
void expect_same_time(unsigned seed, int n, std::size_t capacity, Before before, Behind behind) {
  trace recomputed;
  trace marked;
  {
    auto a =
        sw::stage<"a">(sw::any_cpu{}, disordered(seed, n) | sw::watermarks(sw::bounded_out_of_orderness(30ns), &reading::at) |
                                          sw::filter(before));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = capacity}) | sw::filter(behind));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, {.capacity = capacity}) | watch(recomputed));
    sw::pipeline p(std::move(a), std::move(b), std::move(c));
    p.run_inline();
  }
  {
    const auto same = [](const reading& r) { return r; };
    auto a =
        sw::stage<"a">(sw::any_cpu{}, disordered(seed, n) | sw::watermarks(sw::bounded_out_of_orderness(30ns), &reading::at) |
                                          sw::filter(before) | sw::map(same));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = capacity}) | sw::filter(behind));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, {.capacity = capacity}) | watch(marked));
    sw::pipeline p(std::move(a), std::move(b), std::move(c));
    p.run_inline();
  }
  EXPECT_EQ(time_at_records(recomputed), time_at_records(marked));
}

TEST(event_time, a_watermark_found_in_the_records_is_the_one_that_a_marker_would_bring) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    for (const std::size_t capacity : {1u, 4u, 1024u}) {
      const unsigned keep = seed % 4;  // of four
      const auto chance = [seed, keep](unsigned salt) {
        return [seed, keep, salt](const reading& r) {
          return std::mt19937(seed + salt + static_cast<unsigned>(r.number))() % 4 <= keep;
        };
      };
      expect_same_time(seed, 300, capacity, chance(1), chance(1000));
    }
  }
}

TEST(event_time, a_watermark_reaches_the_reader_when_every_record_is_filtered) {
  trace seen;
  auto a = sw::stage<"a">(sw::any_cpu{}, disordered(1, 5000) | sw::watermarks(sw::ascending(), &reading::at) |
                                             sw::filter([](const reading&) { return false; }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | watch(seen));
  sw::pipeline p(std::move(a), std::move(b));
  p.run_inline();
  EXPECT_FALSE(seen.lines.empty());
}

TEST(event_time, an_unfiltered_recomputed_edge_sends_no_markers_and_gives_each_watermark_behind_its_record) {
  trace seen;
  auto a = sw::stage<"a">(
      sw::any_cpu{}, sw::source(sw::elements<reading>{{1, sw::timestamp(10)}, {2, sw::timestamp(5)}, {3, sw::timestamp(20)}}) |
                         sw::watermarks(sw::bounded_out_of_orderness(1ns), &reading::at));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | watch(seen));
  sw::pipeline p(std::move(a), std::move(b));
  p.run_inline();
  EXPECT_EQ(seen.text(), "1@10 w8 2@5 3@20 w18");
}

TEST(event_time, a_second_reader_and_a_lossy_reader_get_the_same_time_as_markers) {
  trace first;
  trace second;
  trace third;
  auto a = sw::stage<"a">(sw::any_cpu{}, disordered(5, 200) | sw::watermarks(sw::bounded_out_of_orderness(30ns), &reading::at) |
                                             sw::filter([](const reading& r) { return r.number % 3 != 0; }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | watch(first));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | watch(second));
  auto d = sw::stage<"d">(sw::any_cpu{}, sw::from(a, sw::spill, {.capacity = 4}) | watch(third));
  sw::pipeline p(std::move(a), std::move(b), std::move(c), std::move(d));
  p.run_inline();
  EXPECT_EQ(time_at_records(first), time_at_records(second));
  EXPECT_EQ(time_at_records(first), time_at_records(third));
}

TEST(event_time, several_inputs_have_the_smallest_of_their_watermarks) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    trace seen;
    auto a =
        sw::stage<"a">(sw::any_cpu{}, disordered(seed, 200) | sw::watermarks(sw::bounded_out_of_orderness(0ns), &reading::at));
    auto b =
        sw::stage<"b">(sw::any_cpu{}, sw::source(sw::elements<reading>{{1000, sw::timestamp(500)}, {1001, sw::timestamp(700)}}) |
                                          sw::watermarks(sw::ascending(), &reading::at));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(a, b) | watch(seen));
    sw::pipeline p(std::move(a), std::move(b), std::move(c));
    seed % 2 == 0 ? p.run_inline() : p.run();
    ASSERT_FALSE(seen.lines.empty());
    std::int64_t last = -1'000'000;
    std::int64_t largest[2] = {-1'000'000, -1'000'000};
    bool ended_b = false;
    for (const std::string& line : seen.lines) {
      if (line[0] == 'w') {
        const std::int64_t w = std::stoll(line.substr(1));
        EXPECT_GT(w, last);
        EXPECT_LE(w, largest[0] - 1);
        if (!ended_b) {
          EXPECT_LE(w, largest[1] - 1);
        }
        last = w;
      } else {
        const int number = std::stoi(line);
        const std::int64_t at = std::stoll(line.substr(line.find('@') + 1));
        std::int64_t& l = largest[number >= 1000 ? 1 : 0];
        l = std::max(l, at);
        ended_b = ended_b || number == 1001;  // its end may follow at once
      }
    }
  }
}

TEST(event_time, an_input_without_records_holds_time_back_until_it_ends) {
  std::atomic<bool> open{false};
  trace seen;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(gated_source(open, 0)) | sw::map([](int) {
                                           return reading{0, sw::timestamp(1)};
                                         }) | sw::watermarks(sw::ascending(), &reading::at));
  auto b = sw::stage<"b">(sw::any_cpu{}, disordered(1, 100) | sw::watermarks(sw::ascending(), &reading::at));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(a, b) | watch(seen));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.start();
  ASSERT_TRUE(eventually([&] { return p.edges()[0].counts.consumed + p.edges()[1].counts.consumed == 101; }));
  EXPECT_LE(p.stages()[2].counts.watermark, sw::timestamp(0));
  open = true;
  p.join();
  EXPECT_EQ(p.stages()[2].counts.watermark, sw::timestamp::maximum());
}

TEST(event_time, a_side_output_knows_the_time_at_the_operator_that_emits_it) {
  trace main;
  trace side;
  auto a = sw::stage<"a">(
      sw::any_cpu{}, sw::source(sw::elements<reading>{{1, sw::timestamp(10)}, {2, sw::timestamp(20)}, {3, sw::timestamp(30)}}) |
                         sw::watermarks(sw::ascending(), &reading::at) |
                         sw::process<int>(sw::emits<odd>{},
                                          [](auto& ctx, const reading& r) {
                                            r.number % 2 != 0 ? ctx.output(odd, r.number) : ctx.emit(r.number);
                                          }) |
                         watch(main));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(odd) | watch(side));
  sw::pipeline p(std::move(a), std::move(b));
  p.run_inline();
  EXPECT_EQ(main.text(), "w9 2@20 w19 w29");
  EXPECT_EQ(side.text(), "1@10 w19 3@30");
}

TEST(event_time, a_late_record_comes_behind_the_watermark_that_made_it_late) {
  trace side;
  auto a = sw::stage<"a">(sw::any_cpu{},
                          sw::source(sw::elements<reading>{
                              {1, sw::timestamp(10)}, {2, sw::timestamp(200)}, {3, sw::timestamp(20)}, {4, sw::timestamp(400)}}) |
                              sw::watermarks(sw::ascending(), &reading::at) | sw::window(sw::tumbling(100ns), late) |
                              sw::aggregate(sw::count()) | sw::discard());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(late) | watch(side));
  sw::pipeline p(std::move(a), std::move(b));
  p.run_inline();
  EXPECT_EQ(side.text(), "w199 3@20");
}

}  // namespace
