// The example at the top of README.md: lines of text become readings, readings become the mean of each sensor
// per second. Lines that do not parse and readings that come late leave by side outputs.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "spillway/spillway.hpp"

namespace sw = spillway;
using namespace std::chrono_literals;

struct reading {
  sw::fixed_string<15> sensor;
  sw::timestamp at;
  double celsius;
};
struct bad_line {
  std::string_view reason;
};
using mean_of_sensor = sw::window_result<sw::fixed_string<15>, double>;

/// The next line, sensor,milliseconds,celsius; nothing at the end.
std::optional<std::string_view> next_line() {
  static constexpr std::array<std::string_view, 11> lines = {
      "boiler,1000,70.0",
      "pump,1100,40.0",
      "boiler,1500,71.0",
      "boiler,15x0,71.5",  // does not parse
      "pump,1400,42.0",    // out of order; its window is open
      "boiler,2060,72.0",  // [1 s, 2 s) is complete
      "pump,1990,44.0",    // within the allowed lateness: its window fires again
      "pump,2100,43.0",
      "boiler,2300,74.0",
      "pump,1700,41.0",  // late
      "pump,2500",       // does not parse
  };
  static std::size_t next = 0;
  if (next == lines.size()) return std::nullopt;
  return lines[next++];
}

/// Takes what is before the next comma off `text`.
std::string_view take_field(std::string_view& text) {
  const std::string_view field = text.substr(0, text.find(','));
  text.remove_prefix(std::min(text.size(), field.size() + 1));
  return field;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

sw::result<reading, bad_line> parse_line(std::string_view line) {
  const std::string_view sensor = take_field(line);
  const auto milliseconds = number<std::int64_t>(take_field(line));
  if (!milliseconds) return sw::failure{bad_line{"bad time"}};
  const auto celsius = number<double>(line);
  if (!celsius) return sw::failure{bad_line{"bad number"}};
  return reading{sw::fixed_string<15>::truncated(sensor),
      sw::timestamp(std::chrono::milliseconds(*milliseconds)), *celsius};
}

void print_mean(const mean_of_sensor& mean) {
  std::cout << mean.key << " until " << mean.window.end.ns / 1'000'000 << " ms: " << mean.value << "\n";
}

void log_late(const reading& r) {
  std::clog << "late: " << r.sensor << " at " << r.at.ns / 1'000'000 << " ms\n";
}

// region: pipeline
inline constexpr sw::output_tag<"malformed", bad_line> malformed{};
inline constexpr sw::output_tag<"late", reading> late{};

int main() {
  auto ingest = sw::stage<"ingest">(sw::nth_allowed_cpu{0},
      sw::source(sw::fn<next_line>)
          | sw::try_map(sw::fn<parse_line>, malformed)
          | sw::on(malformed, sw::count_by(&bad_line::reason))
          | sw::watermarks(sw::bounded_out_of_orderness(50ms), &reading::at));
  auto average = sw::stage<"average">(sw::any_cpu{},
      sw::from(ingest, {.capacity = 65536})
          | sw::key_by(&reading::sensor)
          | sw::window(sw::tumbling(1s), {.allowed_lateness = 200ms}, late)
          | sw::aggregate(sw::mean(&reading::celsius)));
  auto publish = sw::stage<"publish">(sw::any_cpu{}, sw::from(average) | sw::sink(sw::fn<print_mean>));
  auto tardy = sw::stage<"tardy">(
      sw::any_cpu{}, sw::from(late, sw::drop_newest, {.capacity = 4096}) | sw::sink(sw::fn<log_late>));

  sw::pipeline p(std::move(ingest), std::move(average), std::move(publish), std::move(tardy));
  p.run();
}
// end region
