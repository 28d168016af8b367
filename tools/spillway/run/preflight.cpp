#include "spillway/run/preflight.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "spillway/connectors/input_file.hpp"
#include "spillway/run/csv_rows.hpp"
#include "spillway/runtime/affinity.hpp"

namespace spillway::tool {

namespace {

struct nothing_held final : release_tracker {
  std::uint64_t seal() override { return 0; }
  bool released(std::uint64_t) override { return true; }
};

bool is_regular(const std::string& path) {
  struct stat status{};
  return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

void check_header(const run_options& options, const std::string& path) {
  nothing_held tracker;
  run_options alone = options;
  alone.inputs = {path};
  alone.late.clear();
  run_inputs inputs(alone, nullptr);
  learned_times times;
  csv_rows rows(alone, inputs, times);
  rows.open(tracker);
  rows.next();
}

/// A file that an option or an argument names.
struct named_file {
  const char* option;
  const std::string* name;
  int standard;  // the descriptor that "-" means
};

/// Tells files apart whatever they are called. Empty for devices, which may be written and read by several at once.
std::string identity(const named_file& file, bool only_regular) {
  struct stat status{};
  const bool known = *file.name == "-" ? ::fstat(file.standard, &status) == 0 : ::stat(file.name->c_str(), &status) == 0;
  if (known) {
    const bool told_apart = S_ISREG(status.st_mode) || (S_ISFIFO(status.st_mode) && !only_regular);
    return told_apart ? fmt::format("{}:{}", status.st_dev, status.st_ino) : std::string{};
  }
  std::error_code unreadable;
  return std::filesystem::weakly_canonical(*file.name, unreadable).string();
}

void check_outputs_apart(const run_options& options) {
  std::vector<named_file> outputs;
  for (const named_file& each :
       {named_file{"--output", &options.output, STDOUT_FILENO}, named_file{"--late", &options.late, STDOUT_FILENO},
        named_file{"--malformed", &options.malformed, STDOUT_FILENO}, named_file{"--stats", &options.stats, STDOUT_FILENO}}) {
    if (each.name->empty() || (each.option == std::string_view("--stats") && *each.name == "-")) continue;
    const std::string it = identity(each, false);
    for (const named_file& other : outputs) {
      if (!it.empty() && it == identity(other, false)) {
        throw usage_error(
            fmt::format("{} and {} both write to '{}'; give each a file of its own", other.option, each.option, *each.name));
      }
    }
    outputs.push_back(each);
    const std::string written = identity(each, true);
    for (const std::string& input : options.inputs) {
      if (!written.empty() && !options.demo && written == identity({"", &input, STDIN_FILENO}, true)) {
        throw usage_error(
            fmt::format("{} names '{}', which is an input and would be emptied; write to another file", each.option, *each.name));
      }
    }
  }
}

void check_cpus(const run_options& options) {
  const std::vector<int> allowed = allowed_cpus();
  for (const int cpu : options.cpus) {
    if (std::find(allowed.begin(), allowed.end(), cpu) == allowed.end()) {
      throw usage_error(fmt::format("--cpus: this process may not run on CPU {}; it may use {}", cpu, fmt::join(allowed, ",")));
    }
  }
}

}  // namespace

void preflight(const run_options& options) {
  check_cpus(options);
  check_outputs_apart(options);
  if (options.demo) return;
  for (const std::string& path : options.inputs) {
    if (!is_regular(path)) {
      if (path != "-") input_file probe(path);
    } else if (options.format == input_format::csv) {
      check_header(options, path);
    } else {
      input_file probe(path);
    }
  }
}

}  // namespace spillway::tool
