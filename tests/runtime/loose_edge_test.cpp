// Edges that keep the latest: records take the place of older ones, and what the reader missed is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "tests/runtime/edge_fixture.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace edge_test;
using pipeline_test::eventually;

struct quote {
  int symbol = 0;
  int price = 0;
};
[[maybe_unused]] std::string show(const quote& q) { return std::to_string(q.symbol) + ":" + std::to_string(q.price); }

/// An edge whose policy keeps records elsewhere than in its ring.
template <class Stream, class Policy>
class loose_bench {
 public:
  using edge_type = sw::edge_of<Stream>;
  using slot = typename edge_type::slot;

  explicit loose_bench(Policy policy, sw::edge_options options)
      : edge("emit", "tag", "read", policy.lowered(), options, &hook, sw::make_loose_storage<Stream>(policy, options)) {
    edge.open_writer();
    edge.open_reader();
  }
  ~loose_bench() {
    edge.close_writer();
    edge.close_reader();
  }

  void push(slot s) { edge.push(edge.writer(), std::move(s)); }
  void watermark(std::int64_t ns) { edge.watermark(edge.writer(), sw::timestamp(ns)); }
  void flush() { edge.writer() = edge.flush(edge.writer()); }
  void end() { edge.end(edge.writer()); }
  template <class Show>
  std::string read_as(Show&& show_slot, std::size_t limit = 1000) {
    flush();
    std::string out;
    edge.poll(
        limit, [&](slot& s) { out += (out.empty() ? "" : " ") + show_slot(s); },
        [&](const sw::marker& m) {
          out +=
              std::string(out.empty() ? "" : " ") + (m.kind == sw::marker_kind::end ? "end" : "w" + std::to_string(m.value.ns));
        },
        [] { return false; });
    return out;
  }
  std::string read(std::size_t limit = 1000) {
    return read_as([](slot& s) { return edge_test::show(s); }, limit);
  }

  std::vector<std::string> reports;
  sw::report_hook hook = [this](std::string_view text) { reports.emplace_back(text); };
  edge_type edge;
};

using newest = loose_bench<stamped, sw::overwrite_oldest_policy>;

TEST(overwriting_edge, gives_every_record_to_a_reader_that_keeps_up) {
  newest e(sw::overwrite_oldest, {.capacity = 4});
  for (int i = 0; i < 10; ++i) {
    e.push({i, sw::timestamp(i)});
    EXPECT_EQ(e.read(), std::to_string(i) + "@" + std::to_string(i));
  }
  EXPECT_EQ(e.edge.counts().overwritten, 0u);
  EXPECT_TRUE(e.reports.empty());
}

TEST(overwriting_edge, keeps_the_latest_and_counts_exactly_what_the_reader_missed) {
  newest e(sw::overwrite_oldest, {.capacity = 8});
  for (int i = 0; i < 100; ++i) e.push({i, sw::timestamp(i)});
  std::string out = e.read();
  EXPECT_TRUE(out.ends_with("98@98 99@99")) << out;
  const sw::edge_counts c = e.edge.counts();
  EXPECT_EQ(c.pushed, 100u);
  EXPECT_EQ(c.left, 0u);
  EXPECT_EQ(c.consumed + c.overwritten, 100u);
  EXPECT_GE(c.consumed, 1u);
  EXPECT_LE(c.consumed, 8u);
  EXPECT_TRUE(c.balanced());
}

TEST(overwriting_edge, never_holds_the_emitting_stage) {
  newest e(sw::overwrite_oldest, {.capacity = 1});
  for (int i = 0; i < 10'000; ++i) {
    e.push({i, sw::timestamp(i)});
    EXPECT_FALSE(e.edge.writer().held);
  }
  e.flush();
  EXPECT_TRUE(e.edge.delivered());
}

TEST(overwriting_edge, reports_the_first_loss_once) {
  newest e(sw::overwrite_oldest, {.capacity = 2});
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) e.push({i, sw::timestamp(i)});
    e.read();
  }
  ASSERT_EQ(e.reports.size(), 1u);
  EXPECT_NE(e.reports[0].find("'emit.tag' -> 'read'"), std::string::npos);
  EXPECT_NE(e.reports[0].find("overwritten"), std::string::npos);
}

TEST(overwriting_edge, gives_a_watermark_before_the_records_behind_it_also_when_those_around_it_are_gone) {
  newest e(sw::overwrite_oldest, {.capacity = 4});
  e.push({1, sw::timestamp(1)});
  e.watermark(1);
  for (int i = 2; i < 50; ++i) e.push({i, sw::timestamp(i)});
  e.watermark(49);
  e.flush();
  const std::string out = e.read();
  EXPECT_TRUE(out.starts_with("w1 ")) << out;
  EXPECT_TRUE(out.ends_with("49@49 w49")) << out;
}

