#include "spillway/run/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spillway/connectors/input_file.hpp"

namespace spillway::tool {

namespace {
constexpr std::size_t header_columns = 4096;

/// The names for a message of one line, whatever is in them.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most_names = 20;
  constexpr std::size_t most_bytes = 400;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most_names; ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  std::replace_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  const bool shortened = names.size() > most_names || text.size() > most_bytes;
  if (text.size() > most_bytes) text.resize(most_bytes);
  return text.empty() ? "(one without a name)" : text + (shortened ? ", ..." : "");
}

std::string_view without_carriage_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}
}  // namespace

csv_columns csv_columns::find(const run_options& options, const std::string& input, const std::vector<std::string>& names) {
  csv_columns found;
  found.fields = names.size();
  const auto column = [&](const char* option, const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      throw input_error(
          fmt::format("{}: no column '{}' for {} in the header; its columns are: {}", input, name, option, list_of(names)));
    }
    if (std::find(at + 1, names.end(), name) != names.end()) {
      throw input_error(fmt::format("{}: column '{}' for {} stands twice in the header; give each column a name of its own",
                                    input, name, option));
    }
    const auto place = static_cast<std::size_t>(at - names.begin());
    found.last = std::max(found.last, place);
    return place;
  };
  for (const std::string& key : options.keys) found.keys.push_back(column("--key", key));
  for (const where_condition& w : options.where) found.where.push_back(column("--where", w.field));
  found.time = column("--time", options.time);
  if (!options.value.empty()) found.value = column("--value", options.value);
  if (!options.weight.empty()) found.weight = column("--weight", options.weight);
  return found;
}

void csv_rows::open(release_tracker& tracker) {
  pool_ = std::make_unique<segment_pool>(tracker, segment_options_for(options_.max_line));
  reader_ = std::make_unique<csv_reader>(*pool_,
                                         csv_options{.columns = header_columns, .separator = ',', .max_line = options_.max_line});
}

bool csv_rows::open_next() {
  byte_source* source = inputs_.next();
  if (source == nullptr) return false;
  reader_->keep_columns(header_columns);
  reader_->open(*source);
  opened_ = true;
  has_header_ = false;
  return true;
}

read_status csv_rows::next() {
  for (;;) {
    if (!opened_ && !open_next()) return read_status::end;
    const read_status got = reader_->next(row_);
    if (got == read_status::again) return got;
    if (got == read_status::end) {
      opened_ = false;
    } else if (has_header_) {
      lines_.add();
      return got;
    } else {
      take_header();
    }
  }
}

void csv_rows::take_header() {
  const std::string& input = inputs_.name(inputs_.current());
  if (row_.flaw() != csv_flaw::none) {
    throw input_error(fmt::format("{}: the header cannot be read ({}); is it a CSV file?", input, to_string(row_.flaw())));
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(row_.fields(), header_columns); ++i) names.emplace_back(reader_->value(row_, i));
  columns_ = csv_columns::find(options_, input, names);
  columns_.fields = row_.fields();
  const std::string_view header = row_.text();
  if (header_.empty()) {
    header_ = header;
    if (row_.carriage_return()) header_ += '\r';
    header_input_ = inputs_.current();
  } else if (!options_.late.empty() && header != without_carriage_return(header_)) {
    throw input_error(fmt::format(
        "{}: its header differs from that of {}, so late records of both cannot go to one --late file; run them one by one",
        input, inputs_.name(header_input_)));
  }
  reader_->keep_columns(columns_.last + 1);
  has_header_ = true;
}

bool csv_rows::wanted() {
  for (std::size_t i = 0; i < columns_.where.size(); ++i) {
    const std::size_t column = columns_.where[i];
    if (column >= row_.fields()) return row_.flaw() != csv_flaw::none;  // cut off before the column: malformed, not filtered
    if (reader_->value(row_, column) != options_.where[i].value) return false;
  }
  return true;
}

std::string_view csv_rows::joined_key() {
  if (columns_.keys.size() == 1) return key_writer::printed(reader_->value(row_, columns_.keys[0]), reader_->scratch());
  if (columns_.keys.empty()) return {};
  std::size_t most = 0;
  for (const std::size_t c : columns_.keys) most += 2 * row_.raw(c).size() + 3;
  key_writer writer(reader_->scratch(), most);
  for (std::size_t i = 0; i < columns_.keys.size(); ++i) {
    if (i > 0) writer.push_back(',');
    append_csv_field(writer, reader_->value(row_, columns_.keys[i]));
  }
  return writer.text();
}

result<tick, bad_line> csv_rows::parse() {
  if (row_.flaw() != csv_flaw::none) [[unlikely]]
    return failure{bad(to_string(row_.flaw()))};
  if (row_.fields() != columns_.fields) [[unlikely]] {
    return failure{bad(row_.text().empty()               ? reason::empty_line
                       : row_.fields() < columns_.fields ? reason::too_few
                                                         : reason::too_many)};
  }
  tick t;
  std::string_view why = parser_.set_time(t, reader_->value(row_, columns_.time));
  if (why.empty() && columns_.value) why = tick_parser::set_value(t, reader_->value(row_, *columns_.value));
  if (why.empty() && columns_.weight) why = tick_parser::set_weight(t, reader_->value(row_, *columns_.weight));
  if (!why.empty()) [[unlikely]]
    return failure{bad(why)};
  tick_parser::set_key(t, joined_key());
  const std::string_view text = row_.text();
  t.line = std::string_view(text.data(), text.size() + (row_.carriage_return() ? 1 : 0));
  return t;
}

}  // namespace spillway::tool
