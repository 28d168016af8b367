#include "spillway/runtime/affinity.hpp"

#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

namespace spillway {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(), "spillway: cannot read the set of CPUs that the process may use");
  }
  std::vector<int> cpus;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<std::size_t>(i), &set)) cpus.push_back(i);
  }
  return cpus;
}

double cpu_quota() {
  std::ifstream v2("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (v2 >> quota >> period) return quota == "max" || period <= 0 ? 0 : std::stod(quota) / period;
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double granted = 0;
  if (v1_quota >> granted && v1_period >> period && granted > 0 && period > 0) return granted / period;
  return 0;
}

void pin_this_thread(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  const int error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "spillway: cannot tie a thread to CPU " + std::to_string(cpu));
  }
}

void name_this_thread(std::string_view name) noexcept {
  char text[16] = {};
  name.copy(text, 15);
  pthread_setname_np(pthread_self(), text);
}

}  // namespace spillway
