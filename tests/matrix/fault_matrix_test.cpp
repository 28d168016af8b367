// Every overflow policy with every kind of side consumer, placed in every way: what the main path does meanwhile, how the pipeline ends, and that each
// record is accounted for.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "spillway/spillway.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace std::chrono_literals;

enum class policy { block, spill, drop_newest, overwrite_oldest, conflate };
enum class consumer { live, slow, stopped, dies, stops_the_pipeline };
enum class place { one_thread, two_threads, polled_by_host };

struct matrix_case {
  policy with;
  consumer who;
  place where;
};

std::string name_of(const matrix_case& c) {
  static constexpr const char* policies[] = {"block", "spill", "drop_newest", "overwrite_oldest", "conflate"};
  static constexpr const char* consumers[] = {"live", "slow", "stopped", "dies", "stops_the_pipeline"};
  static constexpr const char* places[] = {"one_thread", "two_threads", "polled_by_host"};
  return std::string(policies[static_cast<int>(c.with)]) + "__" + consumers[static_cast<int>(c.who)] + "__" +
         places[static_cast<int>(c.where)];
}

struct item {
  int key = 0;
  int number = 0;
};
inline constexpr sw::output_tag<"side", item> side{};

constexpr int records = 2000;
constexpr int fatal = 20;  // the record at which a consumer dies or stops the pipeline
constexpr long expected_sum = long{records} * (records - 1) / 2;

/// What the main path and the side consumer have done so far.
struct outcome {
  std::atomic<long> main_sum{0};
  std::atomic<int> main_records{0};
  std::atomic<int> taken{0};
  std::atomic<int> closed{0};
  std::atomic<bool> open{false};  // a stopped consumer goes on
  std::atomic<sw::pipeline*> running{nullptr};
};

/// The side consumer, as its kind behaves.
struct side_sink {
  outcome* out;
  consumer who;
  bool may_wait;  // in a thread of its own

  void write(const item&) {
    const int n = ++out->taken;
    if (who == consumer::slow && n % 8 == 0) std::this_thread::sleep_for(20us);
    if (who == consumer::stopped && may_wait) {
      while (!out->open) std::this_thread::sleep_for(100us);
    }
    if (who == consumer::dies && n == fatal) throw std::runtime_error("the disk is full");
    if (who == consumer::stops_the_pipeline && n == fatal) out->running.load()->stop();
  }
  void close() { ++out->closed; }
};

/// Numbers without end where the consumer is to end the pipeline, else `records` of them.
auto numbers(bool endless) {
  return sw::source([i = 0, endless]() mutable { return endless || i < records ? std::optional(i++) : std::nullopt; });
}

template <class Policy>
sw::pipeline make_pipeline(const matrix_case& c, outcome& out, Policy policy) {
  const bool endless = c.who == consumer::stops_the_pipeline || c.who == consumer::dies;
  auto main = sw::stage<"main">(sw::any_cpu{}, numbers(endless) | sw::process<int>(sw::emits<side>{}, [](auto& ctx, int n) {
                                                 ctx.output(side, item{n % 4, n});
                                                 ctx.emit(n);
                                               }) | sw::sink([&out](int n) {
                                                 out.main_sum += n;
                                                 ++out.main_records;
                                               }));
  const sw::placement where = c.where == place::polled_by_host ? sw::placement(sw::host_polled{}) : sw::placement(sw::any_cpu{});
  auto aside = sw::stage<"aside">(
      where, sw::from(side, policy, {.capacity = 8}) | sw::sink(side_sink{&out, c.who, c.where == place::two_threads}));
  return sw::pipeline(std::move(main), std::move(aside));
}

sw::pipeline make_pipeline(const matrix_case& c, outcome& out) {
  switch (c.with) {
    case policy::block:
      return make_pipeline(c, out, sw::block);
    case policy::spill:
      return make_pipeline(c, out, sw::spill.up_to(4000));  // some 200 records: the limit is met
    case policy::drop_newest:
      return make_pipeline(c, out, sw::drop_newest);
    case policy::overwrite_oldest:
      return make_pipeline(c, out, sw::overwrite_oldest);
    case policy::conflate:
      return make_pipeline(c, out, sw::conflate(&item::key));
  }
  throw std::logic_error("no such policy");
}

