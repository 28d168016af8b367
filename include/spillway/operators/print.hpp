// A sink that prints each record behind a label, one line a record.
//
// Runs in its stage's thread; several stages may print to one stream.
// 1. A line is written with one call, so lines of several threads do not mix.
// 2. A stream that fails stops the pipeline with an error that names the label.
//
//     std::ostringstream out;                         // std::cout, unless told otherwise
//     run(sw::source(sw::elements{35.7, 36.1}) | sw::print("average", out));
//     assert(out.str() == "average> 35.7\naverage> 36.1\n");
#pragma once

#include <iostream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>

#include "spillway/operators/sink.hpp"

namespace spillway {

namespace detail {
template <class T>
concept printable = requires(std::ostream& out, const T& value) { out << value; };

inline std::mutex& print_mutex() {
  static std::mutex mutex;
  return mutex;
}
}  // namespace detail

class print_sink {
 public:
  print_sink(std::string label, std::ostream& out) : label_(std::move(label)), out_(&out) {}

  template <detail::printable Record>
  void operator()(const Record& record) {
    std::ostringstream line;
    if (!label_.empty()) line << label_ << "> ";
    line << record << '\n';
    const std::lock_guard lock(detail::print_mutex());
    if (!(*out_ << line.view() << std::flush))
      throw std::runtime_error("spillway: cannot write the records labelled '" + label_ + "'");
  }

 private:
  std::string label_;
  std::ostream* out_;
};

/// Prints `label> record` to `out`; a record needs operator<<.
inline sink_operator<print_sink> print(std::string label = {}, std::ostream& out = std::cout) {
  return {{}, print_sink(std::move(label), out)};
}

}  // namespace spillway
