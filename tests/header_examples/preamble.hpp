// What the examples in the headers' opening comments take for granted, so that they can be short.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <unistd.h>

#include "spillway/connectors/byte_source.hpp"
#include "spillway/operators/release_tracker.hpp"
#include "spillway/spillway.hpp"

// Examples check what they say in every build.
#undef NDEBUG
#include <cassert>

namespace header_examples {

namespace sw = spillway;
using namespace std::chrono_literals;

struct reading {
  sw::fixed_string<15> sensor;
  sw::timestamp at;
  double celsius = 0;
};
struct bad_line {
  std::string_view reason;
};

inline constexpr sw::output_tag<"late", reading> late{};
inline constexpr sw::output_tag<"malformed", bad_line> malformed{};
inline constexpr sw::output_tag<"odd", int> odd{};
inline constexpr sw::output_tag<"failed", sw::failed_record<int>> failed{};

/// Two sensors: the boiler at 1.0 s, 1.5 s and 2.5 s, the pump at 1.2 s.
inline auto readings() {
  return sw::source(sw::elements<reading>{{"boiler", sw::timestamp(1000ms), 70},
                                          {"pump", sw::timestamp(1200ms), 40},
                                          {"boiler", sw::timestamp(1500ms), 72},
                                          {"boiler", sw::timestamp(2500ms), 74}}) |
         sw::watermarks(sw::ascending(), &reading::at);
}

/// Readings of one sensor, 10 ms apart.
inline auto readings(std::initializer_list<double> celsius) {
  std::vector<reading> all;
  for (const double value : celsius) all.push_back({"boiler", sw::timestamp(10ms * all.size()), value});
  return sw::source(sw::elements<reading>(std::move(all))) | sw::watermarks(sw::ascending(), &reading::at);
}

/// Lines of text, one of which is no number.
inline auto lines() { return sw::source(sw::elements<std::string_view>{"7", "x", "9"}); }

inline sw::result<int, bad_line> parse(std::string_view line) {
  int value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{}) return sw::failure{bad_line{"not a number"}};
  return value;
}

/// Runs an expression that ends in a sink, as a pipeline of one stage in this thread.
template <class Expression>
sw::pipeline run(Expression expression) {
  sw::pipeline p(sw::stage<"example">(sw::any_cpu{}, std::move(expression)));
  p.run_inline();
  return p;
}

/// Runs an expression and returns what comes out of it.
template <class Expression>
auto collect(Expression expression) {
  using record = typename Expression::output::record;
  std::vector<record> all;
  run(std::move(expression) | sw::sink([&all](const record& r) { all.push_back(r); }));
  return all;
}

/// Stands behind a step and keeps the records that it emits.
template <class Record>
struct kept {
  std::vector<Record> records;

  void emit(Record&& r, sw::timestamp) { records.push_back(std::move(r)); }
  template <class Tag, class Value>
  void output(const Tag&, Value&&, sw::timestamp) {}
  void watermark(sw::timestamp) {}
  bool held() const { return false; }
};

/// Input of given bytes.
class text_source final : public sw::byte_source {
 public:
  explicit text_source(std::string_view text) : rest_(text) {}

  sw::read_result try_read(std::span<char> into) override {
    const std::size_t size = rest_.copy(into.data(), into.size());
    rest_.remove_prefix(size);
    return {size, size == 0};
  }

 private:
  std::string_view rest_;
};

/// For readers whose records go nowhere: everything is released at once.
struct nothing_held final : sw::release_tracker {
  std::uint64_t seal() override { return ++sealed; }
  bool released(std::uint64_t token) override { return token <= sealed; }
  std::uint64_t sealed = 0;
};

/// A name for a file in the system's temporary folder, which is removed in the end.
class scratch_file {
 public:
  scratch_file()
      : path_((std::filesystem::temp_directory_path() / ("spillway_example_" + std::to_string(::getpid()))).string()) {}
  ~scratch_file() { std::filesystem::remove(path_); }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace header_examples
