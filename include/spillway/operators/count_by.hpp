// A sink that counts records by a property, as counters of the stage that anyone may read while it runs.
//
// Runs in its stage's thread.
// 1. Each distinct value gets one counter, named `prefix` + the value's text, when it first occurs.
// 2. It is meant for few distinct values (reasons, kinds): the look-up is linear, and from the 65th value on all count as `prefix` + "other".
//
//     sw::pipeline p = run(lines()
//                          | sw::try_map(sw::fn<parse>, malformed)
//                          | sw::on(malformed, sw::count_by(&bad_line::reason))
//                          | sw::discard());
//     const sw::named_count bad = p.stages().front().added.front();
//     assert(bad.name.ends_with("not a number") && bad.value == 1);
#pragma once

#include <algorithm>
#include <array>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "spillway/operators/operator.hpp"
#include "spillway/operators/stage_context.hpp"

namespace spillway {

namespace detail {

/// Where a value is printed to without an allocation; what is longer is cut.
class short_text : public std::streambuf {
 public:
  short_text() { setp(text_.data(), text_.data() + text_.size()); }
  std::string_view view() const { return {pbase(), static_cast<std::size_t>(pptr() - pbase())}; }

 private:
  std::array<char, 80> text_;
};

}  // namespace detail

template <class F, class In>
struct count_by_step {
  static constexpr std::string_view kind = "count_by";
  static constexpr std::size_t most_values = 64;

  [[no_unique_address]] F f;
  std::string prefix;

  using value = std::remove_cvref_t<std::invoke_result_t<F&, const In&>>;
  struct cell {
    value what;
    std::string_view text;
    counter* count;
  };
  std::vector<cell> cells{};
  std::vector<named_counter*> spare{};
  counter* other = nullptr;

  /// All memory is taken here, so that a new value allocates nothing.
  void open(stage_context& context) {
    cells.reserve(most_values);
    for (std::size_t i = 0; i < most_values; ++i) spare.push_back(&context.add_unnamed_counter());
    other = &context.add_counter(prefix + "other");
  }

  template <class Down>
  void on_record(Down&, In&& record, timestamp) {
    const value what = std::invoke(f, std::as_const(record));
    for (cell& c : cells) {
      if (same(c, what)) return c.count->add();
    }
    first_of(what).add();
  }

 private:
  static constexpr bool is_text = std::is_convertible_v<const value&, std::string_view>;

  bool same(const cell& c, const value& what) const {
    if constexpr (is_text) {
      // A name is cut at the room that a counter has for it, so texts are equal when that much of them is.
      return c.text == std::string_view(what).substr(
                           0, named_counter::most_characters - std::min(prefix.size(), named_counter::most_characters));
    } else {
      return c.what == what;
    }
  }

  SPILLWAY_COLD counter& first_of(const value& what) {
    if (cells.size() == most_values) return *other;
    named_counter& fresh = *spare[cells.size()];
    std::string_view text;
    if constexpr (is_text) {
      text = fresh.set_name(prefix, what);
    } else {
      detail::short_text printed;
      std::ostream(&printed) << what;
      text = fresh.set_name(prefix, printed.view());
    }
    cells.push_back({what, text, &fresh.count});
    return fresh.count;
  }
};

template <class F>
struct count_by_operator : operator_base {
  [[no_unique_address]] F f;
  std::string prefix;

  using emits = tag_list<>;
  template <class S>
  static constexpr bool accepts = [] {
    if constexpr (std::invocable<F&, const typename S::record&>) {
      return requires(std::ostream& out, std::remove_cvref_t<std::invoke_result_t<F&, const typename S::record&>> v) {
        out << v;
        { v == v } -> std::convertible_to<bool>;
      };
    } else {
      return false;
    }
  }();
  template <class S>
  static constexpr void refuse() {
    static_assert(detail::never<S, F>,
                  "spillway: count_by needs a function of the record that returns a value with == and operator<<");
  }
  template <class S>
  using output = stream<no_record>;

  template <class S>
  count_by_step<F, typename S::record> lower() && {
    return {std::move(f), std::move(prefix)};
  }
};

/// Counts records by `property(record)`, a value with == and operator<<.
template <class F>
count_by_operator<F> count_by(F property, std::string prefix = {}) {
  return {{}, std::move(property), std::move(prefix)};
}

}  // namespace spillway
