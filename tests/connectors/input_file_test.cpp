#include "spillway/connectors/input_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using spillway::input_error;
using spillway::input_file;

class input_files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "spillway_input_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
};

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

std::string read_all(input_file& in, std::size_t room = 1000) {
  std::string all;
  std::vector<char> buffer(room);
  while (const std::size_t got = in.read(buffer)) all.append(buffer.data(), got);
  return all;
}

std::string read_path(const std::string& path, std::size_t room = 1000) {
  input_file in(path);
  return read_all(in, room);
}

/// The text of the error that `act` throws.
template <class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const input_error& e) {
    return e.what();
  }
  return "no error";
}

TEST_F(input_files, reads_plain_files_of_any_size) {
  for (const std::string& bytes :
       {std::string(), std::string("x"), std::string("\x1f"), std::string("\x1f\x8a"), std::string("ab"), numbers(50'000)})
    for (const std::size_t room : {std::size_t{1}, std::size_t{3}, std::size_t{100'000}}) {
      if (bytes.size() > 1000 && room == 1) continue;
      EXPECT_EQ(read_path(file("plain", bytes), room), bytes);
    }
}

TEST_F(input_files, knows_gzip_by_its_bytes_and_reads_all_members) {
  const std::string text = numbers(100'000);
  EXPECT_EQ(read_path(file("named_csv", gzip(text)), 777), text);
  EXPECT_EQ(read_path(file("members.gz", gzip(text) + gzip("") + gzip("tail")), 5000), text + "tail");
  EXPECT_EQ(read_path(file("padded.gz", gzip("a") + std::string(100'000, '\0'))), "a");
  EXPECT_EQ(read_path(file("plain.gz", "not compressed")), "not compressed");
}

TEST_F(input_files, delivers_what_a_truncated_gzip_holds_and_then_says_so) {
  const std::string whole = gzip(numbers(100'000));
  for (const std::size_t size : {std::size_t{2}, std::size_t{5}, std::size_t{12}, whole.size() / 2, whole.size() - 1}) {
    input_file in(file("cut.gz", whole.substr(0, size)));
    const std::string error = error_of([&] { read_all(in); });
    EXPECT_NE(error.find("cut.gz' ends before its compressed data does"), std::string::npos) << error;
  }
  EXPECT_NE(error_of([&] { read_path(file("one.gz", "\x1f")); }).find("cut off"), std::string::npos);
  EXPECT_NE(error_of([&] { read_path(file("none.gz", "")); }).find("cut off"), std::string::npos);
  input_file in(file("half.gz", whole.substr(0, whole.size() / 2)));
  std::string got;
  std::vector<char> room(4096);
  EXPECT_THROW(while (const std::size_t size = in.read(room)) got.append(room.data(), size), input_error);
  EXPECT_GT(got.size(), 10'000u);
}

TEST_F(input_files, says_what_is_wrong_with_damaged_gzip) {
  std::string bytes = gzip(numbers(1000));
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);
  EXPECT_NE(error_of([&] { read_path(file("bad.gz", bytes)); }).find("damaged gzip data (incorrect data check)"),
            std::string::npos);
  EXPECT_NE(error_of([&] { read_path(file("more.gz", gzip("a") + "garbage")); }).find("something that is not gzip follows"),
            std::string::npos);
}

TEST_F(input_files, refuses_directories_and_missing_files_in_a_sentence) {
  EXPECT_NE(error_of([&] { input_file in(folder_.string()); }).find("is a directory"), std::string::npos);
  const std::string error = error_of([&] { input_file in((folder_ / "nothing.csv").string()); });
  EXPECT_NE(error.find("nothing.csv': No such file or directory; check"), std::string::npos) << error;
}

TEST_F(input_files, a_stop_flag_ends_a_wait_for_a_silent_pipe) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::atomic<bool> stop{false};
  input_file in(path, &stop);
  std::ofstream writer(path);
  writer << "abc" << std::flush;
  std::vector<char> room(10);
  EXPECT_EQ(in.read(room), 2u);
  EXPECT_EQ(in.read(room), 1u);
  const spillway::read_result nothing = in.try_read(room);
  EXPECT_EQ(nothing.bytes, 0u);
  EXPECT_FALSE(nothing.end);
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
  });
  EXPECT_EQ(in.read(room), 0u);
  EXPECT_TRUE(in.stopped());
  stopper.join();
}

TEST_F(input_files, reads_a_pipe_to_its_end_gzip_or_plain) {
  for (const std::string& bytes : {gzip(numbers(100'000)), numbers(100'000)}) {
    const std::string path = (folder_ / "pipe").string();
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    input_file in(path);
    std::thread writer([&] { std::ofstream(path, std::ios::binary) << bytes; });
    EXPECT_EQ(read_all(in), numbers(100'000));
    writer.join();
    ::unlink(path.c_str());
  }
}

}  // namespace
