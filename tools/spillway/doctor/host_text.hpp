// What the kernel writes about a host in /proc and /sys, taken apart.
//
// Pure functions, for any thread.
// 1. A text that does not have the expected form gives nothing, never a guess and never an exception: kernels and containers differ.
//
//     parse_cpu_list("0-2,8\n")                            // {0, 1, 2, 8}
//     chosen_of("always [madvise] never\n")                // "madvise"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway::tool {

/// `text` without white space at its ends.
std::string_view without_white_space(std::string_view text);

/// A whole number that takes up all of the text but white space at its ends.
std::optional<std::int64_t> parse_whole(std::string_view text);

/// CPUs as in "0-3,8", ascending. Empty for "" and for "(null)", which some kernels write for none; nothing for any other text.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// The reverse: "0-3,8"; "none" for an empty list. Requires: ascending.
std::string print_cpu_list(const std::vector<int>& cpus);

/// The choice in brackets.
std::optional<std::string> chosen_of(std::string_view text);

/// The value behind "name:" in a text of such lines, without white space at its ends.
std::optional<std::string> field_of(std::string_view text, std::string_view name);

/// Ticks of all CPUs since start-up, from the first line of /proc/stat.
struct cpu_ticks {
  std::uint64_t stolen;
  std::uint64_t all;
};
std::optional<cpu_ticks> parse_cpu_ticks(std::string_view stat);

/// Where /proc/self/cgroup places the process: its path in the unified tree, and in that of the `cpu` controller where there is one.
struct group_paths {
  std::optional<std::string> unified;
  std::optional<std::string> cpu;
};
group_paths parse_groups(std::string_view text);

/// CPUs' worth of time in a `cpu.max` ("50000 100000"); 0 for "max".
std::optional<double> parse_cpu_max(std::string_view text);

/// Whether the set of capabilities, in hexadecimal digits, has the one of that number.
bool has_capability(std::string_view digits, unsigned number);

}  // namespace spillway::tool
