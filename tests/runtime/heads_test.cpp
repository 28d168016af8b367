// The beginning of a stage: how a source is asked, and how several inputs are read.
#include <gtest/gtest.h>

#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace std::chrono_literals;

/// Writes down how it is asked.
struct asked {
  std::size_t polls = 0;
  std::size_t most_emitted = 0;
  std::size_t largest_limit = 0;
  bool ended = false;
  std::size_t polls_after_end = 0;
};
class asked_source {
 public:
  using record = int;
  asked_source(asked& to, int records) : to_(&to), records_(records) {}

  template <class Out>
  sw::source_status poll(Out& out, std::size_t limit) {
    ++to_->polls;
    to_->polls_after_end += to_->ended ? 1u : 0u;
    to_->largest_limit = std::max(to_->largest_limit, limit);
    std::size_t n = 0;
    for (; n < limit && next_ < records_ && !out.full(); ++n) out.emit(next_++);
    to_->most_emitted = std::max(to_->most_emitted, n);
    to_->ended = next_ == records_;
    return to_->ended ? sw::source_status::ended : sw::source_status::active;
  }

 private:
  asked* to_;
  int next_ = 0;
  int records_;
};

/// A pipeline whose agents a test polls itself.
class by_hand {
 public:
  template <class... Stages>
  explicit by_hand(Stages&&... stages) : p(std::forward<Stages>(stages)...) {
    for (const auto& a : p.lowered().agents()) a->start();
  }
  ~by_hand() {
    for (const auto& a : p.lowered().agents()) EXPECT_EQ(a->close(), nullptr);
  }
  by_hand(const by_hand&) = delete;
  by_hand& operator=(const by_hand&) = delete;
  sw::agent& operator[](std::size_t i) { return *p.lowered().agents()[i]; }
  sw::edge_counts edge(std::size_t i) { return p.lowered().edges()[i]->counts(); }

  sw::pipeline p;
};

TEST(source_head, a_source_is_asked_for_a_bounded_number_and_never_after_its_end) {
  asked log;
  by_hand run(sw::stage<"a">(sw::any_cpu{}, sw::source(asked_source(log, 10'000)) | sw::discard()));
  while (!run[0].finished()) run[0].do_work();
  for (int i = 0; i < 3; ++i) run[0].do_work();
  EXPECT_GT(log.largest_limit, 0u);
  EXPECT_LE(log.largest_limit, 4096u);
  EXPECT_EQ(log.polls_after_end, 0u);
  EXPECT_EQ(run[0].counts().records_in, 10'000u);
}

TEST(source_head, a_stopped_source_is_not_asked_again) {
  asked log;
  by_hand run(sw::stage<"a">(sw::any_cpu{}, sw::source(asked_source(log, 1 << 30)) | sw::discard()));
  run[0].do_work();
  EXPECT_EQ(log.polls, 1u);
  run[0].request_stop();
  while (!run[0].finished()) run[0].do_work();
  EXPECT_EQ(log.polls, 1u);
}

TEST(source_head, a_source_is_not_asked_while_a_lossless_output_is_full) {
  asked log;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(asked_source(log, 100)));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | sw::discard());
  by_hand run(std::move(a), std::move(b));
  run[0].do_work();
  EXPECT_EQ(log.most_emitted, 5u);  // four fit, the fifth went to the backlog and said so
  EXPECT_EQ(run.edge(0).left, 5u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run[0].do_work(), 0u);
  EXPECT_EQ(log.polls, 1u);
  while (!run[1].finished()) {
    run[0].do_work();
    EXPECT_LE(run.edge(0).left, 5u);
    run[1].do_work();
  }
  EXPECT_EQ(run.edge(0).consumed, 100u);
}

TEST(source_head, the_backlog_holds_no_more_than_one_input_record_makes) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(50));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 16}) | sw::flat_map<int>([](int n, auto& out) {
                                           for (int i = 0; i < 7; ++i) out(n);
                                         }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, {.capacity = 2}) | sw::discard());
  by_hand run(std::move(a), std::move(b), std::move(c));
  while (!run[2].finished()) {
    for (std::size_t i = 0; i < 3; ++i) {
      run[i].do_work();
      EXPECT_LE(run.edge(1).left, 2u + 7u);
    }
  }
  EXPECT_EQ(run.edge(1).consumed, 350u);
}

