// Edges whose records carry text: the bytes travel with the record, through ring and backlog, whatever becomes of the original.
#include <gtest/gtest.h>

#include <random>

#include "spillway/runtime/edge.hpp"
#include "tests/runtime/edge_fixture.hpp"

namespace text_test {

struct line {
  int number = 0;
  spillway::text_ref text;
};
spillway::text_ref& text_of(line& l) noexcept { return l.text; }
std::string show(const line& l) { return std::to_string(l.number) + ":" + std::string(l.text.view()); }

}  // namespace text_test

namespace {

using namespace edge_test;
using text_test::line;
using lines = sw::stream<line>;
using stamped_lines = sw::stream<line, sw::no_key, sw::timed>;
using source_lines = sw::stream<line, sw::no_key, sw::untimed, sw::text_home::source>;

// Pushes a record whose text is gone right afterwards.
template <class Stream>
void push_and_forget(edge_bench<Stream>& b, int number, std::string text) {
  b.push({number, sw::text_ref(text)});
  std::fill(text.begin(), text.end(), '#');
}

TEST(edge_text, the_text_comes_along) {
  edge_bench<lines> b(block, {.text_bytes = 4096});
  push_and_forget(b, 1, "alpha");
  push_and_forget(b, 2, "");
  b.watermark(3);
  push_and_forget(b, 3, std::string(100, 'x'));
  b.flush();
  EXPECT_EQ(b.read(), "1:alpha 2: w3 3:" + std::string(100, 'x'));
  EXPECT_EQ(b.edge.counts().consumed, 3u);
}

TEST(edge_text, a_bare_text_ref_is_a_record) {
  using bare = sw::stream<sw::text_ref>;
  sw::edge_of<bare> edge("a", "", "b", block, {.text_bytes = 256}, nullptr);
  edge.open_writer();
  edge.open_reader();
  {
    const std::string text = "gone";
    edge.push(edge.writer(), sw::text_ref(text));
  }
  edge.writer() = edge.flush(edge.writer());
  std::string read;
  edge.poll(9, [&](sw::text_ref& t) { read = t.view(); }, [](const sw::marker&) {}, [] { return false; });
  EXPECT_EQ(read, "gone");
  edge.close_writer();
  edge.close_reader();
}

TEST(edge_text, text_survives_the_backlog) {
  for (const auto& policy : {block, spill_up_to(1 << 20)}) {
    edge_bench<stamped_lines> b(policy, {.text_bytes = 256});
    std::string expected;
    for (int i = 0; i < 50; ++i) {
      const std::string text(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
      std::string copy = text;
      b.push({{i, sw::text_ref(copy)}, sw::timestamp(i)});
      std::fill(copy.begin(), copy.end(), '#');
      expected += (i == 0 ? "" : " ") + std::to_string(i) + ":" + text + "@" + std::to_string(i);
    }
    EXPECT_EQ(b.read_all(), expected);
    EXPECT_TRUE(b.edge.counts().balanced());
    EXPECT_EQ(b.edge.counts().consumed, 50u);
  }
}

TEST(edge_text, text_larger_than_a_frame_is_an_error_on_a_blocking_edge) {
  edge_bench<lines> b(block, {.text_bytes = 256});
  const std::string large(300, 'x');
  try {
    b.push({1, sw::text_ref(large)});
    FAIL() << "no exception";
  } catch (const std::length_error& e) {
    EXPECT_EQ(std::string(e.what()), "spillway: a record with " + std::to_string(sizeof(line) + 300) +
                                         " bytes does not fit the edge from 'emit' to 'read'; raise its text_bytes");
  }
  b.push({2, sw::text_ref("fits")});
  EXPECT_EQ(b.read_all(), "2:fits");
}

TEST(edge_text, text_larger_than_a_frame_is_dropped_and_counted_on_a_lossy_edge) {
  for (const auto& policy : {drop_newest, spill_up_to(1 << 20)}) {
    edge_bench<lines> b(policy, {.text_bytes = 256});
    const std::string large(300, 'x');
    b.push({1, sw::text_ref("one")});
    b.push({2, sw::text_ref(large)});
    b.push({3, sw::text_ref(large)});
    b.push({4, sw::text_ref("four")});
    EXPECT_EQ(b.read_all(), "1:one 4:four");
    EXPECT_EQ(b.edge.counts().dropped_oversize, 2u);
    EXPECT_EQ(b.edge.counts().pushed, 4u);
    EXPECT_TRUE(b.edge.counts().balanced());
    ASSERT_EQ(b.reports.size(), 1u);
    EXPECT_NE(b.reports[0].find("raise text_bytes"), std::string::npos);
  }
}

TEST(edge_text, the_spill_limit_counts_the_text) {
  edge_bench<lines> b(spill_up_to(2 * (sizeof(line) + 40)), {.text_bytes = 256});
  const std::string text(40, 'x');
  for (int i = 0; i < 10; ++i) b.push({i, sw::text_ref(text)});
  EXPECT_EQ(b.edge.counts().spilled, 2u);
  EXPECT_EQ(b.edge.counts().dropped_limit, 10 - b.edge.counts().left);
  EXPECT_GE(b.edge.counts().left, 3u);
  EXPECT_TRUE(b.edge.counts().balanced());
}

TEST(edge_text, text_in_the_sources_own_memory_is_passed_on_as_a_handle) {
  edge_bench<source_lines> b(block, {.capacity = 4});
  const std::string text = "stays";
  b.push({1, sw::text_ref(text)});
  b.flush();
  const char* seen = nullptr;
  b.edge.poll(1, [&](line& l) { seen = l.text.data(); }, [](const sw::marker&) {}, [] { return false; });
  EXPECT_EQ(seen, text.data());
}

TEST(edge_text, random_lengths_keep_order_text_and_watermarks) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    edge_bench<lines> b(seed % 2 == 0 ? block : spill_up_to(1 << 22), {.text_bytes = 512});
    std::string expected;
    std::string got;
    const auto take = [&](std::string part) {
      if (!part.empty()) got += (got.empty() ? "" : " ") + part;
    };
    for (int i = 0; i < 300; ++i) {
      const std::string text(random() % 150, static_cast<char>('a' + random() % 26));
      push_and_forget(b, i, text);
      expected += (expected.empty() ? "" : " ") + std::to_string(i) + ":" + text;
      if (random() % 4 == 0) {
        b.watermark(i);
        expected += " w" + std::to_string(i);
        b.push({-1, {}});
        expected += " -1:";
      }
      if (random() % 5 == 0) b.flush();
      if (random() % 5 == 0) take(b.read(random() % 10));
    }
    take(b.read_all());
    ASSERT_EQ(got, expected) << "seed " << seed;
    ASSERT_TRUE(b.edge.counts().balanced());
  }
}

TEST(edge_text, an_edge_with_text_left_in_ring_and_backlog_is_destroyed_cleanly) {
  edge_bench<lines> b(block, {.text_bytes = 256});
  for (int i = 0; i < 30; ++i) push_and_forget(b, i, "some text that is thrown away");
  b.end();
  EXPECT_EQ(b.edge.counts().left, 30u);
}

}  // namespace
