// CSV inputs as a source of rows, and what a row means.
//
// Belongs to the reading stage's thread.
// 1. Each input has a header of its own, in which columns are found by name.
// 2. `wanted` and `parse` look at the row that `poll` emitted last.
// 3. Late records are written under the first input's header, so with a late file all headers must be equal.
//
//     csv_rows rows(options, inputs, times);
//     source(row_source{&rows}) | filter(...) | try_map(..., malformed)
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spillway/connectors/csv_reader.hpp"
#include "spillway/core/counter.hpp"
#include "spillway/core/result.hpp"
#include "spillway/run/inputs.hpp"
#include "spillway/run/tick_parser.hpp"

namespace spillway::tool {

/// Where the fields that a job needs stand in a header.
struct csv_columns {
  std::vector<std::size_t> keys;
  std::vector<std::size_t> where;
  std::size_t time = 0;
  std::optional<std::size_t> value;
  std::optional<std::size_t> weight;
  std::size_t last = 0;
  std::size_t fields = 0;  // of the header

  /// Finds the options' columns. Errors: input_error that names the input and the missing column.
  static csv_columns find(const run_options& options, const std::string& input, const std::vector<std::string>& names);
};

class csv_rows {
 public:
  csv_rows(const run_options& options, run_inputs& inputs, learned_times& times)
      : options_(options), inputs_(inputs), parser_(options, times) {}

  void open(release_tracker& tracker);
  /// Lets go of the tracker, which does not outlive its stage. Texts stay: others may still hold records.
  void close() noexcept { reader_.reset(); }

  /// The next row; header lines are taken on the way. Errors: input_error.
  read_status next();

  bool wanted();
  result<tick, bad_line> parse();

  /// Rows so far, headers not counted. Any thread.
  const counter& lines() const noexcept { return lines_; }
  /// The first header as it came, for the late file. Behind the edge only.
  const std::string& header() const noexcept { return header_; }

 private:
  bool open_next();
  void take_header();
  bad_line bad(std::string_view why) const noexcept { return {row_.text(), why, row_.line(), inputs_.current()}; }
  std::string_view joined_key();

  const run_options& options_;
  run_inputs& inputs_;
  tick_parser parser_;
  std::unique_ptr<segment_pool> pool_;
  std::unique_ptr<csv_reader> reader_;
  csv_row row_;
  csv_columns columns_;
  std::string header_;
  std::uint32_t header_input_ = 0;
  counter lines_;
  bool opened_ = false;
  bool has_header_ = false;
};

}  // namespace spillway::tool
