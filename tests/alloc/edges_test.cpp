// A million records over edges of each policy, with and without text, call no allocator but where growth is counted.
#include "tests/alloc/counted_run.hpp"

namespace alloc_test {

struct line {
  std::uint32_t number = 0;
  sw::text_ref text;
};
inline sw::text_ref& text_of(line& l) noexcept { return l.text; }

}  // namespace alloc_test

namespace {

using namespace alloc_test;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"copy", reading> copy{};
inline constexpr sw::output_tag<"text", line> text{};

auto copy_each() {
  return sw::process<sw::no_record>(sw::emits<copy>{}, [](auto& ctx, const reading& r) { ctx.output(copy, r); });
}

/// One side edge of a policy, on one thread or two; returns its counts.
template <class Policy>
sw::edge_counts over_an_edge(Policy policy, std::size_t capacity, bool threads, std::uint64_t most) {
  std::atomic<bool> open{!threads};
  auto source = readings();
  auto a =
      sw::stage<"a">(sw::any_cpu{}, sw::source(held_source(std::move(source.source), open)) | timed_by_reading() | copy_each());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(copy, policy, {.capacity = capacity}) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b));
  expect_counted(threads ? run_on_threads(p, open) : run_in_turn(p), most);
  const sw::edge_counts counts = p.edges()[0].counts;
  EXPECT_EQ(counts.pushed, 1'000'000u);
  EXPECT_TRUE(counts.balanced());
  return counts;
}

class alloc_edges : public ::testing::TestWithParam<bool> {};

TEST_P(alloc_edges, block) {
  const auto counts = over_an_edge(sw::block, 64, GetParam(), 1);
  EXPECT_EQ(counts.consumed, 1'000'000u);
}
TEST_P(alloc_edges, block_with_room) { over_an_edge(sw::block, 1 << 16, GetParam(), 1); }
TEST_P(alloc_edges, spill_below_its_limit) {
  const auto counts = over_an_edge(sw::spill.up_to(std::size_t{1} << 30), 64, GetParam(), 500);
  EXPECT_EQ(counts.dropped(), 0u);
  if (!GetParam()) {
    EXPECT_GT(counts.growth_events, 0u);
  }
}
TEST_P(alloc_edges, spill_above_its_limit) {
  const auto counts = over_an_edge(sw::spill.up_to(10'000), 64, GetParam(), 1);
  if (!GetParam()) {
    EXPECT_GT(counts.dropped_limit, 0u);
  }
}
TEST_P(alloc_edges, drop_newest) {
  const auto counts = over_an_edge(sw::drop_newest, 64, GetParam(), 0);
  if (!GetParam()) {
    EXPECT_GT(counts.dropped_full, 0u);
  }
}

/// Records with text over a main edge that blocks and a side edge of a policy.
template <class Policy>
void text_over_edges(Policy policy, bool threads, std::uint64_t most) {
  std::atomic<bool> open{!threads};
  std::uint64_t bytes = 0;
  auto source = readings();
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(held_source(std::move(source.source), open)) | timed_by_reading() |
                                             sw::process<line>(sw::emits<text>{}, [](auto& ctx, const reading& r) {
                                               constexpr std::string_view words =
                                                   "a line of text, of which each record takes another part";
                                               const line l{r.number, sw::text_ref(words.substr(0, r.number % words.size()))};
                                               ctx.output(text, l);
                                               ctx.emit(l);
                                             }));
  auto b = sw::stage<"b">(sw::any_cpu{},
                          sw::from(a, {.text_bytes = 1 << 16}) | sw::sink([&](const line& l) { bytes += l.text.size(); }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(text, policy, {.text_bytes = 1 << 14}) | sw::discard());
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  expect_counted(threads ? run_on_threads(p, open) : run_in_turn(p), most);
  EXPECT_GT(bytes, 20'000'000u);
  EXPECT_EQ(p.edges()[0].counts.consumed, 1'000'000u);
  EXPECT_EQ(p.edges()[1].counts.pushed, 1'000'000u);
}

TEST_P(alloc_edges, text_that_blocks) { text_over_edges(sw::block, GetParam(), 4); }
TEST_P(alloc_edges, text_that_spills) { text_over_edges(sw::spill.up_to(std::size_t{1} << 20), GetParam(), 40); }
TEST_P(alloc_edges, text_that_is_dropped) { text_over_edges(sw::drop_newest, GetParam(), 4); }

TEST_P(alloc_edges, keys_of_text_in_windows) {
  std::atomic<bool> open{!GetParam()};
  std::uint64_t seen = 0;
  auto source = readings();
  auto a = sw::stage<"a">(
      sw::any_cpu{}, sw::source(held_source(std::move(source.source), open)) | timed_by_reading() | sw::map([](const reading& r) {
                       constexpr std::string_view words = "keys that are long enough for the heap of a std::string";
                       return line{r.number, sw::text_ref(words.substr(0, 20 + r.key % 30))};
                     }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.text_bytes = 1 << 16}) | sw::key_by([](const line& l) { return l.text; }) |
                                             sw::window(sw::tumbling(1s)) | sw::aggregate(sw::count()));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, {.text_bytes = 1 << 12}) | sw::sink([&](const auto&) { ++seen; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  expect_counted(GetParam() ? run_on_threads(p, open) : run_in_turn(p), 20);
  EXPECT_GT(seen, 20'000u);
}

INSTANTIATE_TEST_SUITE_P(each_way, alloc_edges, ::testing::Bool(),
                         [](const auto& way) { return std::string(way.param ? "threads" : "in_turn"); });

}  // namespace
