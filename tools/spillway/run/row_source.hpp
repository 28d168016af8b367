// The source of a run: rows of whatever reader, and the records and rejects they become.
//
// Belongs to the reading stage's thread.
// 1. The reader lives outside the pipeline, since the operators behind the source look at its current row.
// 2. One record in `timed_every` carries the time at which it was read, for the latency figures.
//
//     source(row_source<csv_rows>{&rows}) | filter(row_wanted<csv_rows>{...}) | try_map(row_parse<csv_rows>{&rows}, malformed)
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "spillway/core/counter.hpp"
#include "spillway/core/result.hpp"
#include "spillway/operators/source.hpp"
#include "spillway/operators/stage_context.hpp"
#include "spillway/run/records.hpp"

namespace spillway::tool {

template <class Rows>
struct row_source {
  using record = raw_row;
  Rows* rows;

  void open(stage_context& stage) { rows->open(*stage.releases()); }
  void close() { rows->close(); }

  template <class Out>
  source_status poll(Out& out, std::size_t limit) {
    for (std::size_t n = 0; n < limit && !out.full(); ++n) {
      const read_status got = rows->next();
      if (got == read_status::end) return source_status::ended;
      if (got == read_status::again) return source_status::idle;
      out.emit(raw_row{});
    }
    return source_status::active;
  }
};

template <class Rows>
struct row_wanted {
  Rows* rows;
  counter* filtered;

  bool operator()(const raw_row&) const {
    if (rows->wanted()) return true;
    filtered->add();
    return false;
  }
};

template <class Rows>
struct row_parse {
  static constexpr std::uint32_t timed_every = 64;
  Rows* rows;
  std::uint32_t turn = 0;

  result<tick, bad_line> operator()(const raw_row&) {
    auto parsed = rows->parse();
    if (++turn % timed_every == 0 && parsed)
      parsed.value().clock_ns = std::chrono::steady_clock::now().time_since_epoch().count();
    return parsed;
  }
};

}  // namespace spillway::tool
