#include "spillway/doctor/doctor.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "spillway/doctor/host_checks.hpp"

namespace {

using namespace spillway::tool;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A host of files, and the findings about it by name.
class fake_host : public testing::Test {
 protected:
  fake_host() {
    std::string name = (fs::temp_directory_path() / "spillway-host-XXXXXX").string();
    root = mkdtemp(name.data());
    host = {root / "proc", root / "sys"};
  }
  ~fake_host() override { fs::remove_all(root); }

  void write(const fs::path& name, std::string_view text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  void cpu(const std::string& name, std::string_view text) { write("sys/devices/system/cpu/" + name, text); }

  std::map<std::string, finding> check() {
    std::map<std::string, finding> found;
    for (const finding& f : check_host(host)) found.emplace(f.what, f);
    return found;
  }

  fs::path root;
  host_files host;
};

TEST_F(fake_host, that_shows_nothing_is_unknown_in_every_point) {
  const auto found = check();
  EXPECT_EQ(found.size(), 11U);
  for (const auto& [what, f] : found) EXPECT_EQ(f.state, verdict::unknown) << what;
  EXPECT_EQ(check_steal({}, {}).state, verdict::unknown);
}

TEST_F(fake_host, that_is_set_up_well_needs_no_change) {
  write("proc/self/status", "Cpus_allowed_list:\t2-3\nCapEff:\t0\n");
  write("proc/self/cgroup", "0::/job/part\n");
  write("proc/irq/9/smp_affinity_list", "0-1\n");
  write("proc/sys/kernel/perf_event_paranoid", "1\n");
  write("sys/fs/cgroup/job/part/cpu.max", "max 100000\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  write("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  cpu("online", "0-3\n");
  cpu("isolated", "2-3\n");
  cpu("nohz_full", "2-3\n");
  cpu("cpufreq/boost", "0\n");
  for (const char* name : {"cpu2", "cpu3"}) {
    cpu(std::string(name) + "/cpufreq/scaling_governor", "performance\n");
    cpu(std::string(name) + "/topology/thread_siblings_list", name + 3);
  }
  for (const auto& [what, f] : check()) EXPECT_EQ(f.state, verdict::ok) << line_of(f);
  EXPECT_EQ(check_steal("cpu 9 0 0 1 0 0 0 0", "cpu 99 0 0 1 0 0 0 0").state, verdict::ok);
}

TEST_F(fake_host, that_is_set_up_badly_is_told_what_to_change) {
  write("proc/self/status", "Cpus_allowed_list:\t0,4\nCapEff:\t0\n");
  write("proc/self/cgroup", "3:cpu,cpuacct:/job\n");
  write("proc/irq/9/smp_affinity_list", "0-7\n");
  write("proc/irq/10/smp_affinity_list", "7\n");
  write("proc/sys/kernel/perf_event_paranoid", "3\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  write("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
  write("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm\n");
  cpu("isolated", "6-7\n");
  cpu("nohz_full", "(null)\n");
  cpu("intel_pstate/no_turbo", "0\n");
  cpu("cpu0/cpufreq/scaling_governor", "powersave\n");
  cpu("cpu0/topology/thread_siblings_list", "0,4\n");
  auto found = check();
  found.erase("cpuset");
  for (const auto& [what, f] : found) EXPECT_EQ(f.state, verdict::change) << line_of(f);
  EXPECT_EQ(found.at("SMT siblings").found, "CPUs 0,4 share a core");
  EXPECT_EQ(found.at("IRQ affinity").found, "1 of 2 interrupts may land on CPUs 0,4");
  EXPECT_NE(found.at("quota").found.find("1.50 CPUs of time"), std::string::npos);
  EXPECT_NE(found.at("clock source").to_do.find("echo tsc"), std::string::npos);
  EXPECT_EQ(line_of(found.at("governor")), "change   governor: powersave; cpupower frequency-set -g performance\n");
}

TEST_F(fake_host, whose_groups_nest_has_the_tightest_limit) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  EXPECT_NE(check().at("quota").found.find("2.00 CPUs"), std::string::npos);
}

TEST_F(fake_host, in_a_container_finds_its_group_at_the_root) {
  write("proc/self/cgroup", "0::/../../elsewhere\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_NE(check().at("quota").found.find("0.50 CPUs"), std::string::npos);
}

TEST_F(fake_host, lets_capabilities_override_the_level_of_perf) {
  write("proc/sys/kernel/perf_event_paranoid", "4\n");
  write("proc/self/status", "CapEff:\t0000004000000000\n");
  EXPECT_EQ(check().at("perf permissions").state, verdict::ok);
}

TEST(doctor, tells_stolen_time_of_this_run_from_that_since_start_up) {
  const finding f = check_steal("cpu 900 0 0 0 0 0 0 100", "cpu 975 0 0 0 0 0 0 125");
  EXPECT_EQ(f.state, verdict::change);
  EXPECT_EQ(f.found, "25.00 % during this run, 11.36 % since start-up");
}

TEST(doctor, judges_timing_by_its_interruptions) {
  EXPECT_EQ(judge(sleep_jitter{100, 55us, 80us, 9ms}).state, verdict::ok);
  EXPECT_EQ(judge(sleep_jitter{100, 55us, 3ms, 9ms}).state, verdict::change);
  EXPECT_EQ(judge(sleep_jitter{}).state, verdict::unknown);
  EXPECT_EQ(judge(spin_jitter{2, 7us, 0.01}).state, verdict::ok);
  EXPECT_EQ(judge(spin_jitter{2, 4ms, 3.0}).state, verdict::change);
}

TEST(doctor, judges_distances_and_prints_what_is_missing) {
  EXPECT_EQ(judge(latency_matrix{{0}, {0}}).state, verdict::unknown);
  EXPECT_EQ(judge(latency_matrix{{0, 1}, {0, 0, 0, 0}}).state, verdict::unknown);
  EXPECT_EQ(judge(latency_matrix{{0, 1}, {0, 90, 90, 0}}).state, verdict::ok);
  const latency_matrix three{{0, 1, 5}, {0, 90, 480, 90, 0, 0, 480, 0, 0}};
  EXPECT_EQ(judge(three).state, verdict::change);
  EXPECT_EQ(judge(three).found, "round trip 90 ns (CPUs 0 and 1) to 480 ns, 1 pairs not measured in time");
  EXPECT_NE(table_of(three).find("    1   90    -    -\n"), std::string::npos) << table_of(three);
}

TEST(doctor, gives_up_on_a_pair_when_its_time_is_over) {
  // A CPU that does not exist never answers.
  const latency_matrix m = measure_latency({0, 1'000'000}, 50ms);
  EXPECT_EQ(m.at(0, 1), 0);
  EXPECT_EQ(measure_sleep(0ns).samples, 0U);
  EXPECT_LE(measure_spin(1ms).lost_percent, 100);
}

}  // namespace
