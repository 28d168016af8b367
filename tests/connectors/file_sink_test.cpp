#include "spillway/connectors/file_sink.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

using spillway::file_sink;
using spillway::output_error;

std::string temporary_name(const char* suffix) {
  return (std::filesystem::temp_directory_path() / ("spillway_sink_" + std::to_string(::getpid()) + suffix)).string();
}

std::string content(const std::string& path) {
  std::stringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  return all.str();
}

template <class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const output_error& e) {
    return e.what();
  }
  return "no error";
}

TEST(file_sink, writes_everything_in_order_through_small_and_large_buffers) {
  const std::string path = temporary_name("_order");
  for (const std::size_t buffer : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{100'000}}) {
    std::string expected;
    file_sink out(path, buffer);
    out.write({});
    for (int i = 0; i < 500; ++i) {
      const std::string text(static_cast<std::size_t>(i % 40), static_cast<char>('a' + i % 26));
      out.write(text);
      expected += text;
      if (i % 100 == 0) out.flush();
    }
    out.close();
    out.close();
    EXPECT_EQ(content(path), expected);
    EXPECT_EQ(out.written(), expected.size());
  }
  std::filesystem::remove(path);
}

TEST(file_sink, a_full_disk_is_an_error_at_write_at_flush_and_at_close) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  {
    file_sink out("/dev/full", 10);
    const std::string error = error_of([&] { out.write("more than ten bytes"); });
    EXPECT_EQ(error, "cannot write '/dev/full': No space left on device; free some space or write elsewhere");
    EXPECT_EQ(error_of([&] { out.write("x"); }), error);
    EXPECT_EQ(error_of([&] { out.flush(); }), error);
    EXPECT_EQ(error_of([&] { out.close(); }), "no error");
  }
  file_sink flushed("/dev/full");
  flushed.write("x");
  EXPECT_NE(error_of([&] { flushed.flush(); }).find("No space left"), std::string::npos);
  file_sink closed("/dev/full");
  closed.write("x");
  EXPECT_NE(error_of([&] { closed.close(); }).find("No space left"), std::string::npos);
}

TEST(file_sink, a_closed_pipe_is_an_error) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const std::string path = temporary_name("_pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  file_sink out(path);
  ::close(reader);
  out.write("x");
  EXPECT_NE(error_of([&] { out.flush(); }).find("Broken pipe; the program that reads it has ended"), std::string::npos);
  ::unlink(path.c_str());
  std::signal(SIGPIPE, before);
}

TEST(file_sink, says_what_it_cannot_open_and_refuses_writes_after_close) {
  EXPECT_NE(error_of([] { file_sink out("/nowhere/at/all.csv"); }).find("'/nowhere/at/all.csv' for writing: No such file"),
            std::string::npos);
  EXPECT_NE(error_of([] { file_sink out(std::filesystem::temp_directory_path().string()); }).find("Is a directory"),
            std::string::npos);
  const std::string path = temporary_name("_closed");
  file_sink out(path);
  out.close();
  EXPECT_NE(error_of([&] { out.write("x"); }).find("closed before"), std::string::npos);
  std::filesystem::remove(path);
}

}  // namespace
