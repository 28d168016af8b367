#include "spillway/connectors/segment_cursor.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace spillway {

namespace {

/// Bytes asked for at a time: few enough that they are still in the second-level cache when they are split.
constexpr std::size_t read_bytes = 128 * 1024;

/// A line end, which belongs to no record but must be seen to end one.
constexpr std::size_t line_end_bytes = 2;

constexpr std::size_t total_bytes = std::size_t{64} << 20;
constexpr std::size_t smallest_segment_bytes = std::size_t{1} << 20;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

segment_options segment_options_for(std::size_t max_record) noexcept {
  const std::size_t bytes = std::max(smallest_segment_bytes, max_record + line_end_bytes + 4 * segment_reserve_bytes);
  return {.segment_bytes = bytes, .max_segments = std::max<std::size_t>(4, total_bytes / bytes)};
}

segment_cursor::segment_cursor(segment_pool& pool, std::size_t max_record) : pool_(pool) {
  if (pool.segment_bytes() < max_record + line_end_bytes + segment_reserve_bytes)
    throw std::invalid_argument("spillway: a record of " + std::to_string(max_record) + " bytes does not fit segments of " +
                                std::to_string(pool.segment_bytes()) +
                                " bytes; make the pool with segment_options_for(max_record)");
}

void segment_cursor::open(byte_source& source) noexcept {
  source_ = &source;
  at_end_ = false;
  start_of_input_ = true;
  held_back_ = 0;
  discard();
}

fill_status segment_cursor::fill() { return start_of_input_ ? fill_first() : read_more(); }

/// Reads until it is known whether the input begins with a byte-order mark; what may be one is held back until then.
fill_status segment_cursor::fill_first() {
  end_ += held_back_;
  held_back_ = 0;
  for (;;) {
    const fill_status status = read_more();
    const std::size_t seen = std::min(buffered(), byte_order_mark.size());
    const bool matches = seen != 0 && std::memcmp(begin_, byte_order_mark.data(), seen) == 0;
    if (matches && seen < byte_order_mark.size()) {
      if (status == fill_status::more) continue;
      if (status == fill_status::again) {
        held_back_ = seen;
        discard();
        return status;
      }
    }
    if (status == fill_status::again) return status;
    start_of_input_ = false;
    if (matches && seen == byte_order_mark.size()) consume(seen);
    return status;
  }
}

fill_status segment_cursor::read_more() {
  if (at_end_) return fill_status::end;
  if (static_cast<std::size_t>(limit_ - end_) < segment_reserve_bytes && !move_on()) return fill_status::again;
  const std::size_t room = std::min(static_cast<std::size_t>(limit_ - end_), read_bytes);
  const read_result got = source_->try_read({end_, room});
  end_ += got.bytes;
  if (got.bytes != 0) return fill_status::more;
  if (!got.end) return fill_status::again;
  at_end_ = true;
  // For parsers that look at the byte behind the last line: what stands there must not change what they find.
  *end_ = '\n';
  return fill_status::end;
}

bool segment_cursor::move_on() {
  input_segment* next = pool_.acquire();
  if (next == nullptr) return false;
  const std::size_t size = buffered();
  if (size != 0) std::memcpy(next->data(), begin_, size);
  if (segment_ != nullptr) pool_.leave(*segment_);
  segment_ = next;
  begin_ = next->data();
  end_ = begin_ + size;
  limit_ = begin_ + next->capacity();
  return true;
}

void segment_cursor::close() noexcept {
  if (segment_ != nullptr) pool_.leave(*segment_);
  segment_ = nullptr;
  begin_ = end_ = limit_ = nullptr;
  at_end_ = true;
}

}  // namespace spillway
