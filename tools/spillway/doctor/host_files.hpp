// Where the files about a host are: /proc and /sys, or copies of them elsewhere.
//
// Any thread may call these.
// 1. Every file may be missing or unreadable: it then has no text. Nothing here throws for that.
//
//     host_files host;                                     // of this machine
//     host.sys("devices/system/cpu/isolated")              // "2-3\n"
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace spillway::tool {

struct host_files {
  std::filesystem::path proc_root = "/proc";
  std::filesystem::path sys_root = "/sys";

  std::optional<std::string> proc(std::string_view name) const { return text_of(proc_root / name); }
  std::optional<std::string> sys(std::string_view name) const { return text_of(sys_root / name); }

  /// A file's text, at most its first 64 KiB.
  static std::optional<std::string> text_of(const std::filesystem::path& file);
};

}  // namespace spillway::tool
