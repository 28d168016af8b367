// Sources and sinks that count how often they are opened and closed, and that fail at a moment of the test's choice.
#pragma once

#include <atomic>
#include <stdexcept>

#include "spillway/spillway.hpp"

namespace failure_test {

namespace sw = spillway;

/// How often something was opened and closed.
struct life {
  std::atomic<int> opened{0};
  std::atomic<int> closed{0};
};

/// A sink with a life, that may fail at each moment of it.
struct sink_plan {
  bool fail_open = false;
  bool fail_close = false;
  int fail_at = -1;
};
class living_sink {
 public:
  living_sink(life& l, sink_plan plan = {}) : life_(&l), plan_(plan) {}
  void open() {
    ++life_->opened;
    if (plan_.fail_open) throw std::runtime_error("cannot open");
  }
  void write(int n) {
    if (n == plan_.fail_at) throw std::runtime_error("cannot write");
  }
  void close() {
    ++life_->closed;
    if (plan_.fail_close) throw std::runtime_error("cannot close");
  }

 private:
  life* life_;
  sink_plan plan_;
};

class living_source {
 public:
  using record = int;
  living_source(life& l, int records, int fail_at = -1, bool fail_open = false)
      : life_(&l), records_(records), fail_at_(fail_at), fail_open_(fail_open) {}
  void open(sw::stage_context&) {
    ++life_->opened;
    if (fail_open_) throw std::runtime_error("cannot open the source");
  }
  void close() { ++life_->closed; }
  template <class Out>
  sw::source_status poll(Out& out, std::size_t limit) {
    for (std::size_t n = 0; n < limit && !out.full(); ++n) {
      if (next_ == fail_at_) throw std::runtime_error("cannot read");
      if (next_ == records_) return sw::source_status::ended;
      out.emit(next_++);
    }
    return sw::source_status::active;
  }

 private:
  life* life_;
  int next_ = 0;
  int records_;
  int fail_at_;
  bool fail_open_;
};

}  // namespace failure_test