TEST(overwriting_edge, ends_after_the_last_record) {
  newest e(sw::overwrite_oldest, {.capacity = 4});
  e.push({7, sw::timestamp(7)});
  e.watermark(10);
  e.end();
  EXPECT_EQ(e.read(), "7@7 w10 end");
}

TEST(overwriting_edge, stops_between_two_records_and_goes_on_with_the_next) {
  newest e(sw::overwrite_oldest, {.capacity = 8});
  for (int i = 0; i < 4; ++i) e.push({i, sw::timestamp(i)});
  EXPECT_EQ(e.read(2), "0@0 1@1");
  EXPECT_EQ(e.read(), "2@2 3@3");
}

struct named {
  sw::text_ref text;
  int number = 0;
};
sw::text_ref& text_of(named& n) { return n.text; }
using text_stream = sw::stream<named, sw::no_key, sw::timed>;
[[maybe_unused]] std::string show_named(sw::stamped<named>& s) {
  return std::string(s.record.text.view()) + "#" + std::to_string(s.record.number);
}

TEST(overwriting_edge, takes_text_along) {
  loose_bench<text_stream, sw::overwrite_oldest_policy> e(sw::overwrite_oldest, {.text_bytes = 4096});
  for (int i = 0; i < 3; ++i) {
    std::string text(static_cast<std::size_t>(10 * i), 'x');
    e.push({{sw::text_ref(text), i}, sw::timestamp(i)});
    text.assign(text.size(), '?');
  }
  EXPECT_EQ(e.read_as(show_named), "#0 xxxxxxxxxx#1 xxxxxxxxxxxxxxxxxxxx#2");
}

