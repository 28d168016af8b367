#include "spillway/doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spillway/doctor/host_checks.hpp"
#include "spillway/runtime/affinity.hpp"

namespace spillway::tool {

namespace {

using namespace std::chrono_literals;

double microseconds(std::chrono::nanoseconds t) { return static_cast<double>(t.count()) / 1000; }

std::string measured_page() {
  std::string page = line_of(judge(measure_sleep(200ms)));
  page += line_of(judge(measure_spin(300ms)));
  const latency_matrix matrix = measure_latency(allowed_cpus(), 1200ms);
  return page + line_of(judge(matrix)) + table_of(matrix);
}

}  // namespace

void doctor_options::declare(CLI::App& command) {
  command.add_option("--proc", host.proc_root, "Folder to read instead of /proc, such as a host's seen from a container")
      ->check(CLI::ExistingDirectory);
  command.add_option("--sys", host.sys_root, "Folder to read instead of /sys")->check(CLI::ExistingDirectory);
  command.add_flag("--only-read", only_read, "Measure nothing");
}

std::string doctor_page(const doctor_options& options) {
  const auto stat_before = options.host.proc("stat");
  std::string page;
  for (const finding& f : check_host(options.host)) page += line_of(f);
  const std::string measured = options.only_read ? "" : measured_page();
  return page + line_of(check_steal(stat_before, options.host.proc("stat"))) + measured;
}

finding judge(const sleep_jitter& j) {
  constexpr const char* what = "timer jitter, sleep";
  if (j.samples == 0) return {verdict::unknown, what, "not measured", "run again on a quieter machine"};
  const std::string found = fmt::format("wakes {:.0f} us late, p99 {:.0f}, worst {:.0f}, of {} sleeps", microseconds(j.median),
                                        microseconds(j.p99), microseconds(j.worst), j.samples);
  if (j.p99 <= 150us) return {verdict::ok, what, found, "idle by spinning where that is too late"};
  return {verdict::change, what, found,
          "idle by spinning; other work, deep idle states (cpupower idle-set -D 1) or a hypervisor delay wake-ups"};
}

finding judge(const spin_jitter& j) {
  constexpr const char* what = "timer jitter, spin";
  const std::string found = fmt::format("{} gaps above 5 us, worst {:.0f} us, {:.2f} % of the time lost", j.gaps,
                                        microseconds(j.worst), j.lost_percent);
  if (j.worst <= 50us) return {verdict::ok, what, found};
  return {verdict::change, what, found,
          "isolate the CPU and stop its tick (isolated CPUs, nohz_full, IRQ affinity, steal above)"};
}

finding judge(const latency_matrix& m) {
  constexpr const char* what = "core to core";
  if (m.cpus.size() < 2) return {verdict::unknown, what, "one CPU only", "let all stages share one thread"};
  double least = 0;
  double most = 0;
  std::size_t missing = 0;
  std::pair<int, int> nearest{};
  for (std::size_t row = 0; row < m.cpus.size(); ++row) {
    for (std::size_t column = row + 1; column < m.cpus.size(); ++column) {
      const double ns = m.at(row, column);
      if (ns == 0) ++missing;
      most = std::max(most, ns);
      if (ns == 0 || (least != 0 && ns >= least)) continue;
      least = ns;
      nearest = {m.cpus[row], m.cpus[column]};
    }
  }
  if (most == 0)
    return {verdict::unknown, what, "no pair answered in time",
            "the CPUs are busy or out of reach: run again on a quieter machine"};
  std::string found = fmt::format("round trip {:.0f} ns (CPUs {} and {})", least, nearest.first, nearest.second);
  if (most > least) found += fmt::format(" to {:.0f} ns", most);
  if (missing != 0) found += fmt::format(", {} pairs not measured in time", missing);
  if (most > 2.5 * least)
    return {verdict::change, what, found, "pin neighbouring stages to CPUs that are near, by the table below"};
  if (most > 250) return {verdict::change, what, found, "the CPUs share no cache: ask for some that do, or send in batches"};
  return {verdict::ok, what, found};
}

std::string table_of(const latency_matrix& m) {
  if (m.cpus.size() < 2) return "";
  std::string table = "\nround trip of a cache line, ns\n     ";
  for (const int cpu : m.cpus) table += fmt::format("{:>5}", cpu);
  table += '\n';
  for (std::size_t row = 0; row < m.cpus.size(); ++row) {
    table += fmt::format("{:>5}", m.cpus[row]);
    for (std::size_t column = 0; column < m.cpus.size(); ++column) {
      table += m.at(row, column) == 0 ? fmt::format("{:>5}", "-") : fmt::format("{:>5.0f}", m.at(row, column));
    }
    table += '\n';
  }
  return table;
}

}  // namespace spillway::tool
