// A stage with replicas: who gets which record, and that nothing but the number of threads changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "graph_fixture.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/key_by.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/source.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/time/bounded_out_of_orderness.hpp"
#include "spillway/windows/aggregates/aggregates.hpp"
#include "spillway/windows/aggregates/count.hpp"
#include "spillway/windows/aggregates/sum.hpp"
#include "spillway/windows/window.hpp"

namespace {

using namespace graph_test;
using namespace std::chrono_literals;

struct tick {
  int key = 0;
  std::int64_t value = 0;
  sw::timestamp at;
};
struct total {
  int key = 0;
  std::int64_t start = 0;
  std::uint64_t count = 0;
  std::int64_t sum = 0;
  auto operator<=>(const total&) const = default;
};
inline constexpr sw::output_tag<"late", tick> late{};
inline constexpr sw::output_tag<"odd", int> odd{};

/// Ticks of 17 keys, somewhat out of order, with some that come too late.
auto ticks(int many) {
  return sw::source([i = 0, many, state = std::uint64_t{7}]() mutable -> std::optional<tick> {
    if (i == many) return std::nullopt;
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto r = state >> 33;
    const std::int64_t back = r % 50 == 0 ? 500 : static_cast<std::int64_t>(r % 20);
    const tick t{static_cast<int>(r % 17), static_cast<std::int64_t>(r % 1000), sw::timestamp(i * 3 - back)};
    ++i;
    return t;
  });
}
auto numbers(int many) {
  return sw::source([i = 0, many]() mutable { return i < many ? std::optional(i++) : std::nullopt; });
}

struct layout {
  std::size_t replicas = 1;
  std::vector<sw::placement> places{};
  bool inline_run = false;
  std::size_t capacity = 1024;
};

struct outcome {
  std::map<int, std::vector<total>> by_key;  // each key's results in the order they came
  std::map<int, std::vector<std::int64_t>> late_by_key;
  std::vector<sw::edge_report> edges;
};

outcome windowed(const layout& l) {
  outcome out;
  auto ingest = sw::stage<"ingest">(sw::any_cpu{}, ticks(20'000) | sw::watermarks(sw::bounded_out_of_orderness(30ns), &tick::at));
  auto average = sw::stage<"average">(sw::replicas(l.replicas, l.places),
                                      sw::from(ingest, sw::partition_by(&tick::key), {.capacity = l.capacity}) |
                                          sw::key_by(&tick::key) | sw::window(sw::tumbling(100ns), {}, late) |
                                          sw::aggregate(sw::aggregates(sw::count(), sw::sum(&tick::value))));
  auto results = sw::stage<"results">(
      sw::any_cpu{}, sw::from(average, {.capacity = l.capacity}) | sw::sink([&](const auto& r) {
                       out.by_key[r.key].push_back({r.key, r.window.start.ns, std::get<0>(r.value), std::get<1>(r.value)});
                     }));
  auto tardy = sw::stage<"tardy">(sw::any_cpu{}, sw::from(late, sw::block, {.capacity = l.capacity}) |
                                                     sw::sink([&](const tick& t) { out.late_by_key[t.key].push_back(t.value); }));
  sw::pipeline p(std::move(ingest), std::move(average), std::move(results), std::move(tardy));
  l.inline_run ? p.run_inline() : p.run();
  out.edges = p.edges();
  return out;
}

TEST(partitioned_edge, gives_each_key_the_same_results_for_any_number_of_replicas_and_threads) {
  const outcome one = windowed({1});
  ASSERT_EQ(one.by_key.size(), 17u);
  ASSERT_FALSE(one.late_by_key.empty());
  const std::vector<sw::placement> two_threads = {sw::shared_thread{1}, sw::shared_thread{2}};
  for (const layout& l : {layout{1, {}, true}, layout{2}, layout{3, {}, false, 1}, layout{4}, layout{4, two_threads, false, 2},
                          layout{8, two_threads}, layout{8, {sw::shared_thread{1}}}, layout{8, {}, true, 1}}) {
    const outcome many = windowed(l);
    EXPECT_EQ(many.by_key, one.by_key) << l.replicas;
    EXPECT_EQ(many.late_by_key, one.late_by_key) << l.replicas;
    for (const auto& e : many.edges) {
      EXPECT_TRUE(e.counts.balanced());
      EXPECT_EQ(e.counts.left, 0u) << e.from << e.to;
    }
  }
}

TEST(partitioned_edge, has_a_ring_for_each_replica_and_names_them_by_number) {
  const outcome out = windowed({3});
  std::set<std::string> readers;
  std::set<std::string> emitters;
  std::uint64_t records = 0;
  for (const auto& e : out.edges) {
    if (e.from == "ingest") {
      readers.insert(e.to);
      records += e.counts.consumed;
      EXPECT_GT(e.counts.consumed, 0u);
    }
    if (e.to == "results") emitters.insert(e.from);
  }
  EXPECT_EQ(readers, (std::set<std::string>{"average[0]", "average[1]", "average[2]"}));
  EXPECT_EQ(emitters, readers);
  EXPECT_EQ(records, 20'000u);
}

TEST(partitioned_edge, sends_all_records_of_a_text_key_to_one_replica) {
  struct named {
    sw::fixed_string<15> name;
  };
  std::mutex mutex;
  std::map<std::string, std::set<const void*>> who;
  auto a = sw::stage<"a">(sw::any_cpu{},
                          numbers(3000) | sw::map([](int n) { return named{sw::fixed_string<15>(std::to_string(n % 40))}; }));
  auto b = sw::stage<"b">(sw::replicas(4), sw::from(a, sw::partition_by([](const named& n) { return n.name.view(); })) |
                                               sw::sink([&, self = std::make_shared<int>(0)](const named& n) mutable {
                                                 if (self.use_count() > 1)
                                                   self = std::make_shared<int>(0);  // one of its own for each copy
                                                 const std::lock_guard lock(mutex);
                                                 who[std::string(n.name.view())].insert(self.get());
                                               }));
  sw::pipeline p(std::move(a), std::move(b));
  p.run();
  EXPECT_EQ(who.size(), 40u);
  std::set<const void*> all;
  for (const auto& [name, replicas] : who) {
    EXPECT_EQ(replicas.size(), 1u) << name;
    all.insert(replicas.begin(), replicas.end());
  }
  EXPECT_EQ(all.size(), 4u);
}

TEST(partitioned_edge, round_robin_gives_each_replica_its_turn) {
  std::atomic<int> sum{0};
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers(4003));
  auto b = sw::stage<"b">(sw::replicas(4), sw::from(a, sw::round_robin, {.capacity = 8}) | sw::sink([&](int n) { sum += n; }));
  sw::pipeline p(std::move(a), std::move(b));
  p.run();
  EXPECT_EQ(sum, 4003 * 4002 / 2);
  std::vector<std::uint64_t> shares;
  for (const auto& e : p.edges()) shares.push_back(e.counts.consumed);
  EXPECT_EQ(shares, (std::vector<std::uint64_t>{1001, 1001, 1001, 1000}));
}

TEST(partitioned_edge, stands_beside_a_reader_that_gets_every_record) {
  std::atomic<int> shared{0};
  int alone = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers(5000));
  auto b = sw::stage<"b">(sw::replicas(3), sw::from(a, sw::round_robin, {.capacity = 4}) | sw::sink([&](int n) { shared += n; }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | sw::sink([&](int n) { alone += n; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.run();
  EXPECT_EQ(shared, 5000 * 4999 / 2);
  EXPECT_EQ(alone, 5000 * 4999 / 2);
}

TEST(partitioned_edge, carries_records_that_cannot_be_copied) {
  std::atomic<int> sum{0};
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers(100) | sw::map([](int n) { return std::make_unique<int>(n); }));
  auto b = sw::stage<"b">(sw::replicas(2), sw::from(a, sw::partition_by([](const std::unique_ptr<int>& n) { return *n; })) |
                                               sw::sink([&](std::unique_ptr<int> n) { sum += *n; }));
  sw::pipeline p(std::move(a), std::move(b));
  p.run();
  EXPECT_EQ(sum, 99 * 100 / 2);
}

TEST(partitioned_edge, of_a_tag_spreads_a_side_output_and_drains_all_replicas_that_emit_one) {
  std::atomic<int> sum{0};
  std::atomic<int> odd_sum{0};
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers(6000));
  auto b =
      sw::stage<"b">(sw::replicas(3), sw::from(a, sw::round_robin) | sw::process<int>(sw::emits<odd>{}, [](auto& ctx, int n) {
                                        ctx.emit(n);
                                        if (n % 2) ctx.output(odd, n);
                                      }) | sw::sink([&](int n) { sum += n; }));
  auto c = sw::stage<"c">(sw::replicas(2), sw::from(odd, sw::partition_by([](int n) { return n; }), sw::block, {.capacity = 2}) |
                                               sw::sink([&](int n) { odd_sum += n; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.run();
  EXPECT_EQ(sum, 6000 * 5999 / 2);
  EXPECT_EQ(odd_sum, 3000 * 3000);
  EXPECT_EQ(p.edges().size(), 3u + 6u);
}

TEST(partitioned_edge, carries_the_watermark_to_every_replica_those_without_records_too) {
  lines log;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(script{}.number(1, 10).watermark(9).number(1, 20).watermark(19)));
  auto b = sw::stage<"b">(sw::replicas(3),
                          sw::from(a, sw::partition_by([](int n) { return n; })) | sw::filter([](int) { return true; }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b) | trace(log));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.run_inline();
  EXPECT_EQ(std::count(log.begin(), log.end(), "1@10"), 1);
  EXPECT_EQ(std::count(log.begin(), log.end(), "1@20"), 1);
  EXPECT_EQ(std::count(log.begin(), log.end(), "wm max"), 1);
  EXPECT_EQ(log.back(), "end");
}

TEST(partitioned_edge, an_error_names_the_replica) {
  auto a = sw::stage<"a">(sw::any_cpu{}, numbers(100));
  auto b = sw::stage<"b">(sw::replicas(2), sw::from(a, sw::round_robin) | sw::sink([](int n) {
                                             if (n == 41) throw std::runtime_error("no");
                                           }));
  sw::pipeline p(std::move(a), std::move(b));
  try {
    p.run();
    FAIL();
  } catch (const sw::pipeline_error& e) {
    EXPECT_EQ(e.stage(), "b[1]");
  }
}

TEST(replicas, are_at_least_one) { EXPECT_THROW(sw::replicas(0), std::invalid_argument); }

TEST(replicas, take_their_places_in_turn) {
  const sw::replicas r(3, {sw::shared_thread{5}, sw::any_cpu{}});
  EXPECT_EQ(r.place(0).thread, 5);
  EXPECT_EQ(r.place(1).thread, -1);
  EXPECT_EQ(r.place(2).thread, 5);
}

}  // namespace
