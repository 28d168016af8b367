// What `spillway run` is asked to do, checked.
//
// A value, made once from the command line.
// 1. What cannot be is refused here, before anything is opened, by usage_error: one sentence with what, where and what to do.
//
//     run_options options = given.checked();                            // run_arguments.hpp makes them
#pragma once

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

}  // namespace spillway::tool
