// `spillway doctor`: one page about the host, and what to change on it.
//
// One thread calls these.
// 1. Every check is one line, then comes the matrix of round trips. Nothing on the host is changed; what is missing is said to be.
// 2. Measuring takes two seconds at most.
//
//     doctor_options options;                    std::cout << doctor_page(options);
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "spillway/doctor/finding.hpp"
#include "spillway/doctor/host_files.hpp"
#include "spillway/doctor/timing.hpp"

namespace spillway::tool {

struct doctor_options {
  host_files host{};
  bool only_read = false;  // measure nothing

  void declare(CLI::App& command);
};

std::string doctor_page(const doctor_options& options);

/// What measured timing says about the host. Pure.
finding judge(const sleep_jitter& jitter);
finding judge(const spin_jitter& jitter);
finding judge(const latency_matrix& matrix);
std::string table_of(const latency_matrix& matrix);

}  // namespace spillway::tool
