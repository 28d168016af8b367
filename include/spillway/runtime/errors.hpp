// What `run` throws: the error of a stage, with the stage and the operator named.
//
// 1. `cause()` is the exception that the operator threw; its text is part of `what()`.
//
//     sw::pipeline p(sw::stage<"parse">(sw::any_cpu{},
//         sw::source(sw::elements<std::string>{"7", "x"})
//             | sw::map([](const std::string& s) { return std::stoi(s); })
//             | sw::discard()));
//     try {
//       p.run();
//     } catch (const sw::pipeline_error& e) {
//       std::cout << e.what() << '\n';
//       assert(e.stage() == "parse" && e.operator_kind() == "map" && e.operator_position() == 1);
//     }
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace spillway {

class pipeline_error : public std::runtime_error {
 public:
  pipeline_error(const std::string& text, std::string stage, int position, std::string kind, std::exception_ptr cause)
      : std::runtime_error(text),
        stage_(std::move(stage)),
        kind_(std::move(kind)),
        position_(position),
        cause_(std::move(cause)) {}

  const std::string& stage() const noexcept { return stage_; }
  /// Kind of the operator: "map", "sink", ...; "source" or "from" for the head of the stage.
  const std::string& operator_kind() const noexcept { return kind_; }
  /// Place of the operator in the stage's expression; the head is 0.
  int operator_position() const noexcept { return position_; }
  /// The exception that the operator threw.
  std::exception_ptr cause() const noexcept { return cause_; }

 private:
  std::string stage_;
  std::string kind_;
  int position_;
  std::exception_ptr cause_;
};

}  // namespace spillway
