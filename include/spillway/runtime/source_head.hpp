// The head of a stage that begins with a source.
//
// Belongs to the stage's thread. 1. The source is asked for at most `batch` records a cycle and never after it ended or the stage was
// stopped.
//
//     auto driver = detail::lower_head(source(elements{1, 2, 3}));
//     static_assert(decltype(driver)::batch == 1024);                 // records of one duty cycle
//     assert(driver.watermark() == timestamp::minimum());
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "spillway/operators/source.hpp"
#include "spillway/operators/stage_context.hpp"
#include "spillway/runtime/plan.hpp"

namespace spillway::detail {

/// What a source's `poll` is handed.
template <class Pass, class Record>
class source_output {
 public:
  source_output(Pass& pass, std::size_t& records, timestamp& watermark) noexcept
      : pass_(pass), records_(records), watermark_(watermark) {}

  template <class R>
  SPILLWAY_INLINE void emit(R&& record) {
    emit(std::forward<R>(record), no_timestamp);
  }
  template <class R>
  SPILLWAY_INLINE void emit(R&& record, timestamp t) {
    ++records_;
    if constexpr (std::is_same_v<R, Record>) {
      pass_.emit(std::move(record), t);
    } else {
      pass_.emit(Record(std::forward<R>(record)), t);
    }
  }
  SPILLWAY_INLINE void watermark(timestamp w) {
    if (w <= watermark_) return;
    watermark_ = w;
    pass_.watermark(w);
  }
  /// A lossless output is full: take no more input now.
  SPILLWAY_INLINE bool full() const { return pass_.held(); }

 private:
  Pass& pass_;
  std::size_t& records_;
  timestamp& watermark_;
};

template <class Source>
class source_driver {
 public:
  static constexpr std::string_view kind = "source";
  static constexpr std::size_t batch = 1024;

  explicit source_driver(Source source) : source_(std::move(source)) {}

  void connect(plan&, const reader_id&) {}
  void open_edges() {}
  void close_edges() {}
  void open(stage_context& context) {
    opened_ = true;
    if constexpr (requires { source_.open(context); }) source_.open(context);
  }
  void close() {
    if constexpr (requires { source_.close(); }) {
      if (std::exchange(opened_, false)) source_.close();
    }
  }
  timestamp watermark() const noexcept { return watermark_; }

  template <class Pass>
  SPILLWAY_INLINE std::size_t poll(Pass& pass, bool stop, std::size_t& records, bool& ended) {
    if (stop) {
      ended = true;
      return 0;
    }
    std::size_t emitted = 0;
    timestamp reached = watermark_;
    const std::uint64_t before = position();
    source_output<Pass, typename Source::record> out(pass, emitted, reached);
    try {
      ended = source_.poll(out, batch) == source_status::ended;
    } catch (...) {
      records = counts_itself ? static_cast<std::size_t>(position() - before) : emitted;
      throw;
    }
    watermark_ = reached;
    records = counts_itself ? static_cast<std::size_t>(position() - before) : emitted;
    return records;
  }

 private:
  // A source that knows its position spares the loop a counter.
  static constexpr bool counts_itself = requires(const Source& s) {
    { s.position() } -> std::convertible_to<std::uint64_t>;
  };
  std::uint64_t position() const {
    if constexpr (counts_itself) return source_.position();
    return 0;
  }

  Source source_;
  timestamp watermark_ = timestamp::minimum();
  bool opened_ = false;
};

template <class Source>
source_driver<Source> lower_head(source_head<Source>&& head) {
  return source_driver<Source>(std::move(head.source));
}

}  // namespace spillway::detail
