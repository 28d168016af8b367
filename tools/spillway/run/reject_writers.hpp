// Where late and malformed records end: in a file, or counted.
//
// Each belongs to the writing stage's thread until the run is over; then to the main thread.
// 1. Late records are written exactly as they came, under the first input's header, so that the file can be the input of another run.
// 2. Malformed records are written as file,line,reason,text with the text quoted as CSV.
//
//     late_writer late(options.late, header);  from(late_tag) | sink(std::ref(late));  ...  late.finish();
#pragma once

#include <optional>
#include <string>

#include "spillway/connectors/file_sink.hpp"
#include "spillway/observe/histogram.hpp"
#include "spillway/run/inputs.hpp"
#include "spillway/run/records.hpp"

namespace spillway::tool {

class late_writer {
 public:
  /// `header` is read when the first record comes, or at the end. Errors: output_error.
  late_writer(const std::string& path, const std::string& header);

  void write(const late_line& line);
  void flush();
  void finish();

  /// How far behind the largest event time the late records were, in nanoseconds.
  const histogram& behind_ns() const noexcept { return behind_ns_; }

 private:
  void write_header();

  const std::string& header_;
  std::optional<file_sink> out_;
  histogram behind_ns_;
  bool has_header_ = false;
};

class malformed_writer {
 public:
  /// Errors: output_error.
  malformed_writer(const std::string& path, const run_inputs& inputs);

  void write(const bad_line& bad);
  void flush();
  void finish();

 private:
  const run_inputs& inputs_;
  std::optional<file_sink> out_;
  std::string line_;
};

}  // namespace spillway::tool
