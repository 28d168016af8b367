#include "spillway/operators/print.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "operator_fixture.hpp"
#include "spillway/operators/elements.hpp"
#include "spillway/runtime/pipeline.hpp"

namespace {

using namespace operator_test;

TEST(print, writes_each_record_behind_its_label_on_a_line_of_its_own) {
  std::ostringstream out;
  sw::pipeline p(sw::stage<"averages">(sw::any_cpu{}, sw::source(sw::elements{35.7, 37.0}) | sw::print("average", out)));
  p.run_inline();
  EXPECT_EQ(out.str(), "average> 35.7\naverage> 37\n");
}

TEST(print, without_a_label_writes_the_record_alone) {
  std::ostringstream out;
  auto chain = chain_of<std::string>(sw::print("", out));
  chain.give("one", 1).give("two", 2);
  EXPECT_EQ(out.str(), "one\ntwo\n");
}

TEST(print, stops_the_pipeline_when_its_stream_fails_and_names_the_label) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  sw::pipeline p(sw::stage<"averages">(sw::any_cpu{}, sw::source(sw::elements{1}) | sw::print("average", out)));
  try {
    p.run_inline();
    FAIL() << "no error";
  } catch (const sw::pipeline_error& e) {
    EXPECT_EQ(e.stage(), "averages");
    EXPECT_EQ(e.operator_kind(), "sink");
    EXPECT_NE(std::string(e.what()).find("'average'"), std::string::npos) << e.what();
  }
}

TEST(print, keeps_the_lines_of_several_threads_apart) {
  std::ostringstream out;
  auto print_many = [&out](std::string label) {
    sw::print_sink sink(std::move(label), out);
    for (int i = 0; i < 500; ++i) sink(std::string(20, 'x'));
  };
  std::thread a(print_many, "a");
  std::thread b(print_many, "b");
  a.join();
  b.join();

  std::istringstream written(out.str());
  std::multiset<std::string> all;
  for (std::string line; std::getline(written, line);) all.insert(line);
  EXPECT_EQ(all.size(), 1000u);
  EXPECT_EQ(all.count("a> " + std::string(20, 'x')), 500u);
  EXPECT_EQ(all.count("b> " + std::string(20, 'x')), 500u);
}

}  // namespace
