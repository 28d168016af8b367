// Splits an input into CSV rows and fields (RFC 4180) without copying them.
//
// One thread. A row's text stays valid as long as its segment (see segment_pool): until `next` is called again, and for what was
// emitted before that, until the tracker releases it. The places of its fields stay until `next` is called again.
// 1. Fields end at the separator, rows at LF or CR LF; the last row may end with the input. Both stand inside quotes for
//    themselves, and so does a doubled quote. A quote opens a quoted field only as its first byte; elsewhere it is text.
// 2. A row of more than `max_line` bytes, an unclosed quote included, arrives cut there and marked; reading goes on behind the
//    next line feed after the cut, in flat memory.
// 3. The rows are a function of the bytes alone, never of how they arrived.
// 4. A header is a row like any other; an empty line is a row of one empty field.
//
//     nothing_held tracker;
//     segment_pool pool(tracker, segment_options_for(1 << 20));
//     csv_reader reader(pool, {.columns = 2});
//     text_source input("boiler,70\n\"pump \"\"A\"\"\",40\n");        // or an input_file
//     reader.open(input);
//     std::string sensors;
//     for (csv_row row; reader.next(row) == read_status::row;) sensors += std::string(reader.value(row, 0)) + ";";
//     assert(sensors == "boiler;pump \"A\";");
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "spillway/connectors/segment_cursor.hpp"

namespace spillway {

/// What is wrong with a row as CSV. Fields that lie wholly before the flaw can be used.
enum class csv_flaw : std::uint8_t { none, too_long, open_quote, text_after_quote };

/// One sentence part for reports: "line too long", "unclosed quote", "text after closing quote"; empty for none.
std::string_view to_string(csv_flaw flaw) noexcept;

class csv_row {
 public:
  /// The row verbatim, without its line end, cut at max_line when too long.
  std::string_view text() const noexcept { return {begin_, size_}; }

  /// The physical line (from 1, per input) on which the row begins.
  std::uint64_t line() const noexcept { return line_; }

  /// All fields, beyond the kept ones too; of a row that is too long, the kept ones that were complete at the cut.
  std::size_t fields() const noexcept { return fields_; }

  csv_flaw flaw() const noexcept { return flaw_; }

  /// Whether the line ended in CR LF.
  bool carriage_return() const noexcept { return carriage_return_; }

  /// Field `i` verbatim, quotes included. Requires: i < fields() and i < the reader's columns.
  std::string_view raw(std::size_t i) const noexcept {
    const char* const from = i == 0 ? begin_ : anchor_ + ends_[i - 1] + 1;
    return {from, static_cast<std::size_t>(anchor_ + ends_[i] - from)};
  }

 private:
  friend class csv_reader;
  const char* begin_ = nullptr;
  const char* anchor_ = nullptr;
  const std::uint32_t* ends_ = nullptr;  // counted from anchor_
  std::size_t size_ = 0;
  std::size_t fields_ = 0;
  std::uint64_t line_ = 0;
  csv_flaw flaw_ = csv_flaw::none;
  bool carriage_return_ = false;
};

struct csv_options {
  std::size_t columns = 64;                     // fields whose place is kept; the rest are only counted
  char separator = ',';                         // any byte but quote, CR and LF
  std::size_t max_line = std::size_t{1} << 20;  // bytes, without the line end; at most 1 GiB
};

class csv_reader {
 public:
  /// Errors: std::invalid_argument when an option is out of its range or such a row does not fit the pool's segments.
  csv_reader(segment_pool& pool, csv_options options = {});

  /// Goes on with another input, from line 1. `source` must outlive its use.
  void open(byte_source& source) noexcept;

  /// Keeps the places of the first `columns` fields from the next row on, once the header says how many are of use.
  void keep_columns(std::size_t columns);

  /// The next row. `again`: nothing can be read now, or no segment is free. Errors: input_error.
  read_status next(csv_row& row);

  /// Field `i` as it is meant: without its quotes, doubled quotes as one; verbatim where the quotes are flawed. Lives as long as the
  /// row's text.
  /// Requires: as for csv_row::raw, and `row` is the latest one.
  std::string_view value(const csv_row& row, std::size_t i) {
    const std::string_view raw = row.raw(i);
    return raw.empty() || raw.front() != '"' ? raw : unquoted(raw);
  }

  /// Room for rewritten text that lives as long as the latest row. Requires: `next` gave one.
  text_scratch& scratch() noexcept { return cursor_.scratch(); }

 private:
  bool walk(csv_row& row);
  bool walk_quoted(csv_row& row);
  void quote_at(std::size_t at) noexcept;
  void check_field_end(std::size_t at) noexcept;
  std::size_t field_start() const noexcept;
  void deliver(csv_row& row, std::size_t end, bool has_newline);
  void deliver_cut(csv_row& row);
  bool starved(csv_row& row, read_status& answer);
  void keep_last_end() noexcept;
  void keep_unfinished() noexcept;
  void index_more() noexcept;
  void begin_row() noexcept;
  void forget_marks() noexcept;
  read_status skip_rest();
  std::string_view unquoted(std::string_view raw);

  segment_cursor cursor_;
  std::size_t max_line_;
  char separator_;
  std::size_t columns_;
  std::uint64_t line_ = 1;
  bool skipping_ = false;

  // Offsets, from anchor_, of all separators, quotes and line feeds in the next `indexed_` bytes. The row being read owns those from
  // row_first_ on: first the ends of its fields (at most columns_ + 1 are kept), from walk_ on what was not looked at yet.
  const char* anchor_ = nullptr;
  std::vector<std::uint32_t> marks_;
  std::size_t indexed_ = 0;
  std::size_t count_ = 0;
  std::size_t row_first_ = 0;
  std::size_t walk_ = 0;

  // The row being read.
  std::size_t fields_ = 0;  // that are complete, up to walk_
  std::uint64_t inner_lines_ = 0;
  std::size_t closed_at_ = 0;  // from anchor_, behind the latest closing quote of the row
  bool has_quotes_ = false;
  bool open_ = false;
  csv_flaw flaw_ = csv_flaw::none;
};

}  // namespace spillway
