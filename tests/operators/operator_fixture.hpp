// What the tests of operators share: a chain without a stage around it, and an operator that writes down all that reaches it.
//
// One line for each thing that happens: `value@time`, `key:value@time`, `tag value@time`, `wm time`, `end`.
//
//     auto chain = operator_test::chain_of<int>(sw::map(twice));
//     chain.give(1, 10).watermark(10);
//     EXPECT_EQ(chain.take(), (lines{"2@10", "wm 10"}));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "spillway/graph/fuse.hpp"
#include "spillway/operators/stage_context.hpp"

namespace operator_test {

namespace sw = spillway;
using lines = std::vector<std::string>;

template <class T>
std::string show(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}
template <class T>
std::string show(const std::unique_ptr<T>& value) {
  return value ? "*" + show(*value) : "null";
}
inline std::string show_time(sw::timestamp t) {
  if (t == sw::no_timestamp) return "none";
  return t == sw::timestamp::maximum() ? "max" : std::to_string(t.ns);
}

/// Ends a chain and writes down what it is given.
template <class In>
struct trace_step {
  static constexpr std::string_view kind = "trace";
  lines* log;
  std::string label;

  template <class Down>
  void on_record(Down&, In&& record, sw::timestamp t) {
    log->push_back(label + show(record) + "@" + show_time(t));
  }
  template <class Down, class Key>
  void on_record(Down&, In&& record, sw::timestamp t, const Key& key) {
    log->push_back(label + show(key) + ":" + show(record) + "@" + show_time(t));
  }
  template <class Down>
  void on_watermark(Down& down, sw::timestamp w) {
    log->push_back(label + "wm " + show_time(w));
    down.watermark(w);
  }
  template <class Down>
  void on_end(Down&) {
    log->push_back(label + "end");
  }
};

struct trace_operator : sw::operator_base {
  lines* log = nullptr;
  std::string label{};

  using emits = sw::tag_list<>;
  template <class S>
  static constexpr bool accepts = true;
  template <class S>
  static constexpr void refuse() {}
  template <class S>
  using output = sw::stream<sw::no_record>;
  template <class S>
  trace_step<typename S::record> lower() && {
    return {log, std::move(label)};
  }
};
/// Writes to `log`, each line behind `label`.
inline trace_operator trace(lines& log, std::string label = {}) { return {{}, &log, std::move(label)}; }

/// Stands for the stage: side outputs are written down too.
class test_stage : public sw::stage_context {
 public:
  explicit test_stage(lines& log) : stage_context("test"), log_(log) {}

  template <class Tag, class V>
  void output(const Tag&, V&& value, sw::timestamp t) {
    const typename Tag::record record(std::forward<V>(value));
    log_.push_back(std::string(Tag::name()) + " " + show(record) + "@" + show_time(t));
  }
  bool held() const noexcept { return false; }
  template <class Tag>
  void watch(const sw::detail::tag_gate&) noexcept {}

 private:
  lines& log_;
};

template <class In, class Timing>
struct test_head {
  using is_head = void;
  using output = sw::stream<In, sw::no_key, Timing>;
  using emits = sw::tag_list<>;
  using on_tags = sw::tag_list<>;
  using reads = sw::tag_list<>;
  static constexpr int length = 0;
};

template <class In, class Timing, class Op>
class test_chain {
  static auto fused(Op op, lines& log) {
    auto expression = test_head<In, Timing>{} | std::move(op);
    if constexpr (sw::detail::has_main<decltype(expression)>) {
      return sw::detail::fuse(std::move(expression) | trace(log), sw::detail::fused_end{}).chain;
    } else {
      return sw::detail::fuse(std::move(expression), sw::detail::fused_end{}).chain;
    }
  }

 public:
  explicit test_chain(Op op) : chain_(fused(std::move(op), log_)) { chain_.open(stage_); }
  test_chain(const test_chain&) = delete;
  test_chain& operator=(const test_chain&) = delete;
  ~test_chain() { close(); }

  template <class V>
  test_chain& give(V&& record, std::int64_t t) {
    return in_pass([&](auto& pass) { pass.emit(In(std::forward<V>(record)), sw::timestamp{t}); });
  }
  template <class V>
  test_chain& give_untimed(V&& record) {
    return in_pass([&](auto& pass) { pass.emit(In(std::forward<V>(record)), sw::no_timestamp); });
  }
  test_chain& watermark(std::int64_t w) { return watermark(sw::timestamp{w}); }
  test_chain& watermark(sw::timestamp w) {
    return in_pass([&](auto& pass) { pass.watermark(w); });
  }
  test_chain& end() {
    watermark(sw::timestamp::maximum());
    return in_pass([](auto& pass) { pass.end(); });
  }
  test_chain& idle() {
    return in_pass([](auto& pass) { pass.idle(); });
  }
  void close() {
    sw::detail::first_exception errors;
    chain_.close(stage_, errors);
  }

  /// What came since the last call.
  lines take() { return std::exchange(log_, {}); }
  test_stage& stage() { return stage_; }

 private:
  /// One duty cycle.
  template <class F>
  test_chain& in_pass(F&& f) {
    auto pass = chain_.pass(stage_);
    f(pass);
    pass.settle();
    return *this;
  }

  lines log_;
  test_stage stage_{log_};
  decltype(fused(std::declval<Op>(), std::declval<lines&>())) chain_;
};

/// A chain of `op` (one operator, or several joined by `|`) over records of type In.
template <class In, class Timing = sw::timed, class Op>
test_chain<In, Timing, Op> chain_of(Op op) {
  return test_chain<In, Timing, Op>(std::move(op));
}

/// A record that counts how often it was copied.
struct counted {
  int value = 0;
  int copies = 0;

  counted() = default;
  explicit counted(int v) : value(v) {}
  counted(const counted& o) : value(o.value), copies(o.copies + 1) {}
  counted(counted&&) noexcept = default;
  counted& operator=(const counted& o) {
    value = o.value;
    copies = o.copies + 1;
    return *this;
  }
  counted& operator=(counted&&) noexcept = default;
  ~counted() = default;

  friend std::ostream& operator<<(std::ostream& out, const counted& c) { return out << c.value << (c.copies ? " copied" : ""); }
};

}  // namespace operator_test