TEST(source_head, a_source_without_records_makes_idle_cycles_and_still_ends) {
  std::atomic<bool> open{false};
  by_hand run(sw::stage<"a">(sw::any_cpu{}, sw::source(gated_source(open, 0)) | sw::discard()));
  run[0].do_work();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run[0].do_work(), 0u);
  EXPECT_EQ(run[0].counts().idle_cycles, 5u);
  EXPECT_EQ(run[0].counts().duty_cycles, 6u);
  open = true;
  while (!run[0].finished()) run[0].do_work();
  EXPECT_EQ(run[0].counts().watermark, sw::timestamp::minimum());
}

class timed_source {
 public:
  using record = int;
  static constexpr bool has_timestamps = true;
  template <class Out>
  sw::source_status poll(Out& out, std::size_t) {
    out.emit(1, sw::timestamp(10));
    out.watermark(sw::timestamp(9));
    out.emit(2, sw::timestamp(5));
    out.watermark(sw::timestamp(4));  // goes back: ignored
    out.watermark(sw::timestamp(12));
    out.emit(3, sw::timestamp(20));
    return sw::source_status::ended;
  }
};

TEST(source_head, a_source_that_knows_time_gives_timestamps_and_watermarks) {
  trace here;
  trace behind;
  auto a = sw::stage<"a">(sw::any_cpu{}, sw::source(timed_source{}));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | watch(behind));
  sw::pipeline p(std::move(a), std::move(b));
  p.run_inline();
  EXPECT_EQ(behind.text(), "1@10 w9 2@5 w12 3@20");
  sw::pipeline q(sw::stage<"a">(sw::any_cpu{}, sw::source(timed_source{}) | watch(here)));
  q.run_inline();
  EXPECT_EQ(here.text(), behind.text());
}

TEST(input_head, several_inputs_are_read_in_turn) {
  std::vector<int> seen;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever() | sw::map([](int) { return 0; }));
  auto b = sw::stage<"b">(sw::any_cpu{}, count_for_ever() | sw::map([](int) { return 1; }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(a, b) | sw::sink([&](int n) { seen.push_back(n); }));
  by_hand run(std::move(a), std::move(b), std::move(c));
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < 3; ++i) run[i].do_work();
  }
  const auto ones = std::count(seen.begin(), seen.end(), 1);
  const auto zeros = std::count(seen.begin(), seen.end(), 0);
  EXPECT_GT(ones, 1000);
  EXPECT_NEAR(static_cast<double>(ones), static_cast<double>(zeros), 1200);
}

TEST(input_head, an_input_that_ended_does_not_keep_the_others_from_being_read) {
  std::uint64_t seen = 0;
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(1));
  auto b = sw::stage<"b">(sw::any_cpu{}, count_to(10'000));
  auto c = sw::stage<"c">(sw::any_cpu{},
                          sw::from(sw::edge(a, sw::drop_newest), sw::edge(b, {.capacity = 8})) | sw::sink([&](int) { ++seen; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.run_inline();
  EXPECT_EQ(seen, 10'001u);
}

inline constexpr sw::output_tag<"note", int> note{};

TEST(input_head, a_tag_is_read_from_every_stage_that_emits_it_and_a_side_from_one) {
  std::int64_t all = 0;
  std::int64_t only_b = 0;
  const auto emit_note = [](auto& ctx, int n) { ctx.output(note, n); };
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(100) | sw::process<sw::no_record>(sw::emits<note>{}, emit_note));
  auto b = sw::stage<"b">(sw::any_cpu{}, count_to(1000) | sw::process<sw::no_record>(sw::emits<note>{}, emit_note));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(note) | sw::sink([&](int) { ++all; }));
  auto d = sw::stage<"d">(sw::any_cpu{}, sw::from(b.side(note), sw::block, {.capacity = 4}) | sw::sink([&](int) { ++only_b; }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c), std::move(d));
  p.run_inline();
  EXPECT_EQ(all, 1100);
  EXPECT_EQ(only_b, 1000);
  EXPECT_EQ(p.edges().size(), 3u);
}

}  // namespace
