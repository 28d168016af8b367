#include "spillway/connectors/byte_scan.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace {

TEST(byte_scan, finds_what_a_plain_loop_finds_in_texts_of_any_length) {
  std::minstd_rand random(1);
  const std::string alphabet = "ab,\"\n\x80\xff";
  for (std::size_t size = 0; size < 300; ++size) {
    std::string text;
    for (std::size_t i = 0; i < size + spillway::scan_block_bytes; ++i) text += alphabet[random() % alphabet.size()];
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < size; ++i)
      if (text[i] == ',' || text[i] == '"' || text[i] == '\n') expected.push_back(static_cast<std::uint32_t>(i + 7));
    for (const auto find : {spillway::find_marks, spillway::find_marks_portable}) {
      std::vector<std::uint32_t> found(size + spillway::scan_block_bytes);
      found.resize(find(text.data(), size, 7, {',', '"', '\n'}, found.data()));
      ASSERT_EQ(found, expected) << size;
    }
  }
}

}  // namespace
