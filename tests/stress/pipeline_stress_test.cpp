// Pipelines of two and three threads with side outputs over small rings: every record arrives once and in order, or is counted as dropped.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "spillway/spillway.hpp"

namespace pipeline_stress {

namespace sw = spillway;

struct item {
  std::uint64_t number = 0;
  std::uint64_t check = 0;
};
constexpr std::uint64_t check_of(std::uint64_t n) { return (n + 1) * 0x9e3779b97f4a7c15u; }

struct text_item {
  std::uint64_t number = 0;
  sw::text_ref text;
};
inline sw::text_ref& text_of(text_item& t) noexcept { return t.text; }

}  // namespace pipeline_stress

namespace {

using namespace pipeline_stress;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"every third", item> thirds{};
inline constexpr sw::output_tag<"every fifth", item> fifths{};
inline constexpr sw::output_tag<"text", text_item> text{};

/// Numbered items for a while.
auto items_for(std::chrono::milliseconds duration) {
  return sw::source([n = std::uint64_t{0}, end = std::chrono::steady_clock::now() + duration]() mutable -> std::optional<item> {
    if (n % 256 == 0 && std::chrono::steady_clock::now() > end) return std::nullopt;
    const item made{n, check_of(n)};
    ++n;
    return made;
  });
}

/// Checks that items come whole and in ascending order; counts and adds them up.
struct checked {
  std::uint64_t seen = 0;
  std::uint64_t sum = 0;
  std::uint64_t wrong = 0;
  std::uint64_t next = 0;
  void operator()(const item& i) {
    if (i.check != check_of(i.number) || i.number < next) ++wrong;
    next = i.number + 1;
    ++seen;
    sum += i.number;
  }
};
auto check_into(checked& c) {
  return sw::sink([&c](const item& i) { c(i); });
}

constexpr std::uint64_t multiples(std::uint64_t n, std::uint64_t of) { return (n + of - 1) / of; }
constexpr std::uint64_t sum_of_multiples(std::uint64_t n, std::uint64_t of) {
  const std::uint64_t m = multiples(n, of);
  return m == 0 ? 0 : of * (m * (m - 1) / 2);
}

auto split() {
  return sw::process<item>(sw::emits<thirds, fifths>{}, [](auto& ctx, const item& i) {
    if (i.number % 3 == 0) ctx.output(thirds, i);
    if (i.number % 5 == 0) ctx.output(fifths, i);
    ctx.emit(i);
  });
}

void expect_all(const checked& c, std::uint64_t n, std::uint64_t of) {
  EXPECT_EQ(c.wrong, 0u);
  EXPECT_EQ(c.seen, multiples(n, of));
  EXPECT_EQ(c.sum, sum_of_multiples(n, of));
}

TEST(pipeline_stress, two_threads_with_a_side_output_that_spills_over_small_rings) {
  checked main;
  checked side;
  checked third;
  auto a = sw::stage<"a">(sw::any_cpu{}, items_for(400ms) | split() | sw::on(fifths, check_into(side)));
  auto b = sw::stage<"b">(sw::shared_thread{1}, sw::from(a, {.capacity = 8}) | check_into(main));
  auto c = sw::stage<"c">(sw::shared_thread{1},
                          sw::from(thirds, sw::spill.up_to(std::size_t{1} << 30), {.capacity = 4}) | check_into(third));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.run({.idle = sw::idle_strategy::yield});
  const std::uint64_t n = p.stages()[0].counts.records_in;
  EXPECT_GT(n, 1000u);
  expect_all(main, n, 1);
  expect_all(side, n, 5);
  expect_all(third, n, 3);
}

TEST(pipeline_stress, three_threads_with_side_outputs_that_block_and_drop) {
  checked main;
  checked blocked;
  checked dropped;
  auto a = sw::stage<"a">(sw::any_cpu{}, items_for(400ms) | split());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 16}) | check_into(main));
  auto c = sw::stage<"c">(sw::shared_thread{1}, sw::from(thirds, sw::block, {.capacity = 2}) | check_into(blocked));
  auto d = sw::stage<"d">(sw::shared_thread{1}, sw::from(fifths, sw::drop_newest, {.capacity = 2}) | check_into(dropped));
  sw::pipeline p(std::move(a), std::move(b), std::move(c), std::move(d));
  p.run({.idle = sw::idle_strategy::yield});
  const std::uint64_t n = p.stages()[0].counts.records_in;
  expect_all(main, n, 1);
  expect_all(blocked, n, 3);
  EXPECT_EQ(dropped.wrong, 0u);
  for (const auto& e : p.edges()) {
    if (e.to == "d") {
      EXPECT_EQ(e.counts.dropped_full + dropped.seen, multiples(n, 5));
    }
  }
}

