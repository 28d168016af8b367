#include "spillway/operators/source.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

#include "operator_fixture.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace {

using namespace operator_test;

/// What came out of a stage that consists of `source`.
template <class Source>
lines run_source(Source source) {
  lines log;
  sw::pipeline p(sw::stage<"ingest">(sw::any_cpu{}, sw::source(std::move(source)) | trace(log)));
  p.run_inline();
  return log;
}

struct polled {
  using record = int;
  lines* calls;
  int left = 3;

  void open(sw::stage_context& stage) { calls->push_back("open " + std::string(stage.name())); }
  void close() { calls->push_back("close"); }
  template <class Out>
  sw::source_status poll(Out& out, std::size_t limit) {
    calls->push_back(limit > 0 && !out.full() ? "poll" : "poll for nothing");
    if (left == 0) return sw::source_status::ended;
    out.emit(left--);
    return left == 1 ? sw::source_status::idle : sw::source_status::active;
  }
};

struct timed_source {
  using record = int;
  static constexpr bool has_timestamps = true;

  template <class Out>
  sw::source_status poll(Out& out, std::size_t) {
    out.emit(1, sw::timestamp{10});
    out.watermark(sw::timestamp{9});
    out.watermark(sw::timestamp{5});
    out.emit(2, sw::timestamp{12});
    out.emit(3);
    out.watermark(sw::timestamp{9});
    return sw::source_status::ended;
  }
};

TEST(source, takes_a_function_that_ends_with_an_empty_optional) {
  EXPECT_EQ(run_source([n = 0]() mutable { return n < 3 ? std::optional(n++) : std::nullopt; }),
            (lines{"0@none", "1@none", "2@none", "wm max", "end"}));
}

TEST(source, sends_records_that_only_move) {
  EXPECT_EQ(run_source([n = 0]() mutable -> std::optional<std::unique_ptr<int>> {
              if (n == 2) return std::nullopt;
              return std::make_unique<int>(n++);
            }),
            (lines{"*0@none", "*1@none", "wm max", "end"}));
}

TEST(source, sends_more_records_than_fit_in_one_duty_cycle) {
  const lines all = run_source([n = 0]() mutable { return n < 1000 ? std::optional(n++) : std::nullopt; });
  EXPECT_EQ(all.size(), 1002u);
  EXPECT_EQ(all.at(999), "999@none");
}

TEST(source, as_an_object_is_opened_polled_until_it_ends_and_closed_once) {
  lines calls;
  EXPECT_EQ(run_source(polled{&calls}), (lines{"3@none", "2@none", "1@none", "wm max", "end"}));
  EXPECT_EQ(calls, (lines{"open ingest", "poll", "poll", "poll", "poll", "close"}));
}

TEST(source, may_know_the_time_of_its_records_and_its_watermarks_never_go_back) {
  EXPECT_EQ(run_source(timed_source{}), (lines{"1@10", "wm 9", "2@12", "3@none", "wm max", "end"}));
}

TEST(source, is_not_asked_after_a_stop) {
  lines calls;
  lines log;
  sw::pipeline p(sw::stage<"ingest">(sw::any_cpu{}, sw::source(polled{&calls}) | trace(log)));
  p.stop();
  p.run_inline();
  EXPECT_EQ(log, (lines{"wm max", "end"}));
  EXPECT_EQ(calls, (lines{"open ingest", "close"}));
}

TEST(source, that_throws_is_named_in_the_error) {
  lines log;
  sw::pipeline p(sw::stage<"ingest">(sw::any_cpu{}, sw::source([n = 0]() mutable {
                                                      if (n == 2) throw std::runtime_error("no more input");
                                                      return std::optional(n++);
                                                    }) | trace(log)));
  try {
    p.run_inline();
    FAIL() << "no error";
  } catch (const sw::pipeline_error& e) {
    EXPECT_EQ(e.stage(), "ingest");
    EXPECT_EQ(e.operator_kind(), "source");
    EXPECT_EQ(e.operator_position(), 0);
    EXPECT_NE(std::string(e.what()).find("no more input"), std::string::npos) << e.what();
  }
  EXPECT_EQ(log, (lines{"0@none", "1@none"}));
}

}  // namespace
