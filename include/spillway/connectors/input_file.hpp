// One input of bytes: a file, a pipe or standard input, plain or gzip.
//
// One thread; the stop flag may be set from any thread or from a signal handler.
// 1. gzip is known by its first bytes, not by its name; members that follow each other read as one; an input that ends within
//    one, or has something else behind it (other than zero bytes), is an error, after all bytes before it were delivered.
// 2. `try_read` never waits; `read` waits at most 50 ms at a time and looks at the stop flag in between.
// 3. Neither reads anything more once the stop flag is set: it is as if the input ended there.
//
//     const scratch_file scratch;
//     file_sink out(scratch.path());
//     out.write("boiler,70\n");
//     out.close();
//     input_file file(scratch.path());                // or "-", or a gzip file
//     std::array<char, 4096> room;
//     std::string bytes;
//     while (std::size_t got = file.read(room)) bytes.append(room.data(), got);
//     assert(bytes == "boiler,70\n");
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "spillway/connectors/byte_source.hpp"

namespace spillway {

/// An input that cannot be opened or read. The text says which, why, and what to do.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {
class gzip_decoder;
}

class input_file final : public byte_source {
 public:
  /// Opens `path`, "-" for standard input; reads nothing yet. `stop`, when given, must outlive the file.
  /// Errors: input_error for what cannot be opened, and for a directory.
  explicit input_file(std::string path, const std::atomic<bool>* stop = nullptr);
  input_file(input_file&& other) noexcept;
  input_file& operator=(input_file&&) = delete;
  ~input_file() override;

  /// Up to `into.size()` bytes, waiting for the first; 0 at the end and when stopped. Errors: input_error.
  std::size_t read(std::span<char> into);

  read_result try_read(std::span<char> into) override;

  /// The path, or "standard input".
  const std::string& name() const noexcept { return name_; }

  /// Whether the stop flag is set. Relaxed: the flag says nothing about other memory, and pairs with any store.
  bool stopped() const noexcept { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

 private:
  enum class encoding : unsigned char { unknown, plain, gzip };

  read_result read_plain(std::span<char> into);
  read_result read_gzip(std::span<char> into);
  read_result read_raw(std::span<char> into);
  bool detect(read_result& pending);
  bool readable(int timeout_ms);

  std::string name_;
  const std::atomic<bool>* stop_;
  int fd_ = -1;
  bool pollable_ = false;
  encoding encoding_ = encoding::unknown;
  bool raw_end_ = false;
  unsigned char first_[2] = {};  // read to tell the encoding, not handed out yet
  std::size_t first_size_ = 0;
  std::unique_ptr<detail::gzip_decoder> decoder_;
};

}  // namespace spillway
