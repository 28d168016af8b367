#include "spillway/connectors/csv_reader.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "chunked_source.hpp"

namespace {

using spillway::csv_flaw;
using spillway::csv_options;
using spillway::csv_reader;
using spillway::csv_row;
using spillway::read_status;
using spillway::segment_pool;
using spillway::testing::chunked_source;
using spillway::testing::eager_tracker;

struct seen_row {
  std::uint64_t line;
  std::string text;
  std::size_t fields;
  std::vector<std::string> values;
  csv_flaw flaw = csv_flaw::none;
  friend bool operator==(const seen_row&, const seen_row&) = default;
  friend std::ostream& operator<<(std::ostream& out, const seen_row& r) {
    out << r.line << " '" << r.text << "' " << r.fields << " " << to_string(r.flaw) << " [";
    for (const auto& v : r.values) out << "<" << v << ">";
    return out << "]";
  }
};

std::vector<seen_row> read_all(const std::string& bytes, csv_options options = {}, unsigned seed = 1,
                               std::size_t chunk = 1'000'000) {
  eager_tracker tracker;
  segment_pool pool(tracker, {.segment_bytes = options.max_line + 2 + spillway::segment_reserve_bytes, .max_segments = 3});
  csv_reader reader(pool, options);
  chunked_source source(bytes, seed, chunk);
  reader.open(source);
  std::vector<seen_row> rows;
  csv_row row;
  for (;;) {
    const read_status status = reader.next(row);
    if (status == read_status::end) return rows;
    if (status != read_status::row) continue;
    seen_row seen{row.line(), std::string(row.text()), row.fields(), {}, row.flaw()};
    for (std::size_t i = 0; i < std::min(row.fields(), options.columns); ++i) seen.values.emplace_back(reader.value(row, i));
    rows.push_back(seen);
  }
}

/// The rules of csv_reader, one byte at a time and with everything in memory.
class reference_parser {
 public:
  reference_parser(std::string bytes, csv_options options) : bytes_(std::move(bytes)), options_(options) {
    if (bytes_.starts_with("\xEF\xBB\xBF")) bytes_.erase(0, 3);
  }

  std::vector<seen_row> rows() {
    while (at_ < bytes_.size()) row();
    return rows_;
  }

