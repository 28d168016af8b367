// What the tests of graphs share: a source that follows a script, and a look at edges and outputs by name.
//
//     auto ingest = sw::stage<"ingest">(sw::any_cpu{}, sw::source(script{}.number(1, 10).watermark(9)) | ...);
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "spillway/operators/elements.hpp"
#include "spillway/operators/process.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/pipeline.hpp"
#include "tests/operators/operator_fixture.hpp"

namespace graph_test {

using namespace operator_test;

/// A source of whole numbers with their time, and of watermarks, in the order in which they were named.
class script {
 public:
  using record = int;
  static constexpr bool has_timestamps = true;

  script number(int value, std::int64_t time) && {
    items_.push_back({value, sw::timestamp{time}, false});
    return std::move(*this);
  }
  script watermark(std::int64_t time) && {
    items_.push_back({0, sw::timestamp{time}, true});
    return std::move(*this);
  }

  template <class Out>
  sw::source_status poll(Out& out, std::size_t limit) {
    for (std::size_t n = 0; n < limit && !out.full(); ++n) {
      if (next_ == items_.size()) return sw::source_status::ended;
      const item& i = items_[next_++];
      if (i.is_watermark) {
        out.watermark(i.time);
      } else {
        out.emit(i.value, i.time);
      }
    }
    return sw::source_status::active;
  }

 private:
  struct item {
    int value;
    sw::timestamp time;
    bool is_watermark;
  };
  std::vector<item> items_;
  std::size_t next_ = 0;
};

/// The lines without the watermarks that another one follows at once: an edge may leave those out, depending on how input falls into cycles.
inline lines settled(const lines& log) {
  lines kept;
  for (const std::string& line : log) {
    if (!kept.empty() && kept.back().starts_with("wm ") && line.starts_with("wm ")) kept.pop_back();
    kept.push_back(line);
  }
  return kept;
}

/// The edge with these names. Fails the test when there is none or several.
inline sw::edge_report edge_of(const sw::pipeline& p, std::string_view from, std::string_view tag, std::string_view to) {
  std::vector<sw::edge_report> found;
  for (const sw::edge_report& e : p.edges()) {
    if (e.from == from && e.tag == tag && e.to == to) found.push_back(e);
  }
  if (found.size() != 1) throw std::logic_error("no edge, or several, of these names");
  return found.front();
}

/// Records of an output that no edge took.
inline std::uint64_t unread(sw::pipeline& p, std::string_view stage, std::string_view tag) {
  for (const auto& a : p.lowered().agents()) {
    if (a->name() != stage) continue;
    for (const sw::output_port* port : a->ports()) {
      if (port->tag() == tag) return port->unread();
    }
  }
  throw std::logic_error("no output of that name");
}

}  // namespace graph_test
