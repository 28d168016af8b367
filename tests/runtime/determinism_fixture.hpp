// Runs one graph in every way there is and compares all that came out: on the calling thread, on one thread, on one thread per stage; over
// rings of different capacity; with every idle strategy that the machine allows.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include "spillway/spillway.hpp"

namespace determinism_test {

namespace sw = spillway;

struct reading {
  int number = 0;
  int key = 0;
  sw::timestamp at;
  int value = 0;
};

/// The same `n` readings on every call, up to 40 ns out of order, some of them later still.
inline auto readings(int n) {
  return sw::source([i = 0, n, state = std::uint64_t{42}]() mutable -> std::optional<reading> {
    if (i == n) return std::nullopt;
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto random = static_cast<int>(state >> 40);
    const int disorder = random % 17 == 0 ? 300 : random % 40;
    const reading r{i, random % 5, sw::timestamp(std::int64_t{1000} + i * 7 - disorder), random % 100};
    ++i;
    return r;
  });
}
inline auto timed_by_reading() {
  return sw::watermarks(sw::bounded_out_of_orderness(std::chrono::nanoseconds(40)), &reading::at);
}

template <class Number>
  requires std::is_arithmetic_v<Number>
std::string show(Number n) {
  return std::to_string(n);
}
inline std::string show(std::string_view t) { return std::string(t); }
inline std::string show(const reading& r) { return "r" + show(r.number) + "/" + show(r.key) + "/" + show(r.value); }
template <class Key, class Value>
std::string show(const sw::window_result<Key, Value>& r) {
  std::string text = "[" + std::to_string(r.window.start.ns) + "," + std::to_string(r.window.end.ns) + ") " + show(r.value);
  if constexpr (!std::is_void_v<Key>) text = show(r.key) + " " + text;
  return text;
}

enum class way { inline_, one_thread, threads };

/// What came to each sink, by its name, one line a record with its timestamp.
using results = std::map<std::string, std::string>;

/// What a shape is given: how to build its edges, where its sinks write, how to run.
class run {
 public:
  run(way how, sw::idle_strategy idle, std::size_t capacity)
      : how_(how), idle_(idle), options{.capacity = capacity, .text_bytes = capacity * 64} {}

  /// A sink under a name.
  auto to(const std::string& name) {
    std::string* all = &out[name];
    return sw::sink([all](const auto& record, sw::timestamp t) { *all += show(record) + "@" + std::to_string(t.ns) + "\n"; });
  }
  template <class... Stages>
  void operator()(Stages&&... stages) {
    sw::pipeline p(std::forward<Stages>(stages)...);
    if (how_ == way::inline_) return p.run_inline();
    p.run({.idle = idle_, .one_thread = how_ == way::one_thread});
    for (const auto& e : p.edges()) EXPECT_EQ(e.counts.consumed, e.counts.pushed) << e.from << " -> " << e.to;
  }

 private:
  way how_;
  sw::idle_strategy idle_;

 public:
  sw::edge_options options;
  results out;
};

/// Requires the same results of `shape(run&)` in every way; `sinks` must each have got something.
template <class Shape>
void same_in_every_way(Shape shape) {
  run first(way::inline_, sw::idle_strategy::yield, 1024);
  shape(first);
  for (const auto& [name, text] : first.out) EXPECT_FALSE(text.empty()) << name;
  for (const std::size_t capacity : {1u, 2u, 1024u}) {
    const auto compare = [&](way how, sw::idle_strategy idle) {
      run again(how, idle, capacity);
      try {
        shape(again);
      } catch (const std::invalid_argument&) {
        ASSERT_TRUE(idle == sw::idle_strategy::spin || idle == sw::idle_strategy::busy_spin);
        return;  // more threads than CPUs
      }
      for (const auto& [name, text] : first.out) {
        ASSERT_EQ(again.out[name], text) << "sink '" << name << "', way " << static_cast<int>(how) << ", " << sw::name_of(idle)
                                         << ", capacity " << capacity;
      }
    };
    ASSERT_NO_FATAL_FAILURE(compare(way::inline_, sw::idle_strategy::backoff));
    ASSERT_NO_FATAL_FAILURE(compare(way::one_thread, sw::idle_strategy::yield));
    for (const auto idle : {sw::idle_strategy::busy_spin, sw::idle_strategy::spin, sw::idle_strategy::yield,
                            sw::idle_strategy::backoff, sw::idle_strategy::sleep}) {
      ASSERT_NO_FATAL_FAILURE(compare(way::threads, idle));
    }
  }
}

}  // namespace determinism_test
