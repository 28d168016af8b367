#include "spillway/connectors/csv_reader.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "spillway/connectors/byte_scan.hpp"
#include "spillway/core/config.hpp"

namespace spillway {

namespace {
constexpr std::size_t largest_line_bytes = std::size_t{1} << 30;
constexpr std::size_t most_columns = std::size_t{1} << 20;

/// Bytes whose marks are looked for at a time: the marks of usual rows then fit the first-level cache.
constexpr std::size_t index_bytes = 16 * 1024;
}  // namespace

std::string_view to_string(csv_flaw flaw) noexcept {
  switch (flaw) {
    case csv_flaw::none:
      break;
    case csv_flaw::too_long:
      return "line too long";
    case csv_flaw::open_quote:
      return "unclosed quote";
    case csv_flaw::text_after_quote:
      return "text after closing quote";
  }
  return {};
}

csv_reader::csv_reader(segment_pool& pool, csv_options options)
    : cursor_(pool, options.max_line), max_line_(options.max_line), separator_(options.separator), columns_(0) {
  if (options.max_line == 0 || options.max_line > largest_line_bytes)
    throw std::invalid_argument("spillway: max_line of a csv_reader must be between 1 and 1 GiB");
  if (separator_ == '"' || separator_ == '\n' || separator_ == '\r')
    throw std::invalid_argument("spillway: the separator of a csv_reader must not be a quote or a line end");
  keep_columns(options.columns);
}

void csv_reader::keep_columns(std::size_t columns) {
  if (columns == 0 || columns > most_columns)
    throw std::invalid_argument("spillway: the columns of a csv_reader must be between 1 and 1048576");
  columns_ = columns;
  marks_.resize(columns + index_bytes + scan_block_bytes);
  // A row may be half read; it is looked at again from its start.
  forget_marks();
}

void csv_reader::open(byte_source& source) noexcept {
  cursor_.open(source);
  line_ = 1;
  skipping_ = false;
  forget_marks();
}

void csv_reader::begin_row() noexcept {
  row_first_ = walk_;
  fields_ = 0;
  inner_lines_ = 0;
  closed_at_ = 0;
  has_quotes_ = false;
  open_ = false;
  flaw_ = csv_flaw::none;
}

/// Starts anew with the row at the cursor.
void csv_reader::forget_marks() noexcept {
  anchor_ = cursor_.record();
  indexed_ = count_ = walk_ = 0;
  begin_row();
}

read_status csv_reader::next(csv_row& row) {
  if (skipping_) {
    const read_status status = skip_rest();
    if (status != read_status::row) return status;
  }
  for (;;) {
    if (has_quotes_ ? walk_quoted(row) : walk(row)) return read_status::row;
    read_status answer{};
    if (starved(row, answer)) return answer;
  }
}

/// Looks for the end of a row without quotes among the marks; true when it was found and the row delivered.
SPILLWAY_INLINE bool csv_reader::walk(csv_row& row) {
  const std::uint32_t* const marks = marks_.data();
  const char* const anchor = anchor_;
  const char separator = separator_;
  const std::size_t count = count_;
  std::size_t i = walk_;
  while (i != count && anchor[marks[i]] == separator) ++i;
  fields_ += i - walk_;
  walk_ = i;
  if (i == count) return false;
  if (anchor[marks[i]] != '\n') [[unlikely]] {
    keep_last_end();
    has_quotes_ = true;
    return walk_quoted(row);
  }
  ++walk_;
  deliver(row, marks[i], true);
  return true;
}

/// The same for a row with quotes. The ends of its fields close up over the marks that are none.
SPILLWAY_NOINLINE bool csv_reader::walk_quoted(csv_row& row) {
  std::uint32_t* const marks = marks_.data();
  while (walk_ != count_) {
    const std::uint32_t at = marks[walk_++];
    const char mark = anchor_[at];
    if (mark == '"') {
      quote_at(at);
    } else if (open_) {
      if (mark == '\n') ++inner_lines_;
    } else if (mark == separator_) {
      check_field_end(at);
      marks[row_first_ + std::min(fields_, columns_)] = at;
      ++fields_;
    } else {
      deliver(row, at, true);
      return true;
    }
  }
  return false;
}

/// Where the unfinished field begins, counted from anchor_. Requires: all field ends up to it are kept, or it is not a kept one.
std::size_t csv_reader::field_start() const noexcept {
  if (fields_ == 0) return static_cast<std::size_t>(cursor_.record() - anchor_);
  return std::size_t{marks_[row_first_ + std::min(fields_ - 1, columns_)]} + 1;
}

void csv_reader::quote_at(std::size_t at) noexcept {
  if (open_) {
    open_ = false;
    closed_at_ = at + 1;
  } else if (at == field_start() || (at == closed_at_ && anchor_[field_start()] == '"')) {
    open_ = true;
  }
}

void csv_reader::check_field_end(std::size_t at) noexcept {
  const std::size_t start = field_start();
  if (start < at && anchor_[start] == '"' && closed_at_ != at) flaw_ = csv_flaw::text_after_quote;
}

/// `end`: the place of the line feed, or the end of the input, counted from anchor_.
SPILLWAY_INLINE void csv_reader::deliver(csv_row& row, std::size_t end, bool has_newline) {
  const char* const begin = cursor_.record();
  const auto size = static_cast<std::size_t>(anchor_ + end - begin);
  const bool carriage_return = size != 0 && begin[size - 1] == '\r' && !open_;
  const std::size_t text_size = size - (carriage_return ? 1 : 0);
  if (text_size > max_line_) [[unlikely]]
    return deliver_cut(row);
  const std::size_t text_end = end - (carriage_return ? 1 : 0);
  if (has_quotes_ && !open_) check_field_end(text_end);
  std::uint32_t* const ends = marks_.data() + row_first_;
  ends[std::min(fields_, columns_)] = static_cast<std::uint32_t>(text_end);
  row.begin_ = begin;
  row.anchor_ = anchor_;
  row.ends_ = ends;
  row.size_ = text_size;
  row.fields_ = fields_ + 1;
  row.line_ = line_;
  row.flaw_ = open_ ? csv_flaw::open_quote : flaw_;
  row.carriage_return_ = carriage_return;
  line_ += 1 + inner_lines_;
  cursor_.consume(size + (has_newline ? 1 : 0));
  begin_row();
}

SPILLWAY_COLD void csv_reader::deliver_cut(csv_row& row) {
  const char* const begin = cursor_.record();
  const std::uint32_t* const ends = marks_.data() + row_first_;
  const auto cut_at = static_cast<std::uint32_t>(begin - anchor_) + static_cast<std::uint32_t>(max_line_);
  row.begin_ = begin;
  row.anchor_ = anchor_;
  row.ends_ = ends;
  row.size_ = max_line_;
  row.fields_ = static_cast<std::size_t>(std::upper_bound(ends, ends + std::min(fields_, columns_), cut_at) - ends);
  row.line_ = line_;
  row.flaw_ = csv_flaw::too_long;
  row.carriage_return_ = false;
  line_ += static_cast<std::uint64_t>(std::count(begin, begin + max_line_, '\n'));
  cursor_.consume(max_line_);
  skipping_ = true;
}

/// All marks were looked at without finding the end of the row: finds more, or says what else came of it (true).
SPILLWAY_NOINLINE bool csv_reader::starved(csv_row& row, read_status& answer) {
  keep_unfinished();
  if (indexed_ == cursor_.buffered()) {
    // With two bytes more than the longest row and no end yet, this one is too long whatever follows.
    answer = read_status::row;
    if (indexed_ >= max_line_ + 2) {
      deliver_cut(row);
      return true;
    }
    const fill_status status = cursor_.fill();
    anchor_ = cursor_.record();
    if (status == fill_status::again) {
      answer = read_status::again;
      return true;
    }
    if (status == fill_status::end && indexed_ == cursor_.buffered()) {
      if (indexed_ == 0)
        answer = read_status::end;
      else
        deliver(row, indexed_, false);
      indexed_ = 0;
      anchor_ = cursor_.record();
      return true;
    }
  }
  index_more();
  return false;
}

/// Of fields that are not kept, the end of the latest stands behind those of the kept ones.
void csv_reader::keep_last_end() noexcept {
  if (fields_ > columns_) marks_[row_first_ + columns_] = marks_[walk_ - 1];
}

/// Moves what is known of the unfinished row to the front, counted from the row's start.
void csv_reader::keep_unfinished() noexcept {
  const auto row_start = static_cast<std::size_t>(cursor_.record() - anchor_);
  if (!has_quotes_) keep_last_end();
  const std::size_t kept = std::min(fields_, columns_ + 1);
  for (std::size_t i = 0; i < kept; ++i) marks_[i] = marks_[row_first_ + i] - static_cast<std::uint32_t>(row_start);
  if (closed_at_ != 0) closed_at_ -= row_start;
  indexed_ -= row_start;
  anchor_ = cursor_.record();
  row_first_ = 0;
  walk_ = count_ = kept;
}

void csv_reader::index_more() noexcept {
  const std::size_t size = std::min(index_bytes, cursor_.buffered() - indexed_);
  count_ +=
      find_marks(anchor_ + indexed_, size, static_cast<std::uint32_t>(indexed_), {separator_, '"', '\n'}, marks_.data() + count_);
  indexed_ += size;
}

/// Reads over the rest of a cut row, up to the next line feed; `row` when it was found.
SPILLWAY_COLD read_status csv_reader::skip_rest() {
  for (;;) {
    const char* begin = cursor_.record();
    if (const std::size_t size = cursor_.buffered(); size != 0) {
      if (const void* found = std::memchr(begin, '\n', size)) {
        cursor_.consume(static_cast<std::size_t>(static_cast<const char*>(found) - begin) + 1);
        ++line_;
        skipping_ = false;
        forget_marks();
        return read_status::row;
      }
      cursor_.discard();
    }
    const fill_status status = cursor_.fill();
    if (status == fill_status::again) return read_status::again;
    if (status == fill_status::end && cursor_.buffered() == 0) {
      skipping_ = false;
      forget_marks();
      return read_status::end;
    }
  }
}

SPILLWAY_NOINLINE std::string_view csv_reader::unquoted(std::string_view raw) {
  if (raw.size() < 2 || raw.back() != '"') return raw;
  const std::string_view inner = raw.substr(1, raw.size() - 2);
  if (inner.find('"') == std::string_view::npos) return inner;
  char* const out = scratch().allocate(inner.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    out[size++] = inner[i];
    if (inner[i] != '"') continue;
    if (++i == inner.size() || inner[i] != '"') {  // text behind a closing quote: the row is marked, the field stays as it is
      scratch().give_back(inner.size());
      return raw;
    }
  }
  scratch().give_back(inner.size() - size);
  return {out, size};
}

}  // namespace spillway
