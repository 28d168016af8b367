#include "spillway/connectors/line_reader.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "chunked_source.hpp"

namespace {

using spillway::line_reader;
using spillway::read_status;
using spillway::segment_pool;
using spillway::text_line;
using spillway::testing::chunked_source;
using spillway::testing::eager_tracker;

struct seen_line {
  std::string text;
  std::uint64_t number;
  bool cut;
  friend bool operator==(const seen_line&, const seen_line&) = default;
  friend std::ostream& operator<<(std::ostream& out, const seen_line& l) {
    return out << l.number << (l.cut ? " cut " : " ") << l.text;
  }
};

std::vector<seen_line> read_all(line_reader& reader) {
  std::vector<seen_line> lines;
  text_line line;
  for (;;) {
    const read_status status = reader.next(line);
    if (status == read_status::end) return lines;
    if (status == read_status::row) lines.push_back({std::string(line.text), line.number, line.cut});
  }
}

std::vector<seen_line> read_all(const std::string& bytes, std::size_t max_line, unsigned seed = 1,
                                std::size_t chunk = 1'000'000) {
  eager_tracker tracker;
  segment_pool pool(tracker, {.segment_bytes = max_line + 2 + spillway::segment_reserve_bytes, .max_segments = 3});
  line_reader reader(pool, {.max_line = max_line});
  chunked_source source(bytes, seed, chunk);
  reader.open(source);
  return read_all(reader);
}

TEST(line_reader, knows_every_kind_of_line_end) {
  EXPECT_EQ(read_all("a\nb\r\n\nlast", 100),
            (std::vector<seen_line>{{"a", 1, false}, {"b", 2, false}, {"", 3, false}, {"last", 4, false}}));
  EXPECT_EQ(read_all("", 100), std::vector<seen_line>{});
  EXPECT_EQ(read_all("\n", 100), (std::vector<seen_line>{{"", 1, false}}));
  EXPECT_EQ(read_all("a\rb\n", 100), (std::vector<seen_line>{{"a\rb", 1, false}}));
}

TEST(line_reader, skips_a_byte_order_mark_however_it_arrives) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(read_all("\xEF\xBB\xBF{}\n", 100, seed, 1), (std::vector<seen_line>{{"{}", 1, false}}));
    EXPECT_EQ(read_all("\xEF\xBB", 100, seed, 1), (std::vector<seen_line>{{"\xEF\xBB", 1, false}}));
    EXPECT_EQ(read_all("\xEF\xBBx\n", 100, seed, 1), (std::vector<seen_line>{{"\xEF\xBBx", 1, false}}));
    EXPECT_EQ(read_all("\xEF\xBB\xBF", 100, seed, 1), std::vector<seen_line>{});
  }
}

TEST(line_reader, cuts_a_line_exactly_above_the_longest_allowed) {
  EXPECT_EQ(read_all("12345\n123456\n12345\r\n123456\r\nx", 5),
            (std::vector<seen_line>{
                {"12345", 1, false}, {"12345", 2, true}, {"12345", 3, false}, {"12345", 4, true}, {"x", 5, false}}));
  EXPECT_EQ(read_all("123456", 5), (std::vector<seen_line>{{"12345", 1, true}}));
}

TEST(line_reader, reads_over_a_huge_line_in_flat_memory) {
  struct endless final : spillway::byte_source {
    std::size_t left = 50'000'000;
    spillway::read_result try_read(std::span<char> into) override {
      if (left == 0) return {0, true};
      const std::size_t size = std::min(left, into.size());
      std::memset(into.data(), 'x', size);
      left -= size;
      if (left == 0) into[size - 1] = '\n';
      return {size, false};
    }
  } source;
  eager_tracker tracker;
  segment_pool pool(tracker, spillway::segment_options_for(1000));
  line_reader reader(pool, {.max_line = 1000});
  reader.open(source);
  EXPECT_EQ(read_all(reader), (std::vector<seen_line>{{std::string(1000, 'x'), 1, true}}));
  EXPECT_LE(pool.segments(), 2u);
}

TEST(line_reader, gives_the_same_lines_however_the_bytes_arrive) {
  std::minstd_rand random(5);
  const std::string alphabet = "ab\n\r\n\xEF\xBB\xBF";
  for (int round = 0; round < 300; ++round) {
    std::string bytes;
    const std::size_t size = random() % 200;
    for (std::size_t i = 0; i < size; ++i) bytes += alphabet[random() % alphabet.size()];
    const std::size_t longest = 1 + random() % 12;
    const auto expected = read_all(bytes, longest);
    ASSERT_EQ(read_all(bytes, longest, static_cast<unsigned>(round), 1), expected);
    ASSERT_EQ(read_all(bytes, longest, static_cast<unsigned>(round), 7), expected);
  }
}

TEST(line_reader, says_again_while_no_segment_is_free_and_loses_nothing) {
  struct held_tracker final : spillway::release_tracker {
    bool open = false;
    std::uint64_t seal() override { return 1; }
    bool released(std::uint64_t) override { return open; }
  } tracker;
  segment_pool pool(tracker, {.segment_bytes = 20'000, .max_segments = 1});
  line_reader reader(pool, {.max_line = 1000});
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes += "line " + std::to_string(i) + "\n";
  chunked_source source(bytes, 1, 1000);
  reader.open(source);
  text_line line;
  int lines = 0;
  for (int idle = 0; idle < 1000;) {
    if (reader.next(line) == read_status::row)
      ASSERT_EQ(line.text, "line " + std::to_string(lines++));
    else
      ++idle;
  }
  EXPECT_GT(lines, 100);
  EXPECT_LT(lines, 5000);
}

TEST(line_reader, numbers_the_lines_of_each_input_from_one) {
  eager_tracker tracker;
  segment_pool pool(tracker, spillway::segment_options_for(100));
  line_reader reader(pool, {.max_line = 100});
  chunked_source first("a\nb", 1, 2);
  chunked_source second("c\n", 1, 2);
  reader.open(first);
  EXPECT_EQ(read_all(reader), (std::vector<seen_line>{{"a", 1, false}, {"b", 2, false}}));
  reader.open(second);
  EXPECT_EQ(read_all(reader), (std::vector<seen_line>{{"c", 1, false}}));
  EXPECT_EQ(pool.segments(), 1u);
}

TEST(line_reader, refuses_lines_that_do_not_fit_a_segment) {
  eager_tracker tracker;
  segment_pool pool(tracker, {.segment_bytes = 20'000, .max_segments = 2});
  EXPECT_THROW(line_reader(pool, {.max_line = 10'000}), std::invalid_argument);
  EXPECT_THROW(line_reader(pool, {.max_line = 0}), std::invalid_argument);
}

}  // namespace