 private:
  void row() {
    const std::size_t begin = at_;
    std::vector<std::pair<std::size_t, std::size_t>> fields;
    bool open = false;
    std::size_t end = bytes_.size();
    std::size_t field = begin;
    std::size_t i = begin;
    bool newline = false;
    for (; i < bytes_.size(); ++i) {
      const char c = bytes_[i];
      if (open) {
        if (c == '"') {
          if (i + 1 < bytes_.size() && bytes_[i + 1] == '"')
            ++i;
          else
            open = false;
        }
      } else if (c == '"' && i == field) {
        open = true;
      } else if (c == options_.separator) {
        fields.emplace_back(field, i);
        field = i + 1;
      } else if (c == '\n') {
        end = i;
        newline = true;
        break;
      }
    }
    std::size_t text_end = end;
    if (!open && text_end > begin && bytes_[text_end - 1] == '\r') --text_end;
    if (text_end - begin > options_.max_line) return cut(begin, fields);
    fields.emplace_back(field, text_end);
    seen_row seen{line_, bytes_.substr(begin, text_end - begin), fields.size(), {}, csv_flaw::none};
    for (const auto& [from, to] : fields) {
      bool good = true;
      const std::string value = meant(bytes_.substr(from, to - from), good);
      if (!good) seen.flaw = csv_flaw::text_after_quote;
      if (seen.values.size() < options_.columns) seen.values.push_back(value);
    }
    if (open) seen.flaw = csv_flaw::open_quote;
    rows_.push_back(seen);
    at_ = newline ? end + 1 : end;
    line_ += static_cast<std::uint64_t>(
        std::count(bytes_.begin() + static_cast<std::ptrdiff_t>(begin), bytes_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
  }

  void cut(std::size_t begin, const std::vector<std::pair<std::size_t, std::size_t>>& fields) {
    seen_row seen{line_, bytes_.substr(begin, options_.max_line), 0, {}, csv_flaw::too_long};
    for (const auto& [from, to] : fields) {
      if (to > begin + options_.max_line || seen.values.size() == options_.columns) break;
      bool good = true;
      seen.values.push_back(meant(bytes_.substr(from, to - from), good));
    }
    seen.fields = seen.values.size();
    rows_.push_back(seen);
    const std::size_t newline = bytes_.find('\n', begin + options_.max_line);
    at_ = newline == std::string::npos ? bytes_.size() : newline + 1;
    line_ += static_cast<std::uint64_t>(
        std::count(bytes_.begin() + static_cast<std::ptrdiff_t>(begin), bytes_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
  }

  /// `good`: the field is plain, or its closing quote is its last byte.
  static std::string meant(const std::string& raw, bool& good) {
    if (!raw.starts_with('"')) return raw;
    std::string value;
    for (std::size_t i = 1; i < raw.size(); ++i) {
      if (raw[i] != '"') {
        value += raw[i];
      } else if (i + 1 < raw.size() && raw[i + 1] == '"') {
        value += '"';
        ++i;
      } else {
        good = i + 1 == raw.size();
        return good ? value : raw;
      }
    }
    return raw;
  }

  std::string bytes_;
  csv_options options_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  std::vector<seen_row> rows_;
};

TEST(csv_reader, splits_plain_rows) {
  EXPECT_EQ(
      read_all("a,b,c\n1,,3\r\n,\nlast"),
      (std::vector<seen_row>{
          {1, "a,b,c", 3, {"a", "b", "c"}}, {2, "1,,3", 3, {"1", "", "3"}}, {3, ",", 2, {"", ""}}, {4, "last", 1, {"last"}}}));
}

TEST(csv_reader, takes_quoted_separators_line_ends_and_doubled_quotes_as_text) {
  EXPECT_EQ(read_all("\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\r\nx,\"\",\"\"\"\"\n"),
            (std::vector<seen_row>{{1, "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"", 3, {"a,b", "say \"hi\"", "two\nlines"}},
                                   {3, "x,\"\",\"\"\"\"", 3, {"x", "", "\""}}}));
}

TEST(csv_reader, takes_a_quote_inside_an_unquoted_field_as_text) {
  EXPECT_EQ(read_all("5\" pipe,3\nx,y\n"),
            (std::vector<seen_row>{{1, "5\" pipe,3", 2, {"5\" pipe", "3"}}, {2, "x,y", 2, {"x", "y"}}}));
}

TEST(csv_reader, marks_text_behind_a_closing_quote_and_an_unclosed_one) {
  EXPECT_EQ(read_all("\"a\"b,c\n\"open,\nx"),
            (std::vector<seen_row>{{1, "\"a\"b,c", 2, {"\"a\"b", "c"}, csv_flaw::text_after_quote},
                                   {2, "\"open,\nx", 1, {"\"open,\nx"}, csv_flaw::open_quote}}));
}

TEST(csv_reader, knows_empty_files_empty_lines_and_byte_order_marks) {
  EXPECT_EQ(read_all(""), std::vector<seen_row>{});
  EXPECT_EQ(read_all("\xEF\xBB\xBF"), std::vector<seen_row>{});
  EXPECT_EQ(read_all("\n"), (std::vector<seen_row>{{1, "", 1, {""}}}));
  EXPECT_EQ(read_all("\xEF\xBB\xBF\"a\",b\n"), (std::vector<seen_row>{{1, "\"a\",b", 2, {"a", "b"}}}));
}

TEST(csv_reader, counts_fields_beyond_the_kept_ones) {
  const auto rows = read_all("a,b,c,d,e\n\"q\",2,\"3\",4,\"5\"\n", {.columns = 2});
  EXPECT_EQ(rows, (std::vector<seen_row>{{1, "a,b,c,d,e", 5, {"a", "b"}}, {2, "\"q\",2,\"3\",4,\"5\"", 5, {"q", "2"}}}));
}

TEST(csv_reader, cuts_a_row_that_is_too_long_and_keeps_the_fields_before_the_cut) {
  EXPECT_EQ(read_all("ab,cd,efgh\nx,y\n", {.max_line = 7}),
            (std::vector<seen_row>{{1, "ab,cd,e", 2, {"ab", "cd"}, csv_flaw::too_long}, {2, "x,y", 2, {"x", "y"}}}));
}

TEST(csv_reader, an_unclosed_quote_costs_one_row_and_not_the_file) {
  std::string bytes = "h\n\"unclosed\n";
  for (int i = 0; i < 10; ++i) bytes += "row\n";
  const auto rows = read_all(bytes, {.max_line = 20});
  ASSERT_EQ(rows.size(), 2 + 7u);
  EXPECT_EQ(rows[1].flaw, csv_flaw::too_long);
  EXPECT_EQ(rows[2], (seen_row{6, "row", 1, {"row"}}));
}

TEST(csv_reader, reads_over_a_huge_row_in_flat_memory) {
  for (const char fill : {'x', ',', '"'}) {
    eager_tracker tracker;
    segment_pool pool(tracker, spillway::segment_options_for(1000));
    csv_reader reader(pool, {.columns = 3, .max_line = 1000});
    chunked_source source(std::string(20'000'000, fill) + "\nnext\n", 1, 1'000'000);
    reader.open(source);
    csv_row row;
    std::vector<std::string> texts;
    for (read_status status = reader.next(row); status != read_status::end; status = reader.next(row))
      if (status == read_status::row) texts.emplace_back(row.text());
    EXPECT_EQ(texts, (std::vector<std::string>{std::string(1000, fill), "next"}));
    EXPECT_LE(pool.segments(), 2u);
  }
}

TEST(csv_reader, agrees_with_a_slow_parser_however_the_bytes_arrive) {
  std::minstd_rand random(11);
  const std::string alphabets[] = {"ab,\n", "a,\"\n\r", "\"\",\n", "abcdefgh,,\n\r\"", "\xEF\xBB\xBF,\n\""};
  for (int round = 0; round < 1500; ++round) {
    const std::string& alphabet = alphabets[random() % std::size(alphabets)];
    std::string bytes = random() % 8 == 0 ? "\xEF\xBB\xBF" : "";
    const std::size_t size = random() % 400;
    for (std::size_t i = 0; i < size; ++i) bytes += alphabet[random() % alphabet.size()];
    const csv_options options{.columns = 1 + random() % 5, .max_line = 1 + random() % 60};
    const auto expected = reference_parser(bytes, options).rows();
    ASSERT_EQ(read_all(bytes, options), expected) << bytes;
    ASSERT_EQ(read_all(bytes, options, static_cast<unsigned>(round), 1), expected) << bytes;
    ASSERT_EQ(read_all(bytes, options, static_cast<unsigned>(round), 100), expected) << bytes;
  }
}

TEST(csv_reader, agrees_with_a_slow_parser_over_many_segments) {
  std::minstd_rand random(3);
  for (int round = 0; round < 12; ++round) {
    std::string bytes;
    while (bytes.size() < 200'000) {
      for (int field = 0; field < 6; ++field) {
        if (field != 0) bytes += ',';
        const bool quoted = random() % 10 == 0;
        std::string text(random() % (round % 2 == 0 ? 12 : 900), 'x');
        if (quoted) text = "\"" + text + (random() % 2 == 0 ? "\"\"" : "\n") + "\"";
        bytes += text;
      }
      bytes += random() % 3 == 0 ? "\r\n" : "\n";
    }
    const csv_options options{.columns = 4, .max_line = 3000};
    ASSERT_EQ(read_all(bytes, options, static_cast<unsigned>(round), 10'000), reference_parser(bytes, options).rows());
  }
}

TEST(csv_reader, keeps_other_columns_from_the_row_after_the_header_on) {
  eager_tracker tracker;
  segment_pool pool(tracker, spillway::segment_options_for(100));
  csv_reader reader(pool, {.columns = 1, .max_line = 100});
  chunked_source source("a,b,c\n1,2,3\n4,5,6\n", 1, 5);
  reader.open(source);
  csv_row row;
  const auto next = [&] {
    read_status status = reader.next(row);
    while (status == read_status::again) status = reader.next(row);
    return status;
  };
  ASSERT_EQ(next(), read_status::row);
  reader.keep_columns(3);
  ASSERT_EQ(next(), read_status::row);
  EXPECT_EQ(row.raw(2), "3");
  EXPECT_EQ(row.line(), 2u);
  ASSERT_EQ(next(), read_status::row);
  EXPECT_EQ(row.raw(0), "4");
  EXPECT_EQ(next(), read_status::end);
  EXPECT_EQ(next(), read_status::end);
}

TEST(csv_reader, takes_other_separators_and_refuses_impossible_ones) {
  EXPECT_EQ(read_all("a;b,c\n", {.separator = ';'}), (std::vector<seen_row>{{1, "a;b,c", 2, {"a", "b,c"}}}));
  eager_tracker tracker;
  segment_pool pool(tracker);
  EXPECT_THROW(csv_reader(pool, {.separator = '"', .max_line = 10}), std::invalid_argument);
  EXPECT_THROW(csv_reader(pool, {.columns = 0, .max_line = 10}), std::invalid_argument);
  EXPECT_THROW(csv_reader(pool, {.max_line = 0}), std::invalid_argument);
}

}  // namespace
