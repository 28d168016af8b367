#include "spillway/doctor/host_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace spillway::tool;

TEST(host_text, reads_lists_of_cpus) {
  EXPECT_EQ(parse_cpu_list("0-2,8\n"), (std::vector<int>{0, 1, 2, 8}));
  EXPECT_EQ(parse_cpu_list("8,0-1,1"), (std::vector<int>{0, 1, 8}));
  EXPECT_EQ(parse_cpu_list("\n"), std::vector<int>{});
  EXPECT_EQ(parse_cpu_list("(null)\n"), std::vector<int>{});
}

TEST(host_text, takes_no_list_for_a_guess) {
  for (const char* text : {"x", "1-", "-1", "3-1", "1,", "1;2", "0-99999999999", "1-2-3", "0-70000"})
    EXPECT_FALSE(parse_cpu_list(text)) << text;
}

TEST(host_text, prints_lists_of_cpus_as_the_kernel_does) {
  EXPECT_EQ(print_cpu_list({0, 1, 2, 8, 10, 11}), "0-2,8,10-11");
  EXPECT_EQ(print_cpu_list({}), "none");
}

TEST(host_text, finds_the_choice_in_brackets) {
  EXPECT_EQ(chosen_of("always [madvise] never\n"), "madvise");
  EXPECT_FALSE(chosen_of("always madvise"));
  EXPECT_FALSE(chosen_of("always [madvise"));
}

TEST(host_text, finds_fields_by_their_whole_name) {
  const std::string status = "Cpus_allowed:\t3\nCpus_allowed_list:\t0-1\nCapEff:\t000001ffffffffff\n";
  EXPECT_EQ(field_of(status, "Cpus_allowed_list"), "0-1");
  EXPECT_EQ(field_of(status, "Cpus_allowed"), "3");
  EXPECT_FALSE(field_of(status, "Cpus"));
  EXPECT_FALSE(field_of("", "Cpus"));
}

TEST(host_text, adds_up_ticks_with_the_stolen_ones) {
  const auto ticks = parse_cpu_ticks("cpu  10 20 30 40 5 0 6 7 3 2\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->stolen, 7U);
  EXPECT_EQ(ticks->all, 118U);
  for (const char* text : {"", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3 4 5 6 7 x", "cpu 1 2 3 4 5 6 7 -8"})
    EXPECT_FALSE(parse_cpu_ticks(text)) << text;
}

TEST(host_text, finds_the_groups_of_both_trees) {
  const group_paths both = parse_groups("4:cpu,cpuacct:/a/b\n3:cpuset:/c\n0::/u:v\n");
  EXPECT_EQ(both.cpu, "/a/b");
  EXPECT_EQ(both.unified, "/u:v");
  EXPECT_FALSE(parse_groups("nonsense\n3:cpuset:/c\n").cpu);
}

TEST(host_text, reads_limits_on_cpu_time) {
  EXPECT_EQ(parse_cpu_max("50000 100000\n"), 0.5);
  EXPECT_EQ(parse_cpu_max("max 100000\n"), 0.0);
  for (const char* text : {"", "max", "50000", "50000 0", "-1 100000", "x 100000"}) EXPECT_FALSE(parse_cpu_max(text)) << text;
}

TEST(host_text, looks_up_capabilities) {
  EXPECT_TRUE(has_capability("000001fffeffffff\n", 38));
  EXPECT_FALSE(has_capability("0000000000000000", 38));
  EXPECT_FALSE(has_capability("all", 38));
  EXPECT_FALSE(has_capability("ffffffffffffffff", 64));
}

}  // namespace
