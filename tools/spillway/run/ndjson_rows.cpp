#include "spillway/run/ndjson_rows.hpp"

#include <fmt/format.h>

namespace spillway::tool {

namespace {

bool is_scalar(json_kind kind) noexcept {
  return kind == json_kind::string || kind == json_kind::number || kind == json_kind::boolean || kind == json_kind::null;
}

}  // namespace

ndjson_rows::ndjson_rows(const run_options& options, run_inputs& inputs, learned_times& times)
    : options_(options), inputs_(inputs), parser_(options, times) {
  std::vector<std::string> pointers = options.keys;
  where_ = pointers.size();
  for (const where_condition& w : options.where) pointers.push_back(w.field);
  time_ = pointers.size();
  pointers.push_back(options.time);
  if (!options.value.empty()) {
    value_ = pointers.size();
    pointers.push_back(options.value);
  }
  if (!options.weight.empty()) {
    weight_ = pointers.size();
    pointers.push_back(options.weight);
  }
  try {
    fields_ = std::make_unique<ndjson_fields>(pointers, options.max_line);
  } catch (const std::invalid_argument& e) {
    throw usage_error(fmt::format("{}; fields of NDJSON are named by JSON pointers, as /data/s", e.what()));
  }
}

void ndjson_rows::open(release_tracker& tracker) {
  pool_ = std::make_unique<segment_pool>(tracker, segment_options_for(options_.max_line));
  reader_ = std::make_unique<line_reader>(*pool_, line_options{options_.max_line});
}

read_status ndjson_rows::next() {
  for (;;) {
    if (!opened_) {
      byte_source* source = inputs_.next();
      if (source == nullptr) return read_status::end;
      reader_->open(*source);
      opened_ = true;
    }
    const read_status got = reader_->next(line_);
    if (got == read_status::end) {
      opened_ = false;
      continue;
    }
    if (got == read_status::row) {
      lines_.add();
      is_json_ = !line_.cut && fields_->parse(line_.text, reader_->scratch());
    }
    return got;
  }
}

bool ndjson_rows::wanted() {
  if (!is_json_) return true;
  for (std::size_t i = 0; i < options_.where.size(); ++i) {
    const json_field& field = (*fields_)[where_ + i];
    if (!is_scalar(field.kind) || field.text != options_.where[i].value) return false;
  }
  return true;
}

std::string_view ndjson_rows::set_key(tick& t) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < where_; ++i) {
    const json_field& field = (*fields_)[i];
    if (!is_scalar(field.kind)) return field.kind == json_kind::missing ? reason::missing : reason::bad_key;
    most += 2 * field.text.size() + 3;
  }
  if (where_ == 1) {
    tick_parser::set_key(t, key_writer::printed((*fields_)[0].text, reader_->scratch()));
  } else if (where_ > 1) {
    key_writer writer(reader_->scratch(), most);
    for (std::size_t i = 0; i < where_; ++i) {
      if (i > 0) writer.push_back(',');
      append_csv_field(writer, (*fields_)[i].text);
    }
    tick_parser::set_key(t, writer.text());
  }
  return {};
}

std::string_view ndjson_rows::number_text(std::size_t field, std::string_view& why) const {
  const json_field& f = (*fields_)[field];
  if (f.kind == json_kind::missing) why = reason::missing;
  return f.kind == json_kind::string || f.kind == json_kind::number ? f.text : std::string_view{};
}

result<tick, bad_line> ndjson_rows::parse() {
  if (line_.cut) return failure{bad(reason::too_long)};
  if (!is_json_) return failure{bad(line_.text.empty() ? reason::empty_line : reason::bad_json)};
  tick t;
  std::string_view why;
  const std::string_view time = number_text(time_, why);
  if (why.empty()) why = parser_.set_time(t, time);
  const auto number = [&](std::size_t field, auto set) {
    if (!why.empty()) return;
    const std::string_view text = number_text(field, why);
    if (why.empty()) why = set(t, text);
  };
  if (value_) number(*value_, tick_parser::set_value);
  if (weight_) number(*weight_, tick_parser::set_weight);
  if (why.empty()) why = set_key(t);
  if (!why.empty()) return failure{bad(why)};
  t.line = std::string_view(line_.text.data(), line_.text.size() + (line_.carriage_return ? 1 : 0));
  return t;
}

}  // namespace spillway::tool
