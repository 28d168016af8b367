// Late records, kept and folded in: the first pass gives each window's result in time and writes what came late to a file; a second
// pass, when there is leisure, reads that file and corrects the results. First result and correction are told apart.
//
// The second pass must not call anything late, so its watermark waits for the end of the file. Both passes use one window, so a
// correction finds its first result by (key, window).
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include <unistd.h>

#include "spillway/spillway.hpp"

namespace sw = spillway;
using namespace std::chrono_literals;

struct trade {
  sw::fixed_string<7> symbol;
  sw::timestamp at;
  std::int64_t quantity;
};
using volume = sw::window_result<sw::fixed_string<7>, std::int64_t>;
using volumes = std::map<std::pair<std::string, std::int64_t>, std::int64_t>;

inline constexpr sw::output_tag<"late", trade> late{};

/// Writes late trades as lines that the second pass reads.
class trade_file {
 public:
  explicit trade_file(std::string path) : path_(std::move(path)) {}
  void open() { out_.open(path_); }
  void write(const trade& t) { out_ << t.symbol << ' ' << t.at.ns << ' ' << t.quantity << '\n'; }
  void close() {
    out_.close();
    if (!out_) throw std::runtime_error("cannot write " + path_ + ": is the disk full?");
  }

 private:
  std::string path_;
  std::ofstream out_;
};

void say(const char* what, const std::pair<std::string, std::int64_t>& window, std::int64_t value) {
  std::cout << what << "> " << window.first << " second " << window.second << ": " << value << "\n";
}

volumes first_pass(const std::string& late_file) {
  volumes results;
  auto feed = sw::stage<"feed">(sw::any_cpu{},
      sw::source(sw::elements<trade>{{"ACME", sw::timestamp(100ms), 10}, {"ZINC", sw::timestamp(200ms), 5},
          {"ACME", sw::timestamp(1100ms), 20}, {"ACME", sw::timestamp(900ms), 7},
          {"ZINC", sw::timestamp(1500ms), 1}, {"ZINC", sw::timestamp(150ms), 2},
          {"ACME", sw::timestamp(2100ms), 3}, {"ACME", sw::timestamp(950ms), 8}})
          | sw::watermarks(sw::ascending(), &trade::at));
  auto window = sw::stage<"window">(sw::any_cpu{},
      sw::from(feed)
          | sw::key_by(&trade::symbol)
          | sw::window(sw::tumbling(1s), late)
          | sw::aggregate(sw::sum(&trade::quantity))
          | sw::sink([&](const volume& v) {
              results[{std::string(v.key.view()), v.window.start.ns / 1'000'000'000}] = v.value;
            }));
  auto keep = sw::stage<"keep">(sw::any_cpu{}, sw::from(late, sw::block) | sw::sink(trade_file(late_file)));
  sw::pipeline(std::move(feed), std::move(window), std::move(keep)).run();
  for (const auto& [window_of_key, value] : results) say("first", window_of_key, value);
  return results;
}

void second_pass(const std::string& late_file, const volumes& first) {
  std::ifstream in(late_file);
  auto read = sw::stage<"read">(sw::any_cpu{},
      sw::source([&]() -> std::optional<trade> {
        std::string symbol;
        std::int64_t ns = 0;
        std::int64_t quantity = 0;
        if (!(in >> symbol >> ns >> quantity)) return std::nullopt;
        return trade{sw::fixed_string<7>(symbol), sw::timestamp(ns), quantity};
      })
          | sw::watermarks(sw::bounded_out_of_orderness(std::chrono::nanoseconds::max()), &trade::at)
          | sw::key_by(&trade::symbol)
          | sw::window(sw::tumbling(1s))
          | sw::aggregate(sw::sum(&trade::quantity))
          | sw::sink([&](const volume& v) {
              const std::pair<std::string, std::int64_t> window_of_key{
                  std::string(v.key.view()), v.window.start.ns / 1'000'000'000};
              const auto before = first.find(window_of_key);
              say("corrected", window_of_key, v.value + (before == first.end() ? 0 : before->second));
            }));
  sw::pipeline(std::move(read)).run_inline();
}

int main() {
  const std::string late_file = "/tmp/spillway_late_" + std::to_string(getpid()) + ".txt";
  const volumes first = first_pass(late_file);
  second_pass(late_file, first);
  std::remove(late_file.c_str());
}
