// What `spillway run` is asked to do, checked.
//
// A value, made once from the command line.
// 1. What cannot be is refused here, before anything is opened, by usage_error: one sentence with what, where and what to do.
//
//     CLI::App* run = app.add_subcommand("run", "...");  run_arguments given;  given.declare(*run);  run_options o = given.checked();
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "spillway/graph/overflow_policy.hpp"
#include "spillway/runtime/idle_strategy.hpp"
#include "spillway/text/time_text.hpp"
#include "spillway/windows/aligned_windows.hpp"
#include "spillway/windows/count_windows.hpp"
#include "spillway/windows/session_windows.hpp"

namespace spillway::tool {

/// A mistake in the command line; exit status 2.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class input_format : std::uint8_t { csv, ndjson };
enum class progress_mode : std::uint8_t { automatic, always, never };

enum class aggregate_kind : std::uint8_t { count, sum, avg, min, max, first, last, open, close, vwap, stddev, quantile };
struct aggregate_choice {
  aggregate_kind kind = aggregate_kind::count;
  double quantile = 0;
  std::string name;  // as given: the column's name
};

struct where_condition {
  std::string field;
  std::string value;
};

using window_choice = std::variant<aligned_windows, session_windows, count_windows>;

struct run_options {
  std::vector<std::string> inputs;
  input_format format = input_format::csv;
  std::vector<std::string> keys;
  std::string time;
  time_unit unit = time_unit::ms;
  std::string value;
  std::string weight;
  std::vector<where_condition> where;
  window_choice window = count_windows(1);
  std::chrono::nanoseconds out_of_orderness{};
  std::chrono::nanoseconds allowed_lateness{};
  std::vector<aggregate_choice> aggregates;
  std::string output = "-";
  std::string late;       // empty: counted only
  std::string malformed;  // empty: counted only
  overflow_policy late_policy;
  overflow_policy malformed_policy;
  std::size_t max_line = std::size_t{1} << 20;
  std::vector<int> cpus;  // empty: the first two that the process may use
  idle_strategy idle = idle_strategy::backoff;
  progress_mode progress = progress_mode::automatic;
  std::string stats;
  bool demo = false;
};

/// The options as given, before they are checked.
class run_arguments {
 public:
  void declare(CLI::App& run);

  /// Errors: usage_error.
  run_options checked() const;

 private:
  std::vector<std::string> inputs_;
  std::string format_;
  std::string keys_;
  std::string time_;
  std::string unit_;
  std::string value_;
  std::string weight_;
  std::vector<std::string> where_;
  std::string window_;
  std::string offset_ = "0";
  std::string out_of_orderness_;
  std::string allowed_lateness_ = "0";
  std::string aggregates_;
  std::string output_ = "-";
  std::string late_;
  std::string malformed_;
  std::string late_policy_ = "block";
  std::string malformed_policy_ = "block";
  std::string max_line_ = "1048576";
  std::string cpus_;
  std::string idle_ = "backoff";
  std::string progress_ = "auto";
  std::string stats_;
  bool demo_ = false;
};

}  // namespace spillway::tool
