#include "spillway/doctor/group_limits.hpp"

#include <optional>

#include "spillway/doctor/host_text.hpp"

namespace spillway::tool {

namespace {

namespace fs = std::filesystem;

std::optional<double> limit_of_v1(const fs::path& group) {
  // Not there and not a number are the same: no text gives no number.
  const auto quota = parse_whole(host_files::text_of(group / "cpu.cfs_quota_us").value_or(""));
  const auto period = parse_whole(host_files::text_of(group / "cpu.cfs_period_us").value_or(""));
  if (!quota || !period || *period <= 0) return std::nullopt;
  return *quota <= 0 ? 0 : static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> limit_of_v2(const fs::path& group) {
  const auto text = host_files::text_of(group / "cpu.max");
  return text ? parse_cpu_max(*text) : std::nullopt;
}

/// Looks at root/path and every folder above it down to the root.
void look(const fs::path& root, const std::string& path, const char* file, std::optional<double> (*limit_of)(const fs::path&),
          group_limit& found) {
  fs::path below = fs::path(path).relative_path().lexically_normal();
  if (!below.empty() && *below.begin() == "..") below.clear();  // a group outside of what this container sees
  while (true) {
    const fs::path group = root / below;
    if (const auto limit = limit_of(group)) {
      found.known = true;
      if (*limit > 0 && (found.cpus == 0 || *limit < found.cpus)) {
        found.cpus = *limit;
        found.file = (group / file).string();
      }
    }
    if (below.empty()) return;
    below = below.parent_path();
  }
}

}  // namespace

group_limit find_group_limit(const host_files& host) {
  const group_paths paths = parse_groups(host.proc("self/cgroup").value_or(""));
  const fs::path root = host.sys_root / "fs/cgroup";
  group_limit found;
  look(root, paths.unified.value_or(""), "cpu.max", limit_of_v2, found);
  look(root / "cpu", paths.cpu.value_or(""), "cpu.cfs_quota_us", limit_of_v1, found);
  // The controller's folder may go by the name of both that it serves.
  if (!found.known) look(root / "cpu,cpuacct", paths.cpu.value_or(""), "cpu.cfs_quota_us", limit_of_v1, found);
  // The root of the unified tree has no cpu.max: with nothing below it, there is no limit.
  if (!found.known && host_files::text_of(root / "cgroup.controllers")) found.known = paths.unified == "/";
  return found;
}

}  // namespace spillway::tool