TEST(pipeline_stress, three_stages_in_a_row_with_windows_and_late_records) {
  struct timed_item {
    std::uint64_t number;
    sw::timestamp at;
  };
  static constexpr sw::output_tag<"late", timed_item> late{};
  std::uint64_t in_windows = 0;
  std::uint64_t too_late = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, items_for(400ms) | sw::map([](const item& i) {
                                           const auto jump = static_cast<std::int64_t>(i.check % 16 == 0 ? 500 : i.check % 50);
                                           return timed_item{i.number, sw::timestamp(static_cast<std::int64_t>(i.number) - jump)};
                                         }) | sw::watermarks(sw::bounded_out_of_orderness(50ns), &timed_item::at));
  auto b =
      sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | sw::key_by([](const timed_item& i) { return i.number % 10; }) |
                                        sw::window(sw::tumbling(200ns), late) | sw::aggregate(sw::count()));
  auto c = sw::stage<"c">(sw::shared_thread{1},
                          sw::from(b, {.capacity = 4}) | sw::sink([&](const auto& r) { in_windows += r.value; }));
  auto d = sw::stage<"d">(sw::shared_thread{1},
                          sw::from(late, sw::block, {.capacity = 4}) | sw::sink([&](const timed_item&) { ++too_late; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c), std::move(d));
  p.run({.idle = sw::idle_strategy::yield});
  EXPECT_GT(too_late, 0u);
  EXPECT_EQ(in_windows + too_late, p.stages()[0].counts.records_in);
}

TEST(pipeline_stress, text_over_small_byte_rings) {
  std::uint64_t wrong = 0;
  std::uint64_t seen = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sent_bytes = 0;
  auto a =
      sw::stage<"a">(sw::any_cpu{}, items_for(300ms) | sw::process<text_item>(sw::emits<text>{}, [&](auto& ctx, const item& i) {
                                      const std::string line(i.check % 60, static_cast<char>('a' + i.number % 26));
                                      sent_bytes += line.size();
                                      i.number % 2 != 0 ? ctx.output(text, text_item{i.number, sw::text_ref(line)})
                                                        : ctx.emit(text_item{i.number, sw::text_ref(line)});
                                    }));
  const auto check = sw::sink([&](const text_item& t) {
    ++seen;
    bytes += t.text.size();
    if (t.text.size() != check_of(t.number) % 60) ++wrong;
    for (const char c : t.text.view()) wrong += c == static_cast<char>('a' + t.number % 26) ? 0u : 1u;
  });
  auto b = sw::stage<"b">(sw::shared_thread{1}, sw::from(a, {.text_bytes = 512}) | check);
  auto c =
      sw::stage<"c">(sw::shared_thread{1}, sw::from(text, sw::spill.up_to(std::size_t{1} << 30), {.text_bytes = 256}) | check);
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.run({.idle = sw::idle_strategy::yield});
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(seen, p.stages()[0].counts.records_in);
  EXPECT_EQ(bytes, sent_bytes);
}

TEST(pipeline_stress, pipelines_that_are_stopped_or_given_up_at_any_moment_account_for_every_record) {
  const auto begin = std::chrono::steady_clock::now();
  for (unsigned round = 0; round < 40 && std::chrono::steady_clock::now() - begin < 500ms; ++round) {
    checked main;
    checked side;
    auto a = sw::stage<"a">(sw::any_cpu{}, items_for(10s) | split() | sw::on(fifths, sw::discard()));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 2}) | check_into(main));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(thirds, sw::block, {.capacity = 2}) | check_into(side));
    sw::pipeline p(std::move(a), std::move(b), std::move(c));
    p.start({.idle = sw::idle_strategy::backoff});
    std::this_thread::sleep_for(std::chrono::microseconds(100 * (round % 30)));
    const bool stopped = round % 2 == 0;
    if (stopped) {
      p.stop();
      p.join();
    } else {
      p.abort();
    }
    const std::uint64_t n = p.stages()[0].counts.records_in;
    EXPECT_EQ(main.wrong + side.wrong, 0u);
    for (const auto& e : p.edges()) {
      EXPECT_EQ(e.counts.pushed, e.to == "b" ? n : multiples(n, 3));
      EXPECT_EQ(e.counts.consumed, e.to == "b" ? main.seen : side.seen);
      EXPECT_TRUE(e.counts.balanced());
      if (stopped) {
        EXPECT_EQ(e.counts.left, 0u);
      }
    }
  }
}

}  // namespace
