// Splits an input into lines (NDJSON, logs) without copying them.
//
// One thread. A line's text stays valid as long as its segment (see segment_pool): until `next` is called again, and for what was
// emitted before that, until the tracker releases it.
// 1. A line ends at LF or CR LF; the last one may end with the input. A byte-order mark at the start is no part of it.
// 2. A line of more than `max_line` bytes arrives cut there and marked; the rest is read over, in flat memory.
// 3. The lines are a function of the bytes alone, never of how they arrived.
// 4. segment_padding bytes behind the text are readable, as simdjson asks for.
//
//     nothing_held tracker;
//     segment_pool pool(tracker, segment_options_for(1 << 20));
//     line_reader reader(pool, {.max_line = 1 << 20});
//     text_source input("first\r\nsecond");           // or an input_file
//     reader.open(input);
//     std::string_view last;
//     for (text_line line; reader.next(line) == read_status::row;) last = line.text;
//     assert(last == "second");
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "spillway/connectors/segment_cursor.hpp"

namespace spillway {

struct text_line {
  std::string_view text;     // verbatim, without its line end
  std::uint64_t number = 0;  // from 1, per input
  bool cut = false;          // the line is longer; this is its beginning
  bool carriage_return = false;
};

struct line_options {
  std::size_t max_line = std::size_t{1} << 20;  // bytes, without the line end
};

class line_reader {
 public:
  /// Errors: std::invalid_argument when `max_line` is 0 or such a line does not fit the pool's segments.
  line_reader(segment_pool& pool, line_options options = {});

  /// Goes on with another input, from line 1. `source` must outlive its use.
  void open(byte_source& source) noexcept;

  /// The next line. `again`: nothing can be read now, or no segment is free. Errors: input_error.
  read_status next(text_line& line);

  /// Room for rewritten text that lives as long as the latest line. Requires: `next` gave one.
  text_scratch& scratch() noexcept { return cursor_.scratch(); }

 private:
  void deliver(text_line& line, std::size_t end, bool has_newline);
  read_status skip_rest();

  segment_cursor cursor_;
  std::size_t max_line_;
  std::size_t scanned_ = 0;  // bytes of the unfinished line known to hold no line feed
  std::uint64_t line_ = 1;
  bool skipping_ = false;
};

}  // namespace spillway
