#include "spillway/run/reject_writers.hpp"

#include "spillway/text/csv_text.hpp"

namespace spillway::tool {

late_writer::late_writer(const std::string& path, const std::string& header) : header_(header) {
  if (!path.empty()) out_.emplace(path);
}

void late_writer::write_header() {
  has_header_ = true;
  if (header_.empty()) return;
  out_->write(header_);
  out_->write("\n");
}

void late_writer::write(const late_line& line) {
  behind_ns_.record(static_cast<std::uint64_t>(line.behind_ns > 0 ? line.behind_ns : 0));
  if (!out_) return;
  if (!has_header_) write_header();
  out_->write(line.line.view());
  out_->write("\n");
}

void late_writer::flush() {
  if (out_) out_->flush();
}

void late_writer::finish() {
  if (!out_) return;
  if (!has_header_) write_header();
  out_->close();
}

malformed_writer::malformed_writer(const std::string& path, const run_inputs& inputs) : inputs_(inputs) {
  if (path.empty()) return;
  out_.emplace(path);
  out_->write("file,line,reason,text\n");
}

void malformed_writer::write(const bad_line& bad) {
  if (!out_) return;
  line_.clear();
  append_csv_field(line_, inputs_.name(bad.input));
  line_ += ',';
  line_ += std::to_string(bad.line);
  line_ += ',';
  line_ += bad.reason;
  line_ += ',';
  append_csv_field(line_, bad.text.view());
  line_ += '\n';
  out_->write(line_);
}

void malformed_writer::flush() {
  if (out_) out_->flush();
}

void malformed_writer::finish() {
  if (out_) out_->close();
}

}  // namespace spillway::tool
