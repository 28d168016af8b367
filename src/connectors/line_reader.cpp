#include "spillway/connectors/line_reader.hpp"

#include <cstring>
#include <stdexcept>

#include "spillway/core/config.hpp"

namespace spillway {

line_reader::line_reader(segment_pool& pool, line_options options)
    : cursor_(pool, options.max_line), max_line_(options.max_line) {
  if (options.max_line == 0) throw std::invalid_argument("spillway: max_line of a line_reader must not be 0");
}

void line_reader::open(byte_source& source) noexcept {
  cursor_.open(source);
  scanned_ = 0;
  line_ = 1;
  skipping_ = false;
}

read_status line_reader::next(text_line& line) {
  if (skipping_) {
    const read_status status = skip_rest();
    if (status != read_status::row) return status;
  }
  for (;;) {
    const char* begin = cursor_.record();
    const std::size_t size = cursor_.buffered();
    if (size != scanned_) {
      if (const void* found = std::memchr(begin + scanned_, '\n', size - scanned_)) {
        deliver(line, static_cast<std::size_t>(static_cast<const char*>(found) - begin), true);
        return read_status::row;
      }
      scanned_ = size;
    }
    // With two bytes more than the longest line and no line end yet, this one is too long whatever follows.
    if (size >= max_line_ + 2) {
      deliver(line, size, false);
      return read_status::row;
    }
    switch (cursor_.fill()) {
      case fill_status::more:
        break;
      case fill_status::again:
        return read_status::again;
      case fill_status::end:
        if (cursor_.buffered() == 0) return read_status::end;
        scanned_ = cursor_.buffered();
        deliver(line, scanned_, false);
        return read_status::row;
    }
  }
}

/// `end`: bytes before the line feed, or all there are.
void line_reader::deliver(text_line& line, std::size_t end, bool has_newline) {
  const char* begin = cursor_.record();
  const bool carriage_return = end != 0 && begin[end - 1] == '\r';
  const std::size_t size = end - (carriage_return ? 1 : 0);
  line.number = line_++;
  scanned_ = 0;
  if (size > max_line_) {
    line.text = {begin, max_line_};
    line.cut = true;
    line.carriage_return = false;
    cursor_.consume(max_line_);
    skipping_ = true;
    return;
  }
  line.text = {begin, size};
  line.cut = false;
  line.carriage_return = carriage_return;
  cursor_.consume(end + (has_newline ? 1 : 0));
}

/// Reads over the rest of a cut line; `row` when its end was found.
SPILLWAY_COLD read_status line_reader::skip_rest() {
  for (;;) {
    const char* begin = cursor_.record();
    if (const std::size_t size = cursor_.buffered(); size != 0) {
      if (const void* found = std::memchr(begin, '\n', size)) {
        cursor_.consume(static_cast<std::size_t>(static_cast<const char*>(found) - begin) + 1);
        skipping_ = false;
        return read_status::row;
      }
      cursor_.discard();
    }
    switch (cursor_.fill()) {
      case fill_status::more:
        break;
      case fill_status::again:
        return read_status::again;
      case fill_status::end:
        if (cursor_.buffered() != 0) break;
        skipping_ = false;
        return read_status::end;
    }
  }
}

}  // namespace spillway
