// The place in the input where the next record begins, and the bytes read behind it: what the line and the row reader share.
//
// One thread.
// 1. The unfinished record is always contiguous; when a segment is full it moves, alone, to the next one.
// 2. Bytes that were consumed stay where they are as long as their segment (see segment_pool).
// 3. A byte-order mark at the start of each input is skipped, however the bytes arrive.
//
//     nothing_held tracker;
//     segment_pool pool(tracker, segment_options_for(1 << 20));
//     segment_cursor cursor(pool, 1 << 20);
//     text_source input("boiler,70\n");
//     cursor.open(input);
//     std::string seen;
//     for (; cursor.fill() == fill_status::more; cursor.consume(cursor.buffered())) seen.append(cursor.record(), cursor.buffered());
//     assert(seen == "boiler,70\n");
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "spillway/connectors/byte_source.hpp"
#include "spillway/connectors/segment_pool.hpp"

namespace spillway {

enum class fill_status : std::uint8_t { more, again, end };

/// Free bytes below which a segment counts as full.
inline constexpr std::size_t segment_reserve_bytes = 16 * 1024;

/// Segments that hold any record of at most `max_record` bytes, 64 MiB altogether unless that would be fewer than four.
segment_options segment_options_for(std::size_t max_record) noexcept;

class segment_cursor {
 public:
  /// Errors: std::invalid_argument when a record of `max_record` bytes does not fit the pool's segments.
  segment_cursor(segment_pool& pool, std::size_t max_record);
  segment_cursor(const segment_cursor&) = delete;
  segment_cursor& operator=(const segment_cursor&) = delete;
  ~segment_cursor() { close(); }

  /// Goes on with another input; unconsumed bytes of the one before are forgotten. `source` must outlive its use.
  void open(byte_source& source) noexcept;

  /// Reads what is there behind the buffered bytes. `record()` may have moved. Errors: input_error.
  fill_status fill();

  /// The first byte of the unfinished record; `buffered()` bytes of it are there, and segment_padding readable ones behind.
  const char* record() const noexcept { return begin_; }
  std::size_t buffered() const noexcept { return static_cast<std::size_t>(end_ - begin_); }

  /// The record begins `size` bytes further on. Requires: size <= buffered().
  void consume(std::size_t size) noexcept { begin_ += size; }

  /// Forgets the buffered bytes; the next `fill` overwrites them.
  void discard() noexcept { end_ = begin_; }

  /// Room for rewritten text of the current record. Requires: something was read.
  text_scratch& scratch() noexcept { return segment_->scratch(); }

  /// Leaves the segment; `open` may follow.
  void close() noexcept;

 private:
  fill_status fill_first();
  fill_status read_more();
  bool move_on();

  segment_pool& pool_;
  byte_source* source_ = nullptr;
  input_segment* segment_ = nullptr;
  char* begin_ = nullptr;
  char* end_ = nullptr;
  char* limit_ = nullptr;
  std::size_t held_back_ = 0;
  bool at_end_ = true;
  bool start_of_input_ = false;
};

}  // namespace spillway
