// One output with several readers.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "graph_fixture.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/bounded_out_of_orderness.hpp"

namespace {

using namespace graph_test;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"copy", int> copies{};

auto copy_aside() {
  return sw::process<int>(sw::emits<copies>{}, [](auto& ctx, int n) {
    ctx.emit(n);
    ctx.output(copies, n);
  });
}
script numbers(int many) {
  script s;
  for (int i = 0; i < many; ++i) s = std::move(s).number(i, 10 * i).watermark(10 * i);
  return s;
}
lines lines_of(int many) {
  lines all;
  for (int i = 0; i < many; ++i) {
    all.push_back(std::to_string(i) + "@" + std::to_string(10 * i));
    if (i + 1 < many) all.push_back("wm " + std::to_string(10 * i));
  }
  all.push_back("wm max");
  all.push_back("end");
  return all;
}

TEST(fan_out, gives_each_reader_of_a_main_output_every_record_and_watermark) {
  lines a;
  lines b;
  lines c;
  auto ingest = sw::stage<"ingest">(sw::any_cpu{}, sw::source(numbers(100)));
  auto first = sw::stage<"first">(sw::any_cpu{}, sw::from(ingest) | trace(a));
  auto second = sw::stage<"second">(sw::any_cpu{}, sw::from(ingest, {.capacity = 2}) | trace(b));
  auto third = sw::stage<"third">(sw::any_cpu{}, sw::from(ingest, sw::spill) | trace(c));
  sw::pipeline p(std::move(ingest), std::move(first), std::move(second), std::move(third));
  p.run_inline();
  EXPECT_EQ(settled(a), lines_of(100));
  EXPECT_EQ(settled(b), lines_of(100));
  EXPECT_EQ(settled(c), lines_of(100));
}

TEST(fan_out, gives_each_reader_the_time_that_it_could_find_in_the_records) {
  lines a;
  lines b;
  auto ingest = sw::stage<"ingest">(
      sw::any_cpu{}, sw::source([n = 0]() mutable { return n < 5 ? std::optional(n++) : std::nullopt; }) |
                         sw::watermarks(sw::bounded_out_of_orderness(0ns), [](int n) { return sw::timestamp{10 * n}; }) |
                         sw::filter([](int n) { return n != 2; }));
  auto first = sw::stage<"first">(sw::any_cpu{}, sw::from(ingest) | trace(a));
  auto second = sw::stage<"second">(sw::any_cpu{}, sw::from(ingest, {.capacity = 1}) | trace(b));
  sw::pipeline p(std::move(ingest), std::move(first), std::move(second));
  p.run_inline();
  const lines expected{"0@0", "wm -1", "1@10", "wm 19", "3@30", "wm 29", "4@40", "wm max", "end"};
  EXPECT_EQ(settled(a), expected);
  EXPECT_EQ(settled(b), expected);
}

TEST(fan_out, gives_each_reader_of_a_tag_its_own_edge_and_policy) {
  lines all;
  lines some;
  auto ingest = sw::stage<"ingest">(sw::any_cpu{}, sw::source(numbers(100)) | copy_aside() | sw::discard());
  auto patient = sw::stage<"patient">(sw::any_cpu{}, sw::from(copies) | trace(all));
  auto lossy = sw::stage<"lossy">(sw::any_cpu{}, sw::from(copies, sw::drop_newest, {.capacity = 4}) | trace(some));
  sw::pipeline p(std::move(ingest), std::move(patient), std::move(lossy));
  p.run_inline();
  EXPECT_EQ(settled(all), lines_of(100));
  EXPECT_EQ(some.front(), "0@0");
  EXPECT_EQ(some.back(), "end");

  const sw::edge_report kept = edge_of(p, "ingest", "copy", "patient");
  EXPECT_EQ(kept.policy, sw::overflow::spill);
  EXPECT_EQ(kept.counts.pushed, 100u);
  EXPECT_EQ(kept.counts.consumed, 100u);
  const sw::edge_report lost = edge_of(p, "ingest", "copy", "lossy");
  EXPECT_EQ(lost.policy, sw::overflow::drop_newest);
  EXPECT_EQ(lost.capacity, 4u);
  EXPECT_EQ(lost.counts.pushed, 100u);
  EXPECT_GT(lost.counts.dropped(), 0u);
  EXPECT_TRUE(lost.counts.balanced());
}

TEST(fan_out, of_records_that_only_move_is_refused_when_the_pipeline_is_made) {
  auto tokens = [n = 0]() mutable { return n++ < 3 ? std::optional(std::make_unique<int>(n)) : std::nullopt; };
  auto ingest = sw::stage<"ingest">(sw::any_cpu{}, sw::source(tokens));
  auto first = sw::stage<"first">(sw::any_cpu{}, sw::from(ingest) | sw::discard());
  auto second = sw::stage<"second">(sw::any_cpu{}, sw::from(ingest) | sw::discard());
  EXPECT_NO_THROW(sw::pipeline(ingest, first).run_inline());
  try {
    sw::pipeline p(std::move(ingest), std::move(first), std::move(second));
    FAIL() << "no error";
  } catch (const std::logic_error& e) {
    EXPECT_NE(std::string(e.what()).find("two readers"), std::string::npos) << e.what();
  }
}

TEST(fan_out, one_stage_may_read_the_main_output_and_another_the_tag) {
  lines main;
  lines side;
  auto ingest = sw::stage<"ingest">(sw::any_cpu{}, sw::source(numbers(10)) | copy_aside());
  auto first = sw::stage<"first">(sw::any_cpu{}, sw::from(ingest) | trace(main));
  auto second = sw::stage<"second">(sw::any_cpu{}, sw::from(copies) | trace(side));
  sw::pipeline p(std::move(second), std::move(first), std::move(ingest));
  p.run_inline();
  EXPECT_EQ(settled(main), lines_of(10));
  EXPECT_EQ(settled(side), lines_of(10));
}

}  // namespace
