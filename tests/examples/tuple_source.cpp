// Tuple source: a hand-written source on one thread; on another, a process function that sends the number of
// each tuple to the main output and a text to a side output.
//
// Each stage has a thread of its own, so two stages are two threads. `on(tag, ...)` reads the side output in the
// thread that emits it, so it takes no third one. In the second run nobody reads the side output; that has to be
// said with `discard(tag)`, or the pipeline does not compile.
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>

#include "spillway/spillway.hpp"

namespace sw = spillway;

struct tuple {
  sw::fixed_string<3> name;
  int number;
  std::int64_t time_ms;
  sw::fixed_string<3> left;
  sw::fixed_string<3> right;
};

/// Gives out a table. A source never waits: it returns when it has nothing, and when the edge behind it is full.
class tuple_source {
 public:
  using record = tuple;

  sw::source_status poll(auto& out, std::size_t limit) {
    for (std::size_t n = 0; n < limit && !out.full(); ++n) {
      if (next_ == tuples.size()) return sw::source_status::ended;
      out.emit(tuples[next_++]);
    }
    return sw::source_status::active;
  }

 private:
  static constexpr std::array<tuple, 11> tuples = {{
      {"a", 2, 1551169050002, "w", "e"},
      {"a", 1, 1551169050002, "2", "1"},
      {"a", 1, 1551169050001, "3", "1"},
      {"aa", 33, 1551169064000, "4", "1"},
      {"a", 2, 1551169054000, "5", "1"},
      {"a", 1, 1551169050003, "6", "1"},
      {"a", 3, 1551169064000, "7", "1"},
      {"b", 5, 1551169100000, "8", "1"},
      {"a", 4, 1551169079000, "9", "1"},
      {"aa", 44, 1551169079000, "10", "1"},
      {"b", 6, 1551169108000, "11", "1"},
  }};
  std::size_t next_ = 0;
};

inline constexpr sw::output_tag<"side", std::string> side{};

struct take_apart {
  using main = int;
  using emits = sw::emits<side>;

  void on_record(auto& ctx, const tuple& t) const {
    ctx.emit(t.number);
    ctx.output(side, "sideout-" + std::string(t.right));
  }
};

void with_a_reader() {
  std::ostringstream numbers, texts;

  auto tuples = sw::stage<"tuples">(sw::any_cpu{}, sw::source(tuple_source{}));
  auto parts = sw::stage<"parts">(sw::any_cpu{},
      sw::from(tuples)
          | sw::process(take_apart{})
          | sw::on(side, sw::print("side", texts))
          | sw::print("main", numbers));

  sw::pipeline(std::move(tuples), std::move(parts)).run();
  std::cout << "a reader of the side output\n" << numbers.str() << texts.str();
}

void without_a_reader() {
  std::ostringstream numbers;

  auto tuples = sw::stage<"tuples">(sw::any_cpu{}, sw::source(tuple_source{}));
  auto parts = sw::stage<"parts">(
      sw::any_cpu{}, sw::from(tuples) | sw::process(take_apart{}) | sw::print("main", numbers));

  sw::pipeline(std::move(tuples), std::move(parts), sw::discard(side)).run();
  std::cout << "nobody reads the side output\n" << numbers.str();
}

int main() {
  with_a_reader();
  without_a_reader();
}
