#include "spillway/connectors/file_sink.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "spillway/core/config.hpp"

namespace spillway {

namespace {
std::string reason(int error) { return std::system_category().message(error); }

const char* advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space or write elsewhere";
    case EPIPE:
      return "; the program that reads it has ended";
    default:
      return "; check the path and its permissions";
  }
}
}  // namespace

file_sink::file_sink(std::string path, std::size_t buffer_bytes)
    : name_(std::move(path)), capacity_(buffer_bytes == 0 ? 1 : buffer_bytes) {
  standard_ = name_ == "-";
  if (standard_) {
    name_ = "standard output";
    fd_ = STDOUT_FILENO;
  } else {
    constexpr mode_t all_may_write = 0666;  // less the user's umask
    do {
      fd_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, all_may_write);
    } while (fd_ < 0 && errno == EINTR);
    const int error = errno;
    name_ = "'" + name_ + "'";
    if (fd_ < 0) throw output_error("cannot open " + name_ + " for writing: " + reason(error) + advice(error));
  }
  buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
  reset_buffer();
}

file_sink::file_sink(file_sink&& other) noexcept
    : name_(std::move(other.name_)),
      fd_(std::exchange(other.fd_, -1)),
      standard_(other.standard_),
      capacity_(other.capacity_),
      buffer_(std::move(other.buffer_)),
      next_(std::exchange(other.next_, nullptr)),
      room_(std::exchange(other.room_, 0)),
      written_(other.written_),
      failure_(std::move(other.failure_)) {}

file_sink::~file_sink() {
  if (fd_ >= 0 && !standard_) ::close(fd_);
}

void file_sink::reset_buffer() noexcept {
  next_ = buffer_.get();
  room_ = capacity_;
}

SPILLWAY_COLD void file_sink::write_slow(std::string_view text) {
  flush();
  if (text.size() <= room_) return write(text);
  write_all(text.data(), text.size());
}

void file_sink::flush() {
  if (!failure_.empty()) throw output_error(failure_);
  if (fd_ < 0) throw output_error("cannot write " + name_ + ": it was closed before");
  const auto size = static_cast<std::size_t>(next_ - buffer_.get());
  if (size != 0) write_all(buffer_.get(), size);
  reset_buffer();
}

void file_sink::write_all(const char* data, std::size_t size) {
  while (size != 0) {
    const ssize_t done = ::write(fd_, data, size);
    if (done >= 0) {
      data += done;
      size -= static_cast<std::size_t>(done);
      written_ += static_cast<std::uint64_t>(done);
    } else if (errno == EAGAIN) {
      pollfd waiting{.fd = fd_, .events = POLLOUT, .revents = 0};
      ::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      fail("write", errno);
    }
  }
}

void file_sink::close() {
  if (fd_ < 0) return;
  if (failure_.empty()) flush();
  const bool failed = !failure_.empty();
  // Some file systems report a full disk only when a descriptor is closed. Descriptor 1 itself stays open: a file opened later
  // must not become standard output.
  const int descriptor = standard_ ? ::dup(fd_) : fd_;
  fd_ = -1;
  room_ = 0;
  if (descriptor >= 0 && ::close(descriptor) != 0 && errno != EINTR && !failed) fail("close", errno);
}

SPILLWAY_COLD void file_sink::fail(const char* verb, int error) {
  room_ = 0;
  failure_ = std::string("cannot ") + verb + " " + name_ + ": " + reason(error) + advice(error);
  throw output_error(failure_);
}

}  // namespace spillway
