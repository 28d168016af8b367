// spillway, the command-line tool.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "spillway/doctor/doctor.hpp"
#include "spillway/run/run_arguments.hpp"
#include "spillway/run/run_job.hpp"
#include "spillway/runtime/errors.hpp"

namespace {

using namespace spillway;

int complain(std::string_view text, int status) {
  constexpr std::string_view prefix = "spillway: ";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  // Not fmt::print, which throws where standard error cannot be written.
  const std::string line = fmt::format("spillway: {}\n", text);
  std::fwrite(line.data(), 1, line.size(), stderr);
  return status;
}

/// A standard descriptor that came closed is opened the wrong way round, so that its use is an error, and no file opened later takes
/// its number and gets what was meant for it.
void occupy_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    [[maybe_unused]] const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

/// Help and version, on standard output.
int inform(const CLI::App& app, const CLI::Success& what) {
  const int status = app.exit(what);
  return std::cout.flush() ? status : complain("cannot write standard output", 1);
}

/// Runs or explains the job.
int carry_out(const tool::run_arguments& given, int (*what)(const tool::run_options&)) {
  try {
    return what(given.checked());
  } catch (const tool::usage_error& e) {
    return complain(e.what(), 2);
  } catch (const pipeline_error& e) {
    try {
      std::rethrow_exception(e.cause());
    } catch (const std::exception& cause) {
      return complain(cause.what(), 1);
    }
  } catch (const std::exception& e) {
    return complain(e.what(), 1);
  }
}

/// The page about the host, on standard output.
int examine(const tool::doctor_options& options) {
  try {
    const std::string page = tool::doctor_page(options);
    const bool written = std::fwrite(page.data(), 1, page.size(), stdout) == page.size() && std::fflush(stdout) == 0;
    return written ? 0 : complain("cannot write standard output", 1);
  } catch (const std::exception& e) {
    return complain(e.what(), 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  CLI::App app{"Stream pipelines over files: event time, windows, late and malformed records."};
  app.name("spillway");
  app.set_version_flag("--version", "spillway " SPILLWAY_VERSION);
  app.require_subcommand(1);
  CLI::App* run_command = app.add_subcommand("run", "Aggregate CSV or NDJSON records in windows of event time");
  CLI::App* explain_command = app.add_subcommand(
      "explain", "Show the threads, edges, policies and bytes of the job that 'run' would do with the same options");
  CLI::App* doctor_command =
      app.add_subcommand("doctor", "Check this host for pipelines of pinned threads, and say what to change");
  tool::doctor_options doctor;
  doctor.declare(*doctor_command);
  tool::run_arguments given;
  given.declare(*run_command);
  given.declare(*explain_command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return inform(app, e);
  } catch (const CLI::ParseError& e) {
    const char* command = run_command->parsed()       ? "run "
                          : explain_command->parsed() ? "explain "
                          : doctor_command->parsed()  ? "doctor "
                                                      : "";
    return complain(fmt::format("{}; see 'spillway {}--help'", e.what(), command), 2);
  }
  if (doctor_command->parsed()) return examine(doctor);
  return carry_out(given, explain_command->parsed() ? &tool::explain_job : &tool::run_job);
}
