#include "spillway/operators/elements.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace {

namespace sw = spillway;
using namespace std::chrono_literals;

template <class Record>
struct collected {
  std::vector<Record> records;
  std::size_t room = 1000;
  void emit(Record&& r) { records.push_back(std::move(r)); }
  bool full() const { return records.size() >= room; }
};

TEST(elements, sends_its_records_in_order_and_ends) {
  std::vector<std::string> got;
  sw::pipeline p(sw::stage<"all">(sw::any_cpu{}, sw::source(sw::elements<std::string>{"one", "two", "three"}) |
                                                     sw::sink([&](const std::string& s) { got.push_back(s); })));
  p.run_inline();
  EXPECT_EQ(got, (std::vector<std::string>{"one", "two", "three"}));
}

TEST(elements, may_be_empty) {
  sw::elements<int> none(std::vector<int>{});
  collected<int> out;
  EXPECT_EQ(none.poll(out, 10), sw::source_status::ended);
  EXPECT_TRUE(out.records.empty());
}

TEST(elements, takes_records_that_only_move_in_a_vector) {
  std::vector<std::unique_ptr<int>> given;
  given.push_back(std::make_unique<int>(1));
  given.push_back(std::make_unique<int>(2));
  sw::elements source(std::move(given));
  collected<std::unique_ptr<int>> out;
  EXPECT_EQ(source.poll(out, 10), sw::source_status::ended);
  ASSERT_EQ(out.records.size(), 2u);
  EXPECT_EQ(*out.records[1], 2);
}

TEST(elements, sends_no_more_than_it_is_asked_for_or_there_is_room_for) {
  sw::elements source{1, 2, 3, 4};
  collected<int> out{{}, 3};
  EXPECT_EQ(source.poll(out, 2), sw::source_status::active);
  EXPECT_EQ(out.records, (std::vector{1, 2}));
  EXPECT_EQ(source.poll(out, 2), sw::source_status::active);
  EXPECT_EQ(out.records, (std::vector{1, 2, 3}));
  out.room = 100;
  EXPECT_EQ(source.poll(out, 2), sw::source_status::ended);
  EXPECT_EQ(out.records, (std::vector{1, 2, 3, 4}));
}

TEST(elements, is_idle_until_a_paced_record_is_due) {
  auto source = sw::elements{1, 2}.every(1h);
  collected<int> out;
  EXPECT_EQ(source.poll(out, 10), sw::source_status::idle);
  EXPECT_EQ(source.poll(out, 10), sw::source_status::idle);
  EXPECT_EQ(out.records, (std::vector{1}));
}

TEST(elements, sends_paced_records_no_faster_than_told) {
  std::vector<std::chrono::steady_clock::time_point> at;
  const auto before = std::chrono::steady_clock::now();
  sw::pipeline p(sw::stage<"paced">(sw::any_cpu{}, sw::source(sw::elements{1, 2, 3, 4}.every(3ms)) |
                                                       sw::sink([&](int) { at.push_back(std::chrono::steady_clock::now()); })));
  p.run_inline();
  ASSERT_EQ(at.size(), 4u);
  EXPECT_GE(at[3] - before, 9ms);
}

TEST(elements, end_at_their_next_poll_when_they_were_cancelled) {
  sw::elements source{1, 2, 3};
  const sw::element_canceller canceller = source.canceller();
  collected<int> out;
  EXPECT_EQ(source.poll(out, 1), sw::source_status::active);
  canceller.cancel();
  EXPECT_EQ(source.poll(out, 10), sw::source_status::ended);
  EXPECT_EQ(out.records, (std::vector{1}));
}

TEST(elements, can_be_cancelled_from_another_thread_while_they_wait) {
  auto source = sw::elements{1, 2}.every(1h);
  const sw::element_canceller canceller = source.canceller();
  std::vector<int> got;
  sw::pipeline p(sw::stage<"waiting">(sw::any_cpu{}, sw::source(std::move(source)) | sw::sink([&](int n) { got.push_back(n); })));
  std::thread other([&] {
    std::this_thread::sleep_for(5ms);
    canceller.cancel();
  });
  p.run_inline();
  other.join();
  EXPECT_LE(got.size(), 1u);
}

}  // namespace
