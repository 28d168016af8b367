// The command line of `spillway run` as it was given.
//
// Used by the main thread. A header of its own, since the parser's is large.
// 1. `declare` says which options there are; `checked` turns what was given into a job or refuses it.
//
//     CLI::App* run = app.add_subcommand("run", "...");  run_arguments given;  given.declare(*run);  run_options o = given.checked();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spillway/run/run_options.hpp"

namespace CLI {
class App;
}

namespace spillway::tool {

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
  std::uint64_t late_limit_ = 0;  // bytes; 0: the policy's own
  std::uint64_t malformed_limit_ = 0;
  std::string max_line_ = "1048576";
  std::string cpus_;
  std::string idle_ = "backoff";
  std::string progress_ = "auto";
  std::string stats_;
  bool demo_ = false;
};

}  // namespace spillway::tool
