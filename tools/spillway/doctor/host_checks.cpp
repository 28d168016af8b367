#include "spillway/doctor/host_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <system_error>

#include "spillway/doctor/group_limits.hpp"
#include "spillway/doctor/host_text.hpp"

namespace spillway::tool {

namespace {

using cpu_list = std::vector<int>;

constexpr const char* cpu_folder = "devices/system/cpu/";

finding not_shown(std::string what, std::string_view file, std::string to_do) {
  return {verdict::unknown, std::move(what), fmt::format("{} is not readable here", file), std::move(to_do)};
}

std::optional<cpu_list> list_in(const std::optional<std::string>& text) { return text ? parse_cpu_list(*text) : std::nullopt; }

cpu_list in_both(const cpu_list& a, const cpu_list& b) {
  cpu_list both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

std::optional<cpu_list> allowed_in(const host_files& host) {
  const auto status = host.proc("self/status");
  return status ? list_in(field_of(*status, "Cpus_allowed_list")) : std::nullopt;
}

std::optional<cpu_list> online_in(const host_files& host) { return list_in(host.sys(std::string(cpu_folder) + "online")); }

/// Isolated CPUs, and those without a tick: each a list, of which the allowed part counts.
finding check_list(const host_files& host, const cpu_list& cpus, const char* what, const char* file, const char* how,
                   const char* missing) {
  const auto found = list_in(host.sys(std::string(cpu_folder) + file));
  if (!found) return not_shown(what, std::string("/sys/") + cpu_folder + file, missing);
  const cpu_list ours = in_both(*found, cpus);
  if (!ours.empty()) return {verdict::ok, what, print_cpu_list(*found), fmt::format("pin stages to {}", print_cpu_list(ours))};
  if (!found->empty())
    return {verdict::change, what, fmt::format("{}, none of which this process may use", print_cpu_list(*found)),
            "start it with taskset -c on them"};
  return {verdict::change, what, "none", how};
}

finding check_governor(const host_files& host, const cpu_list& cpus) {
  std::set<std::string> found;
  for (const int cpu : cpus) {
    if (const auto text = host.sys(fmt::format("{}cpu{}/cpufreq/scaling_governor", cpu_folder, cpu)))
      found.emplace(without_white_space(*text));
  }
  if (found.empty())
    return not_shown("governor", "/sys/devices/system/cpu/cpuN/cpufreq",
                     "on a virtual machine or in a container the host decides: ask for its performance governor");
  const std::string names = fmt::format("{}", fmt::join(found, ", "));
  if (names == "performance") return {verdict::ok, "governor", names};
  return {verdict::change, "governor", names, "cpupower frequency-set -g performance"};
}

finding check_turbo(const host_files& host) {
  constexpr const char* intel = "devices/system/cpu/intel_pstate/no_turbo";
  constexpr const char* others = "devices/system/cpu/cpufreq/boost";
  std::optional<bool> on;
  std::string command;
  if (const auto text = host.sys(intel); text && parse_whole(*text)) {
    on = *parse_whole(*text) == 0;
    command = fmt::format("echo 1 > /sys/{}", intel);
  } else if (const auto boost = host.sys(others); boost && parse_whole(*boost)) {
    on = *parse_whole(*boost) != 0;
    command = fmt::format("echo 0 > /sys/{}", others);
  }
  if (!on)
    return {verdict::unknown, "turbo", fmt::format("neither /sys/{} nor /sys/{} is readable here", intel, others),
            "the host decides: ask whether clocks are fixed"};
  if (!*on) return {verdict::ok, "turbo", "off"};
  return {verdict::change, "turbo", "on", fmt::format("where steady times matter more than the fastest ones: {}", command)};
}

finding check_siblings(const host_files& host, const cpu_list& cpus) {
  std::set<std::string> shared;
  bool shown = false;
  bool elsewhere = false;
  for (const int cpu : cpus) {
    const auto siblings = list_in(host.sys(fmt::format("{}cpu{}/topology/thread_siblings_list", cpu_folder, cpu)));
    if (!siblings) continue;
    shown = true;
    const cpu_list ours = in_both(*siblings, cpus);
    if (ours.size() > 1) shared.insert(print_cpu_list(ours));
    elsewhere = elsewhere || siblings->size() > ours.size();
  }
  if (!shown)
    return not_shown("SMT siblings", "/sys/devices/system/cpu/cpuN/topology",
                     "lscpu -e on the host shows which CPUs share a core");
  if (!shared.empty())
    return {verdict::change, "SMT siblings", fmt::format("CPUs {} share a core", fmt::join(shared, " and ")),
            "pin busy stages to different cores, or echo off > /sys/devices/system/cpu/smt/control"};
  if (elsewhere) return {verdict::ok, "SMT siblings", "no two allowed CPUs share a core", "keep other work off their siblings"};
  return {verdict::ok, "SMT siblings", "none as far as the kernel knows",
          "a virtual machine may hide them: see the round trips below"};
}

finding check_huge_pages(const host_files& host) {
  constexpr const char* file = "kernel/mm/transparent_hugepage/enabled";
  const auto text = host.sys(file);
  const auto chosen = text ? chosen_of(*text) : std::nullopt;
  if (!chosen)
    return not_shown("transparent huge pages", std::string("/sys/") + file,
                     "the kernel may lack them; large tables cost more address look-ups");
  if (*chosen == "madvise") return {verdict::ok, "transparent huge pages", *chosen};
  const char* why =
      *chosen == "always" ? "gathering pages for everybody can stall a stage" : "large rings and tables cannot ask for them";
  return {verdict::change, "transparent huge pages", fmt::format("{}, {}", *chosen, why),
          fmt::format("echo madvise > /sys/{}", file)};
}

/// Interrupts that may land on the isolated CPUs where there are some, else on any allowed one.
finding check_interrupts(const host_files& host, const cpu_list& cpus) {
  const auto isolated = list_in(host.sys(std::string(cpu_folder) + "isolated"));
  cpu_list kept_free = isolated ? in_both(*isolated, cpus) : cpu_list{};
  if (kept_free.empty()) kept_free = cpus;
  std::size_t all = 0;
  std::size_t ours = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(host.proc_root / "irq", error), end; !error && at != end; at.increment(error)) {
    const auto where = list_in(host_files::text_of(at->path() / "smp_affinity_list"));
    if (!where) continue;
    ++all;
    if (!in_both(*where, kept_free).empty()) ++ours;
  }
  if (all == 0) return not_shown("IRQ affinity", "/proc/irq", "on the host: keep interrupts off the CPUs of stages");
  const std::string found = fmt::format("{} of {} interrupts may land on CPUs {}", ours, all, print_cpu_list(kept_free));
  if (ours == 0) return {verdict::ok, "IRQ affinity", found};
  return {verdict::change, "IRQ affinity", found,
          "stop irqbalance and, as root, write a CPU that runs no stage to /proc/irq/N/smp_affinity_list (some refuse to move)"};
}

finding check_cpuset(const host_files& host) {
  const auto allowed = allowed_in(host);
  const auto online = online_in(host);
  if (!allowed) return not_shown("cpuset", "/proc/self/status", "taskset -p PID shows the CPUs that a process may use");
  const std::string found =
      fmt::format("CPUs {}{}", print_cpu_list(*allowed), online ? fmt::format(" of {}", print_cpu_list(*online)) : "");
  if (allowed->size() > 1) return {verdict::ok, "cpuset", found, "a stage for each of them at most"};
  return {verdict::change, "cpuset", found, "give the process two CPUs or more, or let its stages share one thread"};
}

finding check_quota(const host_files& host) {
  const group_limit limit = find_group_limit(host);
  if (!limit.known) return not_shown("quota", "cpu.max of the control group", "outside the container: look at its CPU limit");
  if (limit.cpus == 0) return {verdict::ok, "quota", "no limit on CPU time"};
  return {verdict::change, "quota", fmt::format("{:.2f} CPUs of time, by {}", limit.cpus, limit.file),
          "a thread that spins uses it up and is stopped for the rest of the period: lift it and use a cpuset instead"};
}

finding check_clock(const host_files& host) {
  const std::string folder = "devices/system/clocksource/clocksource0/";
  const auto current = host.sys(folder + "current_clocksource");
  if (!current)
    return not_shown("clock source", "/sys/" + folder + "current_clocksource", "dmesg | grep clocksource on the host shows it");
  const std::string name(without_white_space(*current));
  if (name == "tsc" || name == "arch_sys_counter") return {verdict::ok, "clock source", name};
  const auto available = host.sys(folder + "available_clocksource");
  const bool has_tsc = available && (" " + std::string(without_white_space(*available)) + " ").find(" tsc ") != std::string::npos;
  return {verdict::change, "clock source", name,
          has_tsc ? fmt::format("reading it costs more than tsc: echo tsc > /sys/{}current_clocksource", folder)
                  : "the kernel found no steady tsc: boot with tsc=reliable if the processor has an invariant one"};
}

finding check_perf(const host_files& host) {
  constexpr const char* file = "sys/kernel/perf_event_paranoid";
  constexpr unsigned sys_admin = 21;
  constexpr unsigned perfmon = 38;
  const auto text = host.proc(file);
  const auto level = parse_whole(text.value_or(""));
  if (!level)
    return not_shown("perf permissions", std::string("/proc/") + file,
                     "perf may be missing from the kernel or hidden by the container");
  const auto status = host.proc("self/status");
  const auto capabilities = status ? field_of(*status, "CapEff") : std::nullopt;
  if (*level <= 1) return {verdict::ok, "perf permissions", fmt::format("perf_event_paranoid {}", *level)};
  if (capabilities && (has_capability(*capabilities, sys_admin) || has_capability(*capabilities, perfmon)))
    return {verdict::ok, "perf permissions",
            fmt::format("perf_event_paranoid {}, which this process's capabilities override", *level)};
  return {verdict::change, "perf permissions", fmt::format("perf_event_paranoid {}", *level),
          "sysctl kernel.perf_event_paranoid=1"};
}

}  // namespace

std::vector<finding> check_host(const host_files& host) {
  auto known = allowed_in(host);
  if (!known) known = online_in(host);
  const cpu_list cpus = known.value_or(cpu_list{});
  return {
      check_list(host, cpus, "isolated CPUs", "isolated",
                 "leave a CPU to the system and boot with isolcpus=managed_irq,domain,LIST for the rest",
                 "cat /proc/cmdline on the host shows isolcpus"),
      check_list(host, cpus, "nohz_full", "nohz_full", "boot with nohz_full=LIST rcu_nocbs=LIST for the isolated CPUs",
                 "the kernel was built without CONFIG_NO_HZ_FULL, or hides it: one tick a few hundred times a second stays"),
      check_governor(host, cpus),
      check_turbo(host),
      check_siblings(host, cpus),
      check_huge_pages(host),
      check_interrupts(host, cpus),
      check_cpuset(host),
      check_quota(host),
      check_clock(host),
      check_perf(host),
  };
}

finding check_steal(const std::optional<std::string>& stat_before, const std::optional<std::string>& stat_after) {
  const auto before = parse_cpu_ticks(stat_before.value_or(""));
  const auto after = parse_cpu_ticks(stat_after.value_or(""));
  if (!after || after->all == 0) return not_shown("steal", "the cpu line of /proc/stat", "on a virtual machine: watch st in top");
  const double ever = 100.0 * static_cast<double>(after->stolen) / static_cast<double>(after->all);
  double now = 0;
  if (before && after->all > before->all && after->stolen >= before->stolen)
    now = 100.0 * static_cast<double>(after->stolen - before->stolen) / static_cast<double>(after->all - before->all);
  const std::string found = fmt::format("{:.2f} % during this run, {:.2f} % since start-up", now, ever);
  if (now < 0.1 && ever < 1) return {verdict::ok, "steal", found};
  return {verdict::change, "steal", found,
          "other machines on the host take CPU time: ask for dedicated CPUs, and compare ratios of one run only"};
}

}  // namespace spillway::tool
