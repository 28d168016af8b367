// Dirty records, counted and watched: lines that cannot be read go to a side output, which is keyed by the reason and counted per second
// of event time; a count above a threshold raises an alert on a further side output.
//
// A side output is a stream like any other. It carries the times and the watermarks of the stream it left, so it can be windowed
// without asking the clock, and the alert comes as soon as event time has passed the second in question, also when no dirty line
// follows.
#include <charconv>
#include <chrono>
#include <iostream>
#include <sstream>
#include <string_view>
#include <utility>

#include "spillway/spillway.hpp"

namespace sw = spillway;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

struct line {
  sw::timestamp at;
  sw::fixed_string<31> text;
};
struct bad_line {
  sw::fixed_string<15> reason;
};
struct alert {
  sw::fixed_string<15> reason;
  sw::timestamp second;
  std::uint64_t lines;
};
struct reading {
  int value;
};

// region: alert
inline constexpr sw::output_tag<"dirty", bad_line> dirty{};
inline constexpr sw::output_tag<"alert", alert> alerts{};

struct parse {
  using main = reading;
  using emits = sw::emits<dirty>;

  void on_record(auto& ctx, const line& l) const {
    const std::string_view text = l.text.view();
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty()) {
      ctx.output(dirty, bad_line{"empty"});
    } else if (error != std::errc{} || end != text.data() + text.size()) {
      ctx.output(dirty, bad_line{"not a number"});
    } else if (value < 0) {
      ctx.output(dirty, bad_line{"negative"});
    } else {
      ctx.emit(reading{value});
    }
  }
};

struct raise_alert {
  using counted = sw::window_result<sw::fixed_string<15>, std::uint64_t>;
  using main = counted;
  using emits = sw::emits<alerts>;
  std::uint64_t threshold;

  void on_record(auto& ctx, const counted& c) const {
    if (c.value > threshold) ctx.output(alerts, alert{c.key, c.window.start, c.value});
    ctx.emit(c);
  }
};
// end region

int main() {
  // One stream for each stage, since stages run on threads of their own.
  std::ostringstream clean, counts, raised;

  auto ingest = sw::stage<"ingest">(sw::any_cpu{},
      sw::source(sw::elements<line>{{sw::timestamp(100ms), "7"}, {sw::timestamp(200ms), "x1"},
          {sw::timestamp(300ms), "x2"}, {sw::timestamp(350ms), ""}, {sw::timestamp(700ms), "x3"},
          {sw::timestamp(900ms), "8"}, {sw::timestamp(1200ms), "-5"}, {sw::timestamp(1300ms), "x4"},
          {sw::timestamp(2500ms), "9"}})
          | sw::watermarks(sw::ascending(), &line::at)
          | sw::process(parse{})
          | sw::sink([&](const reading& r) { clean << "clean> " << r.value << "\n"; }));
  auto dirt = sw::stage<"dirt">(sw::any_cpu{},
      sw::from(dirty)
          | sw::key_by(&bad_line::reason)
          | sw::window(sw::tumbling(1s))
          | sw::aggregate(sw::count())
          | sw::process(raise_alert{.threshold = 2})
          | sw::sink([&](const raise_alert::counted& c) {
              counts
                  << "dirty> second "
                  << c.window.start.ns
                  / 1'000'000'000
                  << ": "
                  << c.value
                  << " "
                  << c.key
                  << "\n";
            }));
  auto pager = sw::stage<"pager">(sw::any_cpu{}, sw::from(alerts, sw::block) | sw::sink([&](const alert& a) {
    raised
        << "alert> "
        << a.lines
        << " lines "
        << a.reason
        << " in second "
        << a.second.ns
        / 1'000'000'000
        << "\n";
  }));

  sw::pipeline(std::move(ingest), std::move(dirt), std::move(pager)).run();
  std::cout << clean.str() << counts.str() << raised.str();
}
