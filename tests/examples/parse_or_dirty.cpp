// Parse or dirty: lines that are whole numbers are doubled; the others go to a side output as they came.
//
// The side output carries `text_ref`, a handle to text of any length. An edge takes the text along with the
// handle, so the stage behind it may read it when the source has moved on. To keep the text longer, copy it.
#include <charconv>
#include <iostream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "spillway/spillway.hpp"

namespace sw = spillway;
using namespace std::string_view_literals;

// region: process
inline constexpr sw::output_tag<"dirty", sw::text_ref> dirty{};

struct parse_number {
  using main = int;
  using emits = sw::emits<dirty>;

  void on_record(auto& ctx, sw::text_ref line) const {
    const std::string_view text = line.view();
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size()) {
      ctx.emit(number);
    } else {
      ctx.output(dirty, line);
    }
  }
};
// end region

int main() {
  // One stream for each stage, since stages run on threads of their own.
  std::ostringstream numbers, rejected;

  auto parse = sw::stage<"parse">(sw::any_cpu{},
      sw::source(sw::elements<sw::text_ref>{"1"sv, "x"sv, "3"sv, ""sv, "5.5"sv, "7"sv})
          | sw::process(parse_number{})
          | sw::map([](int n) { return 2 * n; })
          | sw::print("doubled", numbers));
  auto reject = sw::stage<"reject">(sw::any_cpu{},
      sw::from(dirty) | sw::sink([&](sw::text_ref line) { rejected << "dirty> '" << line << "'\n"; }));

  sw::pipeline(std::move(parse), std::move(reject)).run();
  std::cout << numbers.str() << rejected.str();
}
