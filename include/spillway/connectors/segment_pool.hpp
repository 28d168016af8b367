// Input memory in recycled segments: the bytes as they were read, and room beside them for text that had to be rewritten
// (an unescaped key). Handles (`text_ref`) point straight into a segment, so no line is copied on its way through a pipeline.
//
// One thread: the one that reads. The counts may be read from any thread.
// 1. A segment stays untouched from `leave` until the tracker says that every record emitted before has been released.
// 2. Memory grows by whole segments up to `max_segments`, then `acquire` refuses. Every allocation is counted by `growths`.
// 3. Behind its `capacity()` bytes a segment has `segment_padding` readable bytes, so vector code may read past a line's end.
//
//     nothing_held tracker;
//     segment_pool pool(tracker, {.segment_bytes = 1 << 20, .max_segments = 64});
//     if (input_segment* segment = pool.acquire()) {
//       std::memset(segment->data(), 'x', segment->capacity());       // read input into it, and emit what points there
//       pool.leave(*segment);
//     }
//     assert(pool.segments() == 1);
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "spillway/core/counter.hpp"
#include "spillway/operators/release_tracker.hpp"

namespace spillway {

/// Readable bytes behind each segment, with any content.
inline constexpr std::size_t segment_padding = 64;

/// Rewritten text that lives as long as the segment it belongs to. Blocks are kept for reuse.
class text_scratch {
 public:
  explicit text_scratch(counter& growths) noexcept : growths_(&growths) {}
  text_scratch(const text_scratch&) = delete;
  text_scratch& operator=(const text_scratch&) = delete;
  ~text_scratch();

  /// `size` bytes that stay in place until `reset`. Allocates only where no kept block has room (counted).
  char* allocate(std::size_t size) {
    if (room_ < size) return allocate_slow(size);
    char* result = next_;
    next_ += size;
    room_ -= size;
    return result;
  }

  /// Gives the last `size` bytes back. Requires: they are the tail of the latest `allocate`.
  void give_back(std::size_t size) noexcept {
    next_ -= size;
    room_ += size;
  }

  /// Forgets all text, keeps the memory.
  void reset() noexcept;

 private:
  struct block {
    block* next;
    std::size_t size;
  };
  char* allocate_slow(std::size_t size);
  void use(block& b) noexcept;

  counter* growths_;
  block* first_ = nullptr;
  block* current_ = nullptr;
  char* next_ = nullptr;
  std::size_t room_ = 0;
};

class input_segment {
 public:
  /// Made by the pool, which allocates the bytes when they are first needed.
  explicit input_segment(counter& growths) noexcept : scratch_(growths) {}

  char* data() noexcept { return bytes_.get(); }
  std::size_t capacity() const noexcept { return capacity_; }
  text_scratch& scratch() noexcept { return scratch_; }

 private:
  friend class segment_pool;
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::uint64_t token_ = 0;
  text_scratch scratch_;
};

struct segment_options {
  std::size_t segment_bytes = std::size_t{1} << 20;
  std::size_t max_segments = 64;
};

class segment_pool {
 public:
  /// Allocates no segment yet. Errors: std::invalid_argument when a size is 0 or `segment_bytes` is above 2 GiB.
  explicit segment_pool(release_tracker& tracker, segment_options options = {});

  /// A segment to fill: a released one, else a new one, else null at the limit (flush, and try again later).
  input_segment* acquire();

  /// Ends the use of a segment: its bytes stay until the tracker has released what was emitted up to now.
  void leave(input_segment& segment);

  std::size_t segment_bytes() const noexcept { return options_.segment_bytes; }
  std::size_t max_segments() const noexcept { return options_.max_segments; }

  /// Segments allocated so far: the high-water mark of the input's memory.
  std::uint64_t segments() const noexcept { return segments_.get(); }

  /// Allocations so far, of segments and of blocks for rewritten text.
  std::uint64_t growths() const noexcept { return growths_.get(); }

 private:
  input_segment* grow();

  release_tracker& tracker_;
  segment_options options_;
  counter growths_;
  counter segments_;
  std::deque<input_segment> all_;     // the first `segments_` have memory
  std::vector<input_segment*> left_;  // in the order of their tokens
};

}  // namespace spillway
