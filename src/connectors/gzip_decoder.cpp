#include "gzip_decoder.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace spillway::detail {

namespace {
constexpr int gzip_only_window_bits = 16 + 15;
constexpr Bytef magic = 0x1f;
}  // namespace

gzip_decoder::gzip_decoder() : input_(std::make_unique_for_overwrite<char[]>(input_bytes)) {
  if (inflateInit2(&stream_, gzip_only_window_bits) != Z_OK) throw std::bad_alloc();
}

gzip_decoder::~gzip_decoder() { inflateEnd(&stream_); }

void gzip_decoder::supply(std::size_t size) noexcept {
  stream_.next_in = reinterpret_cast<Bytef*>(input_.get());
  stream_.avail_in = static_cast<uInt>(size);
}

gzip_decoder::step gzip_decoder::decode(std::span<char> into, std::size_t& produced) {
  produced = 0;
  if (!reason_.empty()) return step::damaged;
  const auto room = static_cast<uInt>(std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max()));
  stream_.next_out = reinterpret_cast<Bytef*>(into.data());
  stream_.avail_out = room;
  while (stream_.avail_in != 0) {
    if (!in_member_ && !next_member()) break;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      in_member_ = false;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      reason_ = stream_.msg != nullptr ? stream_.msg : "invalid data";
    }
    if (stream_.avail_out == 0 || !reason_.empty()) break;
  }
  produced = room - stream_.avail_out;
  if (produced != 0) return step::produced;
  return reason_.empty() ? step::starved : step::damaged;
}

/// Between members: over padding to the next one. False when the input supplied so far holds none.
bool gzip_decoder::next_member() {
  while (stream_.avail_in != 0 && *stream_.next_in == 0) {
    ++stream_.next_in;
    --stream_.avail_in;
  }
  if (stream_.avail_in == 0) return false;
  if (*stream_.next_in != magic) {
    reason_ = "something that is not gzip follows the compressed data";
    return false;
  }
  inflateReset(&stream_);
  in_member_ = true;
  return true;
}

}  // namespace spillway::detail
