#include "spillway/run/preflight.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>

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
  struct stat status {};
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

void check_not_an_input(const run_options& options, const char* option, const std::string& output) {
  struct stat out {};
  if (output.empty() || output == "-" || ::stat(output.c_str(), &out) != 0 || !S_ISREG(out.st_mode)) return;
  for (const std::string& input : options.inputs) {
    struct stat in {};
    if (input != "-" && ::stat(input.c_str(), &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
      throw usage_error(fmt::format("{} names '{}', which is an input and would be emptied; write to another file", option, output));
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
  check_not_an_input(options, "--output", options.output);
  check_not_an_input(options, "--late", options.late);
  check_not_an_input(options, "--malformed", options.malformed);
  check_not_an_input(options, "--stats", options.stats);
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
