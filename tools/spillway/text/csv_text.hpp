// Fields as CSV writes them (RFC 4180).
//
// Pure functions, for any thread.
// 1. What `append_csv_field` writes reads back as the same bytes.
//
//     append_csv_field(line, "Zurich, Bahnhof");                        // "Zurich, Bahnhof" with its quotes
#pragma once

#include <string>
#include <string_view>

namespace spillway::tool {

/// Whether a field must be quoted: it holds the separator, a quote, or a part of a line end.
constexpr bool needs_csv_quotes(std::string_view field, char separator = ',') noexcept {
  for (const char c : field)
    if (c == separator || c == '"' || c == '\n' || c == '\r') return true;
  return false;
}

/// Appends `field`, quoted only where needed. `Out` is a std::string or another buffer with push_back and append(string_view).
template <class Out>
void append_csv_field(Out& out, std::string_view field, char separator = ',') {
  if (!needs_csv_quotes(field, separator)) {
    out.append(field);
    return;
  }
  out.push_back('"');
  for (std::size_t quote = field.find('"'); quote != std::string_view::npos; quote = field.find('"')) {
    out.append(field.substr(0, quote + 1));
    out.push_back('"');
    field.remove_prefix(quote + 1);
  }
  out.append(field);
  out.push_back('"');
}

}  // namespace spillway::tool
