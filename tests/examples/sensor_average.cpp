// Sensor average: the mean of each sensor per 10 s of event time, and what becomes of readings that come late.
//
// A reading is late when the watermark has passed the end of its window. The watermark stays 2 s behind the
// largest time seen, so being out of order makes no reading late: another one must be far enough ahead. In the
// first run none is, and the reading at 0.5 s counts. The watermark is a function of the readings, never of a
// clock, so the program prints the same every time.
#include <chrono>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "spillway/spillway.hpp"

namespace sw = spillway;
using namespace std::chrono_literals;

struct reading {
  sw::fixed_string<15> sensor;
  sw::timestamp at;
  double celsius;
};
using average = sw::window_result<sw::fixed_string<15>, double>;

inline constexpr sw::output_tag<"late", reading> late{};
inline constexpr sw::output_tag<"late again", reading> late_again{};

double seconds(sw::timestamp t) { return static_cast<double>(t.ns) / 1e9; }

/// A sink for averages and for late readings.
struct report {
  std::ostringstream& out;
  std::string_view label;

  void operator()(const average& a) const {
    out << label << "> " << a.key << " [" << seconds(a.window.start) << " s, ";
    out << seconds(a.window.end) << " s) " << a.value << "\n";
  }
  void operator()(const reading& r) const {
    out << label << "> " << r.sensor << " at " << seconds(r.at) << " s: " << r.celsius << "\n";
  }
};

void run(std::string_view title, std::vector<reading> readings) {
  // One stream for each stage, since stages run on threads of their own.
  std::ostringstream first, second;
  for (auto* out : {&first, &second}) *out << std::fixed << std::setprecision(1);

  auto ingest = sw::stage<"ingest">(sw::any_cpu{},
      sw::source(sw::elements(std::move(readings)))
          | sw::watermarks(sw::bounded_out_of_orderness(2s), &reading::at));
  auto windows = sw::stage<"windows">(sw::any_cpu{},
      sw::from(ingest)
          | sw::key_by(&reading::sensor)
          | sw::window(sw::tumbling(10s), late)
          | sw::aggregate(sw::mean(&reading::celsius))
          | sw::on(late, sw::sink(report{first, "late"}))
          | sw::sink(report{first, "average"}));
  // A side output carries times and watermarks as any other stream does, so what was late for the first window
  // is late for a second one like it.
  auto windows_of_late = sw::stage<"windows of late">(sw::any_cpu{},
      sw::from(late)
          | sw::key_by(&reading::sensor)
          | sw::window(sw::tumbling(10s), late_again)
          | sw::aggregate(sw::mean(&reading::celsius))
          | sw::on(late_again, sw::sink(report{second, "late again"}))
          | sw::sink(report{second, "average of the late"}));
  sw::pipeline(std::move(ingest), std::move(windows), std::move(windows_of_late)).run();

  std::cout << title << "\n" << first.str() << second.str();
}

/// The readings of the first run, with others inserted before the last one, which is out of order.
std::vector<reading> readings_with(std::vector<reading> inserted) {
  std::vector<reading> readings = {
      {"sensor_1", sw::timestamp(1s), 35.5},
      {"sensor_1", sw::timestamp(3s), 36.0},
      {"sensor_1", sw::timestamp(5s), 36.5},
      {"sensor_2", sw::timestamp(2s), 37.0},
  };
  readings.insert(readings.end(), inserted.begin(), inserted.end());
  readings.push_back({"sensor_1", sw::timestamp(500ms), 34.8});
  return readings;
}

int main() {
  run("nothing is late: the watermark reaches no window's end before the input does", readings_with({}));
  run("a reading at 11.999 s: the watermark is 1 ms short of a window's end",
      readings_with({{"sensor_1", sw::timestamp(11'999ms), 40.0}}));
  run("a reading at 12 s: the window up to 10 s is over",
      readings_with({{"sensor_1", sw::timestamp(12s), 40.0}}));
}
