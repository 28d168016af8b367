// Where the readers of lines and rows get their bytes from, and how they say what came of a request.
//
// One thread at a time.
// 1. `try_read` never waits; it says "nothing now" instead, so a stage can flush what it holds and idle.
// 2. A reader that answers `again` has kept everything: ask again later, after flushing what you hold.
//
//     struct digits final : byte_source {
//       int left = 3;
//       read_result try_read(std::span<char> into) override {
//         if (left == 0) return {0, true};
//         into[0] = static_cast<char>('0' + left--);
//         return {1, false};
//       }
//     };
//
//     digits source;
//     char first = 0;
//     const read_result got = source.try_read(std::span(&first, 1));
//     assert(got.bytes == 1 && !got.end && first == '3');
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

/// `bytes` were read; none and `end`: there will be no more; none without `end`: nothing now.
struct read_result {
  std::size_t bytes = 0;
  bool end = false;
};

struct byte_source {
  virtual ~byte_source() = default;

  /// Reads at most `into.size()` bytes. Requires: `into` is not empty. Errors: input_error.
  virtual read_result try_read(std::span<char> into) = 0;
};

/// What a reader's `next` came to: a row, nothing yet (no input now, or no memory free), or the end of the input.
enum class read_status : std::uint8_t { row, again, end };

}  // namespace spillway
