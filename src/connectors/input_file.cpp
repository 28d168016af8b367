#include "spillway/connectors/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "gzip_decoder.hpp"

namespace spillway {

namespace {

constexpr int wait_ms = 50;
constexpr unsigned char gzip_magic[2] = {0x1f, 0x8b};

std::string reason(int error) { return std::system_category().message(error); }

std::string quoted(const std::string& path) { return "'" + path + "'"; }

}  // namespace

input_file::input_file(std::string path, const std::atomic<bool>* stop) : name_(std::move(path)), stop_(stop) {
  const bool standard = name_ == "-";
  if (standard) {
    name_ = "standard input";
    fd_ = STDIN_FILENO;
  } else {
    // Non-blocking, so that a named pipe without a writer does not hold up the caller here.
    fd_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd_ < 0)
      throw input_error("cannot open " + quoted(name_) + ": " + reason(errno) + "; check the path and its permissions");
    name_ = quoted(name_);
  }
  struct stat status{};
  const bool known = ::fstat(fd_, &status) == 0;
  const int error = errno;
  if (known && !S_ISDIR(status.st_mode)) {
    pollable_ = !S_ISREG(status.st_mode);
    return;
  }
  if (!standard) ::close(fd_);
  if (known) throw input_error(name_ + " is a directory; name the files in it");
  throw input_error("cannot read " + name_ + ": " + reason(error) + "; name a file, or pipe data in");
}

input_file::input_file(input_file&& other) noexcept
    : name_(std::move(other.name_)),
      stop_(other.stop_),
      fd_(std::exchange(other.fd_, -1)),
      pollable_(other.pollable_),
      encoding_(other.encoding_),
      raw_end_(other.raw_end_),
      first_{other.first_[0], other.first_[1]},
      first_size_(other.first_size_),
      decoder_(std::move(other.decoder_)) {}

input_file::~input_file() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

std::size_t input_file::read(std::span<char> into) {
  if (into.empty()) return 0;
  for (;;) {
    const read_result got = try_read(into);
    if (got.bytes != 0 || got.end) return got.bytes;
    readable(wait_ms);
  }
}

read_result input_file::try_read(std::span<char> into) {
  if (stopped()) return {0, true};
  if (encoding_ == encoding::unknown) {
    read_result pending;
    if (!detect(pending)) return pending;
  }
  return encoding_ == encoding::gzip ? read_gzip(into) : read_plain(into);
}

/// Reads the first two bytes, however they arrive. False: not known yet, `pending` says why.
bool input_file::detect(read_result& pending) {
  while (first_size_ < 2 && !raw_end_ && (first_size_ == 0 || first_[0] == gzip_magic[0])) {
    const read_result got = read_raw({reinterpret_cast<char*>(first_) + first_size_, 2 - first_size_});
    if (got.bytes == 0 && !got.end) {
      pending = got;
      return false;
    }
    first_size_ += got.bytes;
  }
  if (stopped()) {
    pending = {0, true};
    return false;
  }
  if (first_size_ == 2 && std::equal(first_, first_ + 2, gzip_magic)) {
    decoder_ = std::make_unique<detail::gzip_decoder>();
    std::memcpy(decoder_->room().data(), first_, first_size_);
    decoder_->supply(std::exchange(first_size_, 0));
    encoding_ = encoding::gzip;
    return true;
  }
  const bool cut = first_size_ == 0 || (first_size_ == 1 && first_[0] == gzip_magic[0]);
  if (cut && name_.ends_with(".gz'"))
    throw input_error(name_ + " ends before its compressed data does; it was cut off, get a complete copy");
  encoding_ = encoding::plain;
  return true;
}

read_result input_file::read_plain(std::span<char> into) {
  if (first_size_ == 0) return read_raw(into);
  const std::size_t size = std::min(first_size_, into.size());
  std::memcpy(into.data(), first_, size);
  first_[0] = first_[1];
  first_size_ -= size;
  return {size, false};
}

read_result input_file::read_gzip(std::span<char> into) {
  for (;;) {
    std::size_t produced = 0;
    switch (decoder_->decode(into, produced)) {
      case detail::gzip_decoder::step::produced:
        return {produced, false};
      case detail::gzip_decoder::step::damaged:
        throw input_error(name_ + " is damaged gzip data (" + decoder_->reason() + "); get an intact copy");
      case detail::gzip_decoder::step::starved:
        break;
    }
    const read_result got = read_raw(decoder_->room());
    if (got.bytes != 0) {
      decoder_->supply(got.bytes);
      continue;
    }
    if (!got.end) return got;
    if (!decoder_->complete() && !stopped())
      throw input_error(name_ + " ends before its compressed data does; it was cut off, get a complete copy");
    return {0, true};
  }
}

read_result input_file::read_raw(std::span<char> into) {
  if (raw_end_) return {0, true};
  if (pollable_ && !readable(0)) return {};
  for (;;) {
    const ssize_t got = ::read(fd_, into.data(), into.size());
    if (got > 0) return {static_cast<std::size_t>(got), false};
    if (got == 0) {
      raw_end_ = true;
      return {0, true};
    }
    if (errno == EAGAIN) return {};
    if (errno != EINTR) throw input_error("cannot read " + name_ + ": " + reason(errno) + "; check the device it is on");
    if (stopped()) return {0, true};
  }
}

bool input_file::readable(int timeout_ms) {
  pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
  // A failure other than an interruption shows in the `read` that follows.
  const int ready = ::poll(&waiting, 1, timeout_ms);
  return ready > 0 || (ready < 0 && errno != EINTR);
}

}  // namespace spillway
