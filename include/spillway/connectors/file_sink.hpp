// A buffered writer to a file or to standard output that never loses an error.
//
// One thread.
// 1. Every failure (disk full, closed pipe) throws output_error from the `write`, `flush` or `close` that met it; after that
//    each further `write` and `flush` throws it again, and `close` only lets go of the file.
// 2. What was written is with the operating system after `flush` or `close`, not before. The destructor lets go of the file and
//    cannot report: call `close`.
// 3. SIGPIPE belongs to the program: ignore it, and a closed pipe becomes an output_error.
//
//     file_sink out("/dev/null");
//     out.write("window_start,window_end,count\n");
//     out.close();                                    // throws output_error if anything was not written
//     assert(out.written() == 30);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace spillway {

/// An output that cannot be opened or written. The text says which, why, and what to do.
class output_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class file_sink {
 public:
  /// Creates or empties `path`; "-" is standard output. Errors: output_error.
  explicit file_sink(std::string path, std::size_t buffer_bytes = 64 * 1024);
  file_sink(file_sink&& other) noexcept;
  file_sink& operator=(file_sink&&) = delete;
  ~file_sink();

  /// Appends; goes to the file when the buffer is full. Errors: output_error.
  void write(std::string_view text) {
    if (text.size() > room_) return write_slow(text);
    text.copy(next_, text.size());
    next_ += text.size();
    room_ -= text.size();
  }

  /// Hands everything to the operating system. Errors: output_error.
  void flush();

  /// Flushes and lets go of the file, reporting what that reveals. A second call does nothing. Errors: output_error.
  void close();

  /// The path, or "standard output".
  const std::string& name() const noexcept { return name_; }

  /// Bytes handed to the operating system so far.
  std::uint64_t written() const noexcept { return written_; }

 private:
  void write_slow(std::string_view text);
  void write_all(const char* data, std::size_t size);
  void reset_buffer() noexcept;
  [[noreturn]] void fail(const char* verb, int error);

  std::string name_;
  int fd_ = -1;
  bool standard_ = false;
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  char* next_ = nullptr;
  std::size_t room_ = 0;  // 0 once failed or closed, so that `write` takes the slow way
  std::uint64_t written_ = 0;
  std::string failure_;
};

}  // namespace spillway
