// One line on standard error that says how far a run has come.
//
// Belongs to the main thread. 1. On a terminal the line is written over; elsewhere (`always`) each is a line of its own, once a second.
//
//     progress_line progress(mode);  progress.show(lines);  progress.clear();
#pragma once

#include <chrono>
#include <cstdint>

#include "spillway/run/run_options.hpp"

namespace spillway::tool {

class progress_line {
 public:
  explicit progress_line(progress_mode mode);

  void show(std::uint64_t lines);
  void clear();

 private:
  using clock = std::chrono::steady_clock;
  bool shown_ = false;
  bool terminal_ = false;
  bool wanted_ = false;
  clock::time_point last_ = clock::now();
  std::uint64_t last_lines_ = 0;
};

}  // namespace spillway::tool
