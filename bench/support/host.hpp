// What a run was measured on, and why its figures may mean little.
//
// One thread.
// 1. An unfit host is described, never refused: ratios within one interleaved run still say something.
//
//     bench::host h = bench::this_host();                     // h.model, h.load, h.unfit
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "bench/support/pin.hpp"

namespace bench {

struct host {
  std::string model = "unknown processor";
  std::size_t cpus = 0;
  double load = 0;
  std::vector<std::string> unfit{};  // reasons
};

inline std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

inline host this_host() {
  host h;
  h.cpus = cpus().size();
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    h.model = line.substr(line.find(':') + 2);
    break;
  }
  double loads[1] = {0};
  if (getloadavg(loads, 1) == 1) h.load = loads[0];
  if (h.cpus < 2) h.unfit.emplace_back("one CPU only");
  if (h.load > 0.7 * static_cast<double>(h.cpus)) h.unfit.emplace_back("other work is running");
  if (const double quota = spillway::cpu_quota(); quota > 0 && quota < 2) h.unfit.emplace_back("its CPU quota is below two");
  const std::string governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (!governor.empty() && governor != "performance") h.unfit.push_back("the governor is " + governor);
  return h;
}

}  // namespace bench
