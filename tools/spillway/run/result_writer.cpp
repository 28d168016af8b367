#include "spillway/run/result_writer.hpp"

#include "spillway/text/csv_text.hpp"
#include "spillway/text/number_text.hpp"

namespace spillway::tool {

result_writer::result_writer(const run_options& options, const learned_times& times)
    : options_(options), times_(times), out_(options.output) {}

void result_writer::write_header() {
  line_ = "window_start,window_end";
  for (const std::string& key : options_.keys) {
    line_ += ',';
    append_csv_field(line_, key);
  }
  for (const aggregate_choice& a : options_.aggregates) {
    line_ += ',';
    line_ += a.name;
  }
  line_ += '\n';
  out_.write(line_);
  has_header_ = true;
}

void result_writer::write(const window_result<text_ref, summary_values>& row) {
  if (!has_header_) write_header();
  time_buffer time;
  number_buffer number;
  line_.clear();
  line_ += print_time(row.window.start.ns, times_.format, time);
  line_ += ',';
  line_ += print_time(row.window.end.ns, times_.format, time);
  if (!options_.keys.empty()) {
    line_ += ',';
    line_ += row.key.view();
  }
  for (std::size_t i = 0; i < options_.aggregates.size(); ++i) {
    line_ += ',';
    if (!std::isnan(row.value.value[i])) line_ += print_number(row.value.value[i], number);
  }
  line_ += '\n';
  out_.write(line_);
  ++rows_;
}

void result_writer::finish() {
  if (!has_header_) write_header();
  out_.close();
}

}  // namespace spillway::tool
