// Picks fields, named by JSON pointers (RFC 6901), out of lines that hold one JSON text each.
//
// One thread per object.
// 1. The whole line is checked, what nobody asked for as well: a line is JSON (RFC 8259, valid UTF-8) or it gives no field.
// 2. Found texts point into the line, or into `scratch` where escapes had to be resolved; they live as long as both.
// 3. Numbers stay text, so that a time in nanoseconds keeps all its digits.
// 4. Of equal names in one object the first counts. Nothing is allocated per line; nesting beyond 512 levels is refused.
//
//     ndjson_fields fields({"/data/s", "/data/p"}, max_line);
//     if (!fields.parse(line.text, reader.scratch())) return "bad json";
//     if (fields[0].kind == json_kind::string) use(fields[0].text);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spillway/connectors/segment_pool.hpp"

namespace spillway::tool {

enum class json_kind : std::uint8_t { missing, string, number, boolean, null, object, array };

struct json_field {
  json_kind kind = json_kind::missing;
  std::string_view text;  // of a string: unescaped; of a number, true, false or null: as written; else empty
};

class ndjson_fields {
 public:
  /// `max_line`: bytes of the longest line that `parse` will see. Errors: std::invalid_argument for what is no JSON pointer.
  ndjson_fields(std::span<const std::string> pointers, std::size_t max_line);
  ndjson_fields(ndjson_fields&&) noexcept;
  ndjson_fields& operator=(ndjson_fields&&) noexcept;
  ~ndjson_fields();

  /// Looks at one line. False: it is no JSON text, and every field is missing.
  /// Requires: segment_padding readable bytes behind `line`, as line_reader gives them.
  bool parse(std::string_view line, text_scratch& scratch);

  /// What the line has for pointer number `i`.
  const json_field& operator[](std::size_t i) const noexcept { return fields_[i]; }
  std::size_t size() const noexcept { return fields_.size(); }

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
  std::vector<json_field> fields_;
};

}  // namespace spillway::tool