class fault_matrix : public ::testing::TestWithParam<matrix_case> {
 protected:
  bool side_is_held_back() const { return GetParam().who == consumer::stopped && GetParam().where != place::one_thread; }

  /// Lets the host poll the side stage to its end, as soon as it may.
  void poll_side(sw::pipeline& p, outcome& out) {
    if (GetParam().where != place::polled_by_host) return;
    sw::polled_agent& aside = p.polled("aside");
    eventually([&] { return !side_is_held_back() || out.open.load(); });
    sw::idler idle(sw::idle_strategy::backoff);
    while (!aside.done()) idle(aside.poll());
  }

  /// While the consumer is held back: the main path goes on to its end, unless its policy is to wait.
  void watch_main_path(const sw::pipeline& p, outcome& out) {
    if (!side_is_held_back()) return;
    if (GetParam().with == policy::block) {
      EXPECT_TRUE(eventually([&] { return p.edges()[0].counts.left >= 8; }));
      EXPECT_LT(out.main_records, records);
    } else {
      EXPECT_TRUE(eventually([&] { return out.main_records == records; }));
      EXPECT_EQ(out.main_sum, expected_sum);
    }
    out.open = true;
  }

  void check_account(const sw::pipeline& p, const outcome& out, bool failed) {
    const sw::edge_counts c = p.edges()[0].counts;
    EXPECT_TRUE(c.balanced()) << c.pushed << " pushed, " << c.consumed << " consumed, " << c.left << " left";
    EXPECT_EQ(c.consumed, static_cast<std::uint64_t>(out.taken));
    if (!failed) {
      EXPECT_EQ(c.pushed, static_cast<std::uint64_t>(out.main_records));
      EXPECT_EQ(c.left, 0u);
    }
    if (GetParam().with == policy::block) {
      EXPECT_EQ(c.dropped() + c.conflated, 0u);
    } else {
      EXPECT_EQ(c.blocked_ns, 0u);
    }
  }
};

TEST_P(fault_matrix, ends_as_it_should_and_accounts_for_every_record) {
  const matrix_case& c = GetParam();
  const std::size_t threads = thread_names().size();
  outcome out;
  sw::pipeline p = make_pipeline(c, out);
  out.running = &p;
  bool failed = false;
  p.start({.one_thread = c.where == place::one_thread});
  std::thread host([&] { poll_side(p, out); });
  watch_main_path(p, out);
  host.join();
  try {
    p.join();
  } catch (const sw::pipeline_error& e) {
    failed = true;
    EXPECT_EQ(e.stage(), "aside");
    EXPECT_EQ(e.operator_kind(), "sink");
    EXPECT_NE(std::string(e.what()).find("the disk is full"), std::string::npos);
  }
  EXPECT_EQ(failed, c.who == consumer::dies);
  if (c.who == consumer::live || c.who == consumer::slow || c.who == consumer::stopped) {
    EXPECT_EQ(out.main_sum, expected_sum);
  }
  EXPECT_EQ(out.closed, 1);
  check_account(p, out, failed);
  EXPECT_TRUE(threads_settle_at(threads));
}

std::vector<matrix_case> all_cases() {
  std::vector<matrix_case> all;
  for (const policy with : {policy::block, policy::spill, policy::drop_newest, policy::overwrite_oldest, policy::conflate}) {
    for (const consumer who : {consumer::live, consumer::slow, consumer::stopped, consumer::dies, consumer::stops_the_pipeline}) {
      for (const place where : {place::one_thread, place::two_threads, place::polled_by_host}) all.push_back({with, who, where});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(all, fault_matrix, ::testing::ValuesIn(all_cases()),
                         [](const auto& test) { return name_of(test.param); });

}  // namespace