TEST(overwriting_edge, counts_lost_and_oversized_text) {
  loose_bench<text_stream, sw::overwrite_oldest_policy> e(sw::overwrite_oldest, {.text_bytes = 4096});
  const std::string large(100'000, 'x');
  const std::string small(100, 'y');
  e.push({{sw::text_ref(large), -1}, sw::timestamp(0)});
  for (int i = 0; i < 1000; ++i) e.push({{sw::text_ref(small), i}, sw::timestamp(i)});
  const std::string out = e.read_as(show_named);
  EXPECT_TRUE(out.ends_with(small + "#999"));
  const sw::edge_counts c = e.edge.counts();
  EXPECT_EQ(c.pushed, 1001u);
  EXPECT_EQ(c.dropped_oversize, 1u);
  EXPECT_EQ(c.left, 0u);
  EXPECT_GT(c.overwritten, 900u);
  EXPECT_TRUE(c.balanced());
}

using quotes = sw::stream<quote, sw::no_key, sw::timed>;
auto by_symbol() { return sw::conflate(&quote::symbol); }
using conflating = loose_bench<quotes, decltype(by_symbol())>;
std::string show_quote(sw::stamped<quote>& s) { return show(s.record) + "@" + std::to_string(s.at.ns); }

TEST(conflating_edge, gives_the_latest_of_each_key_once_in_the_order_of_first_change) {
  conflating e(by_symbol(), {.capacity = 8});
  e.push({{3, 10}, sw::timestamp(1)});
  e.push({{1, 20}, sw::timestamp(2)});
  e.push({{3, 11}, sw::timestamp(3)});
  e.push({{2, 30}, sw::timestamp(4)});
  e.push({{3, 12}, sw::timestamp(5)});
  EXPECT_EQ(e.read_as(show_quote), "3:12@5 1:20@2 2:30@4");
  EXPECT_EQ(e.read_as(show_quote), "");
  e.push({{1, 21}, sw::timestamp(6)});
  EXPECT_EQ(e.read_as(show_quote), "1:21@6");
  const sw::edge_counts c = e.edge.counts();
  EXPECT_EQ(c.pushed, 6u);
  EXPECT_EQ(c.consumed, 4u);
  EXPECT_EQ(c.conflated, 2u);
  EXPECT_EQ(c.dropped(), 0u);
  EXPECT_TRUE(c.balanced());
  EXPECT_TRUE(e.reports.empty());
}

TEST(conflating_edge, puts_a_watermark_behind_the_keys_that_changed_before_it) {
  conflating e(by_symbol(), {.capacity = 8});
  e.push({{1, 10}, sw::timestamp(1)});
  e.watermark(1);
  e.push({{2, 20}, sw::timestamp(2)});
  e.push({{1, 11}, sw::timestamp(3)});
  e.watermark(3);
  e.end();
  EXPECT_EQ(e.read_as(show_quote), "1:11@3 w1 2:20@2 w3 end");
}

TEST(conflating_edge, drops_and_counts_records_of_keys_beyond_its_capacity) {
  conflating e(by_symbol(), {.capacity = 2});
  for (int symbol : {1, 2, 3, 1, 3}) e.push({{symbol, symbol}, sw::timestamp(symbol)});
  EXPECT_EQ(e.read_as(show_quote), "1:1@1 2:2@2");
  const sw::edge_counts c = e.edge.counts();
  EXPECT_EQ(c.pushed, 5u);
  EXPECT_EQ(c.dropped_limit, 2u);
  EXPECT_EQ(c.conflated, 1u);
  EXPECT_TRUE(c.balanced());
  ASSERT_EQ(e.reports.size(), 1u);
  EXPECT_NE(e.reports[0].find("raise the capacity"), std::string::npos);
}

inline constexpr sw::output_tag<"price", quote> price{};

/// Emits `many` quotes of `symbols` symbols whose prices rise.
auto quotes_of(int many, int symbols) {
  return sw::source([i = 0, many]() mutable { return i < many ? std::optional(i++) : std::nullopt; }) |
         sw::process<sw::no_record>(sw::emits<price>{},
                                    [symbols](auto& ctx, int n) { ctx.output(price, quote{n % symbols, n}); });
}

TEST(conflating_edge, under_threads_shows_prices_that_rise_and_the_last_of_each_symbol) {
  std::map<int, std::vector<int>> seen;
  auto a = sw::stage<"a">(sw::any_cpu{}, quotes_of(200'000, 10));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(price, sw::conflate(&quote::symbol), {.capacity = 16}) |
                                             sw::sink([&](const quote& q) { seen[q.symbol].push_back(q.price); }));
  sw::pipeline p(std::move(a), std::move(b));
  p.run();
  ASSERT_EQ(seen.size(), 10u);
  std::uint64_t shown = 0;
  for (const auto& [symbol, prices] : seen) {
    EXPECT_TRUE(std::is_sorted(prices.begin(), prices.end()));
    EXPECT_EQ(std::set<int>(prices.begin(), prices.end()).size(), prices.size());
    EXPECT_EQ(prices.back(), 199'990 + symbol);
    shown += prices.size();
  }
  const sw::edge_counts c = p.edges()[0].counts;
  EXPECT_EQ(c.pushed, 200'000u);
  EXPECT_EQ(c.consumed, shown);
  EXPECT_EQ(c.left, 0u);
  EXPECT_TRUE(c.balanced());
}

TEST(overwriting_edge, under_threads_shows_a_rising_part_of_the_records_and_the_last) {
  std::vector<int> seen;
  auto a = sw::stage<"a">(sw::any_cpu{}, quotes_of(200'000, 1));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(price, sw::overwrite_oldest, {.capacity = 64}) |
                                             sw::sink([&](const quote& q) { seen.push_back(q.price); }));
  sw::pipeline p(std::move(a), std::move(b));
  p.run();
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 199'999);
  const sw::edge_counts c = p.edges()[0].counts;
  EXPECT_EQ(c.pushed, 200'000u);
  EXPECT_EQ(c.consumed, seen.size());
  EXPECT_EQ(c.left, 0u);
  EXPECT_TRUE(c.balanced());
}

TEST(overwriting_edge, beside_another_reader_of_the_tag_disturbs_it_not) {
  std::vector<int> all;
  auto a = sw::stage<"a">(sw::any_cpu{}, quotes_of(20'000, 1));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(price, sw::overwrite_oldest, {.capacity = 2}) | sw::discard());
  auto c = sw::stage<"c">(
      sw::any_cpu{}, sw::from(price, sw::block, {.capacity = 8}) | sw::sink([&](const quote& q) { all.push_back(q.price); }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.run();
  ASSERT_EQ(all.size(), 20'000u);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], i);
}

TEST(any_policy, refuses_to_overwrite_records_that_are_not_trivially_copyable) {
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source([] { return std::optional<std::string>(); }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, sw::any_policy{sw::overwrite_oldest.lowered()}) | sw::discard());
  EXPECT_THROW(sw::pipeline(std::move(a), std::move(b)), std::invalid_argument);
}

TEST(any_policy, refuses_to_conflate_without_a_key) {
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source([] { return std::optional<int>(); }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, sw::any_policy{{.kind = sw::overflow::conflate}}) | sw::discard());
  EXPECT_THROW(sw::pipeline(std::move(a), std::move(b)), std::invalid_argument);
}

}  // namespace
