// One edge with both ends in the hands of a test: what is pushed, flushed and read is up to the test, and what comes out is a line of text.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spillway/runtime/edge.hpp"

namespace edge_test {

namespace sw = spillway;

inline std::string show(int n) { return std::to_string(n); }
inline std::string show(std::int64_t n) { return std::to_string(n); }
template <class Record>
std::string show(const sw::stamped<Record>& s) {
  return show(s.record) + "@" + std::to_string(s.at.ns);
}

/// `Stream` is what the edge carries. Records are shown by `show`, watermarks as w7, the end as end.
template <class Stream>
class edge_bench {
 public:
  using edge_type = sw::edge_of<Stream>;
  using slot = typename edge_type::slot;

  explicit edge_bench(sw::overflow_policy policy, sw::edge_options options = {})
      : edge("emit", std::is_same_v<typename Stream::timing, sw::timed> ? "tag" : "", "read", policy, options, &hook) {
    edge.open_writer();
    edge.open_reader();
  }
  ~edge_bench() {
    edge.close_writer();
    edge.close_reader();
  }
  edge_bench(const edge_bench&) = delete;
  edge_bench& operator=(const edge_bench&) = delete;

  void push(slot s) { edge.push(edge.writer(), std::move(s)); }
  void watermark(std::int64_t ns) { edge.watermark(edge.writer(), sw::timestamp(ns)); }
  void flush() { edge.writer() = edge.flush(edge.writer()); }
  void end() { edge.end(edge.writer()); }
  bool held() { return edge.writer().held; }

  /// Reads up to `limit` records and all markers between them.
  std::string read(std::size_t limit = std::numeric_limits<std::size_t>::max()) {
    std::string out;
    edge.poll(
        limit, [&](slot& s) { out += (out.empty() ? "" : " ") + show(s); },
        [&](const sw::marker& m) { out += (out.empty() ? "" : " ") + show_marker(m); }, [] { return false; });
    return out;
  }

  /// Flushes and reads until nothing comes any more.
  std::string read_all() {
    std::string out;
    for (;;) {
      flush();
      const std::string part = read();
      if (part.empty()) return out;
      out += (out.empty() ? "" : " ") + part;
    }
  }

  std::vector<std::string> reports;
  sw::report_hook hook = [this](std::string_view text) { reports.emplace_back(text); };
  edge_type edge;

 private:
  static std::string show_marker(const sw::marker& m) {
    return m.kind == sw::marker_kind::end ? "end" : "w" + std::to_string(m.value.ns);
  }
};

using plain = sw::stream<int>;
using stamped = sw::stream<int, sw::no_key, sw::timed>;

inline constexpr sw::overflow_policy block{sw::overflow::block};
inline constexpr sw::overflow_policy drop_newest{sw::overflow::drop_newest};
inline constexpr sw::overflow_policy spill_up_to(std::size_t bytes) { return sw::spill.up_to(bytes).lowered(); }

}  // namespace edge_test
