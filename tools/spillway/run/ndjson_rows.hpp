// NDJSON inputs as a source of rows, and what a row means.
//
// Belongs to the reading stage's thread.
// 1. `wanted` and `parse` look at the line that `next` read last.
// 2. A line that is no JSON text is malformed, not filtered: nothing can be said about its fields.
//
//     ndjson_rows rows(options, inputs, times);
//     source(row_source{&rows}) | filter(...) | try_map(..., malformed)
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spillway/connectors/line_reader.hpp"
#include "spillway/core/counter.hpp"
#include "spillway/core/result.hpp"
#include "spillway/run/inputs.hpp"
#include "spillway/run/tick_parser.hpp"
#include "spillway/text/ndjson_fields.hpp"

namespace spillway::tool {

class ndjson_rows {
 public:
  /// Errors: usage_error for a name that is no JSON pointer.
  ndjson_rows(const run_options& options, run_inputs& inputs, learned_times& times);

  void open(release_tracker& tracker);
  /// Lets go of the tracker, which does not outlive its stage. Texts stay: others may still hold records.
  void close() noexcept { reader_.reset(); }
  read_status next();
  bool wanted();
  result<tick, bad_line> parse();

  const counter& lines() const noexcept { return lines_; }
  /// NDJSON has no header.
  const std::string& header() const noexcept { return header_; }

 private:
  bad_line bad(std::string_view why) const noexcept { return {line_.text, why, line_.number, inputs_.current()}; }
  std::string_view set_key(tick& t);
  std::string_view number_text(std::size_t field, std::string_view& why) const;

  const run_options& options_;
  run_inputs& inputs_;
  tick_parser parser_;
  std::unique_ptr<segment_pool> pool_;
  std::unique_ptr<line_reader> reader_;
  std::unique_ptr<ndjson_fields> fields_;
  text_line line_;
  bool is_json_ = false;
  // Places in `fields_`: keys, then conditions, then time, value, weight.
  std::size_t where_ = 0;
  std::size_t time_ = 0;
  std::optional<std::size_t> value_;
  std::optional<std::size_t> weight_;
  std::string header_;
  counter lines_;
  bool opened_ = false;
};

}  // namespace spillway::tool
