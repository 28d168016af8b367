// The inputs of a run, one after the other.
//
// Belongs to the reading thread; the names may be read by any.
// 1. Inputs are opened when their turn comes; what can be checked beforehand is checked by `preflight`.
//
//     run_inputs inputs(options, &stop);  while (byte_source* source = inputs.next()) reader.open(*source);
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "spillway/connectors/byte_source.hpp"
#include "spillway/run/run_options.hpp"

namespace spillway::tool {

class run_inputs {
 public:
  run_inputs(const run_options& options, const std::atomic<bool>* stop) : options_(options), stop_(stop) {}

  /// Opens the next input; null after the last. Errors: input_error.
  byte_source* next();

  /// Number of the current input, from 0. Requires: `next` gave one.
  std::uint32_t current() const noexcept { return static_cast<std::uint32_t>(opened_ - 1); }
  const std::string& name(std::uint32_t input) const noexcept { return options_.inputs[input]; }

 private:
  const run_options& options_;
  const std::atomic<bool>* stop_;
  std::unique_ptr<byte_source> open_;
  std::size_t opened_ = 0;
};

}  // namespace spillway::tool
