// The test for lateness, written by hand in a process function: what a window does for its late tag, for jobs without a window.
//
// A record whose time is not ahead of the watermark is late: all that belongs to that time has been counted and sent. The watermark in
// the context is the last one that passed, so the record that advances it is not measured against itself.
#include <chrono>
#include <iostream>
#include <sstream>
#include <utility>

#include "spillway/spillway.hpp"

namespace sw = spillway;
using namespace std::chrono_literals;

struct reading {
  int id;
  sw::timestamp at;

  friend std::ostream& operator<<(std::ostream& out, const reading& r) {
    return out << r.id << " of " << r.at.ns / 1'000'000 << " ms";
  }
};

// region: late
inline constexpr sw::output_tag<"late", reading> late{};

struct split_late {
  using main = reading;
  using emits = sw::emits<late>;

  void on_record(auto& ctx, const reading& r) const {
    if (ctx.timestamp() <= ctx.watermark()) {
      ctx.output(late, r);
    } else {
      ctx.emit(r);
    }
  }
};
// end region

int main() {
  // One stream for each stage, since stages run on threads of their own.
  std::ostringstream in_time, tardy;

  auto split = sw::stage<"split">(sw::any_cpu{},
      sw::source(sw::elements<reading>{{1, sw::timestamp(1000ms)}, {2, sw::timestamp(1900ms)},
          {3, sw::timestamp(1500ms)}, {4, sw::timestamp(1300ms)}, {5, sw::timestamp(2500ms)},
          {6, sw::timestamp(1999ms)}})
          | sw::watermarks(sw::bounded_out_of_orderness(500ms), &reading::at)
          | sw::process(split_late{})
          | sw::print("in time", in_time));
  auto tardy_ones = sw::stage<"tardy">(sw::any_cpu{}, sw::from(late) | sw::print("late", tardy));

  sw::pipeline(std::move(split), std::move(tardy_ones)).run();
  std::cout << in_time.str() << tardy.str();
}
