// The tightest limit on CPU time among the control groups that a process is in.
//
// Any thread may call this.
// 1. Both trees are looked at, the unified one and that of the `cpu` controller, from the process's own group up to the root: a parent's limit holds
//    for its children. In a container the own path often does not exist; the root then is the container's group.
//
//     group_limit limit = find_group_limit(host_files{});  // {known, 0.5, "/sys/fs/cgroup/a/cpu.max"}
#pragma once

#include <string>

#include "spillway/doctor/host_files.hpp"

namespace spillway::tool {

struct group_limit {
  bool known = false;  // some group has a file about it
  double cpus = 0;     // 0: no limit
  std::string file{};  // where the limit is
};

group_limit find_group_limit(const host_files& host);

}  // namespace spillway::tool
