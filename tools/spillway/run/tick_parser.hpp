// From the texts of a row's fields to a record, whatever the input format.
//
// Belongs to the reading thread; `times` is set before the first record leaves it and may be read behind the edge.
// 1. A reason is one of a fixed set of texts of static storage.
//
//     tick t;  if (auto why = parser.set_time(t, text); !why.empty()) return why;
#pragma once

#include <string_view>

#include "spillway/connectors/segment_pool.hpp"
#include "spillway/run/records.hpp"
#include "spillway/run/run_options.hpp"
#include "spillway/text/csv_text.hpp"
#include "spillway/text/number_text.hpp"
#include "spillway/text/time_text.hpp"

namespace spillway::tool {

namespace reason {
inline constexpr std::string_view empty_line = "empty line";
inline constexpr std::string_view too_few = "too few fields";
inline constexpr std::string_view too_many = "too many fields";
inline constexpr std::string_view missing = "missing column";
inline constexpr std::string_view bad_key = "bad key";
inline constexpr std::string_view bad_number = "bad number";
inline constexpr std::string_view bad_time = "bad time";
inline constexpr std::string_view bad_json = "bad json";
inline constexpr std::string_view too_long = "line too long";
}  // namespace reason

/// How times are printed: in the form of the first one that was read.
struct learned_times {
  time_format format;
  bool known = false;
};

class tick_parser {
 public:
  tick_parser(const run_options& options, learned_times& times) : unit_(options.unit), times_(times) {
    times_.format.unit = options.unit;
  }

  std::string_view set_time(tick& t, std::string_view text) {
    const time_result time = parse_time(text, unit_);
    if (!time.ok()) return to_string(time.error);
    if (time.ns == timestamp::minimum().ns || time.ns == timestamp::maximum().ns) return to_string(time_error::out_of_range);
    t.at = timestamp(time.ns);
    if (!times_.known) [[unlikely]]
      learn(text);
    return {};
  }

  static std::string_view set_value(tick& t, std::string_view text) {
    return parse_number(text, t.value) ? std::string_view{} : reason::bad_number;
  }
  static std::string_view set_weight(tick& t, std::string_view text) {
    return parse_number(text, t.weight) ? std::string_view{} : reason::bad_number;
  }

  static void set_key(tick& t, std::string_view printed) {
    t.key_data = printed.data();
    t.key_size = static_cast<std::uint32_t>(printed.size());
  }

 private:
  void learn(std::string_view text) {
    times_.format = learn_time_format(text, unit_);
    times_.known = true;
  }

  time_unit unit_;
  learned_times& times_;
};

/// Writes keys as CSV output prints them into room that lives as long as their row.
class key_writer {
 public:
  /// One key that needs no quotes is used where it is.
  static std::string_view printed(std::string_view key, text_scratch& scratch) {
    if (!needs_csv_quotes(key)) [[likely]]
      return key;
    key_writer writer(scratch, 2 * key.size() + 2);
    append_csv_field(writer, key);
    return writer.text();
  }

  key_writer(text_scratch& scratch, std::size_t most_bytes) : begin_(scratch.allocate(most_bytes)), end_(begin_) {}
  void push_back(char c) { *end_++ = c; }
  void append(std::string_view text) {
    text.copy(end_, text.size());
    end_ += text.size();
  }
  std::string_view text() const noexcept { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }

 private:
  char* begin_;
  char* end_;
};

}  // namespace spillway::tool
