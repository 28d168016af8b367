// Which CPUs the process may use, and tying a thread to one of them.
//
// Any thread may call these; each concerns the calling thread or the whole process.
// 1. "Allowed" is the scheduler's affinity mask, which cpusets and containers narrow; `cpu_quota` is the control group's limit on CPU time.
//
//     const std::vector<int> cpus = sw::allowed_cpus();
//     std::thread worker([&] {
//       sw::name_this_thread("worker");
//       sw::pin_this_thread(cpus.front());
//     });
//     worker.join();
//     assert(!cpus.empty() && sw::cpu_quota() >= 0);
#pragma once

#include <string_view>
#include <vector>

namespace spillway {

/// Numbers of the CPUs that the process may run on, ascending. Throws std::system_error.
std::vector<int> allowed_cpus();

/// CPUs' worth of time that the control group grants; 0 where there is no limit or none can be read.
double cpu_quota();

/// Ties the calling thread to one CPU. Throws std::system_error.
void pin_this_thread(int cpu);

/// Names the calling thread for debuggers and profilers; cut at 15 characters.
void name_this_thread(std::string_view name) noexcept;

}  // namespace spillway
