#include "spillway/operators/sink.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>

#include "operator_fixture.hpp"

namespace {

using namespace operator_test;

struct writer {
  lines* calls;
  void open() { calls->push_back("open"); }
  void write(int n) { calls->push_back(std::to_string(n)); }
  void flush() { calls->push_back("flush"); }
  void close() { calls->push_back("close"); }
};

TEST(sink, hands_each_record_to_its_function_in_order) {
  std::vector<int> got;
  auto chain = chain_of<int>(sw::sink([&](int n) { got.push_back(n); }));
  chain.give(1, 10).give(3, 30).give(2, 20).end();
  EXPECT_EQ(got, (std::vector{1, 3, 2}));
}

TEST(sink, hands_the_timestamp_to_a_function_that_takes_it) {
  lines got;
  auto chain = chain_of<int>(sw::sink([&](int n, sw::timestamp t) { got.push_back(show(n) + "@" + show_time(t)); }));
  chain.give(1, 10).give_untimed(2);
  EXPECT_EQ(got, (lines{"1@10", "2@none"}));
}

TEST(sink, opens_writes_flushes_and_closes_an_object) {
  lines calls;
  {
    auto chain = chain_of<int>(sw::sink(writer{&calls}));
    chain.give(1, 10).idle().give(2, 20);
    chain.close();
  }
  EXPECT_EQ(calls, (lines{"open", "1", "flush", "2", "close"}));
}

TEST(sink, writes_to_an_object_that_lives_elsewhere) {
  lines calls;
  writer target{&calls};
  {
    auto chain = chain_of<int>(sw::sink(std::ref(target)));
    chain.give(1, 10).idle();
  }
  EXPECT_EQ(calls, (lines{"open", "1", "flush", "close"}));

  int total = 0;
  auto add = [&total](int n) { total += n; };
  auto chain = chain_of<int>(sw::sink(std::ref(add)));
  chain.give(5, 1);
  EXPECT_EQ(total, 5);
}

TEST(sink, moves_records_into_its_function_without_a_copy) {
  std::vector<std::unique_ptr<int>> got;
  auto chain = chain_of<std::unique_ptr<int>>(sw::sink([&](std::unique_ptr<int> p) { got.push_back(std::move(p)); }));
  chain.give(std::make_unique<int>(4), 1);
  EXPECT_EQ(*got.at(0), 4);

  int copies = -1;
  auto counting = chain_of<counted>(sw::sink([&](counted c) { copies = c.copies; }));
  counting.give(counted(1), 1);
  EXPECT_EQ(copies, 0);
}

TEST(sink, takes_member_functions_of_the_record) {
  struct task {
    int* runs;
    void run() { ++*runs; }
  };
  int runs = 0;
  auto chain = chain_of<task>(sw::sink(&task::run));
  chain.give(task{&runs}, 1);
  EXPECT_EQ(runs, 1);
}

TEST(sink, lets_an_exception_out_and_notes_where_it_came_from) {
  auto chain = chain_of<int>(sw::sink([](int) { throw std::runtime_error("full"); }));
  EXPECT_THROW(chain.give(1, 1), std::runtime_error);
  EXPECT_EQ(chain.stage().failed_kind(), "sink");
  EXPECT_EQ(chain.stage().failed_position(), 1);
}

TEST(sink, discard_takes_any_record) {
  auto chain = chain_of<std::unique_ptr<int>>(sw::discard());
  chain.give(std::make_unique<int>(4), 1).end();
  EXPECT_EQ(chain.take(), lines{});
}

}  // namespace
