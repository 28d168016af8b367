// Checks of a host against what pipelines with a thread per stage want from it, read from files alone.
//
// Any thread may call these.
// 1. Each check gives exactly one finding, whatever is missing.
// 2. The CPUs looked at are those that /proc/self/status allows the process; where it says nothing, those that are online.
//
//     for (const finding& f : check_host(host_files{})) std::cout << line_of(f);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spillway/doctor/finding.hpp"
#include "spillway/doctor/host_files.hpp"

namespace spillway::tool {

/// CPUs: isolated, without ticks, governor, turbo, siblings; then huge pages, interrupts, cpuset, quota, clock source, perf.
std::vector<finding> check_host(const host_files& host);

/// The share of time that the hypervisor gave to others, between two readings of /proc/stat (and since start-up, from the second).
finding check_steal(const std::optional<std::string>& stat_before, const std::optional<std::string>& stat_after);

}  // namespace spillway::tool
