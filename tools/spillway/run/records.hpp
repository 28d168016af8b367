// The records that flow through `spillway run`, and its side outputs.
//
// Value types.
// 1. Texts point into the input's segments; on the way to the late and malformed files the edges take them along.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "spillway/core/text_ref.hpp"
#include "spillway/operators/output_tag.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway::tool {

/// A row of the input before it is parsed: the reader holds its fields.
struct raw_row {};

/// A parsed record: one 64-byte line.
struct tick {
  timestamp at;
  double value = 0;
  double weight = 0;
  text_ref line;  // as it came, so that it can be written to the late file
  const char* key_data = nullptr;
  std::uint32_t key_size = 0;  // of the key, in the form in which CSV output prints it
  std::int64_t clock_ns = 0;   // when it was read, for the records that are timed; then how far it is behind the largest time

  text_ref key() const noexcept { return std::string_view(key_data, key_size); }
  friend text_ref& text_of(tick& t) noexcept { return t.line; }
};

/// A record whose windows have all passed.
struct late_line {
  text_ref line;
  std::int64_t behind_ns = 0;

  explicit late_line(const tick& t) noexcept : line(t.line), behind_ns(t.clock_ns) {}
  friend text_ref& text_of(late_line& l) noexcept { return l.line; }
};

/// A record that cannot be used.
struct bad_line {
  text_ref text;
  std::string_view reason;  // of static storage
  std::uint64_t line = 0;
  std::uint32_t input = 0;

  friend text_ref& text_of(bad_line& b) noexcept { return b.text; }
};

inline constexpr output_tag<"late", late_line> late{};
inline constexpr output_tag<"malformed", bad_line> malformed{};

}  // namespace spillway::tool
