// The results of a run as CSV.
//
// Belongs to the window stage's thread until the run is over; then to the main thread.
// 1. The header goes before the first row; a run without rows gets its header from `finish`, a run that failed gets nothing.
// 2. Times are printed in the input's own unit and form, numbers so that they read back to the same double.
//
//     result_writer out(options, times);  ... | sink(std::ref(out));  ...  out.finish();
#pragma once

#include <string>

#include "spillway/connectors/file_sink.hpp"
#include "spillway/run/run_options.hpp"
#include "spillway/run/summary.hpp"
#include "spillway/run/tick_parser.hpp"
#include "spillway/windows/window_result.hpp"

namespace spillway::tool {

class result_writer {
 public:
  /// Errors: output_error.
  result_writer(const run_options& options, const learned_times& times);

  void write(const window_result<text_ref, summary_values>& row);
  /// Hands what was written to the system; the sink calls it when its stage is idle.
  void flush() { out_.flush(); }
  /// Writes the header if nothing was written yet, and closes. Errors: output_error.
  void finish();

  std::uint64_t rows() const noexcept { return rows_; }

 private:
  void write_header();

  const run_options& options_;
  const learned_times& times_;
  file_sink out_;
  std::string line_;
  std::uint64_t rows_ = 0;
  bool has_header_ = false;
};

}  // namespace spillway::tool
