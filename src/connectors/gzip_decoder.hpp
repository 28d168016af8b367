// Turns gzip bytes into plain ones, member after member: the part of input_file that knows zlib.
//
// One thread.
// 1. The caller supplies input when `decode` asks for it, and knows the end of the input; the decoder knows whether it may end there.
//
//     while (decoder.decode(room, produced) == gzip_decoder::step::starved) decoder.supply(read(decoder.room()));
#pragma once

#include <zlib.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace spillway::detail {

class gzip_decoder {
 public:
  enum class step : unsigned char { produced, starved, damaged };

  /// Errors: std::bad_alloc.
  gzip_decoder();
  gzip_decoder(const gzip_decoder&) = delete;
  gzip_decoder& operator=(const gzip_decoder&) = delete;
  ~gzip_decoder();

  /// Where the next input goes. Requires: `decode` said starved, or nothing was supplied yet.
  std::span<char> room() noexcept { return {input_.get(), input_bytes}; }
  void supply(std::size_t size) noexcept;

  /// Writes plain bytes to `into`, at least one when it says `produced`.
  step decode(std::span<char> into, std::size_t& produced);

  /// Whether the input may end here: not within a member.
  bool complete() const noexcept { return !in_member_; }

  /// Why it is damaged.
  const std::string& reason() const noexcept { return reason_; }

  static constexpr std::size_t input_bytes = 64 * 1024;

 private:
  bool next_member();

  z_stream stream_{};
  std::unique_ptr<char[]> input_;
  bool in_member_ = true;
  std::string reason_;
};

}  // namespace spillway::detail
