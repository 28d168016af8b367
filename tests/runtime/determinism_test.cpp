// A graph with one source over lossless edges gives the same records, timestamps and order, however it is run: operators and side outputs.
#include <gtest/gtest.h>

#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/determinism_fixture.hpp"

namespace {

using namespace determinism_test;
using namespace std::chrono_literals;

inline constexpr sw::output_tag<"odd", reading> odd{};
inline constexpr sw::output_tag<"small", int> small{};
inline constexpr sw::output_tag<"bad", int> bad{};
inline constexpr sw::output_tag<"deeper", int> deeper{};
inline constexpr sw::output_tag<"text", sw::text_ref> text{};

TEST(determinism, maps_and_filters_over_two_stages) {
  same_in_every_way([](run& r) {
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(150) | sw::map([](const reading& x) { return x.value * 2; }));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | sw::filter([](int n) { return n % 3 == 0; }) | r.to("out"));
    r(std::move(a), std::move(b));
  });
}

TEST(determinism, a_chain_of_five_stages_with_a_filter_in_each) {
  same_in_every_way([](run& r) {
    const auto not_every = [](int n) { return sw::filter([n](const reading& x) { return x.number % n != 0; }); };
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(300) | timed_by_reading() | not_every(7));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | not_every(5));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, r.options) | not_every(3));
    auto d = sw::stage<"d">(sw::any_cpu{}, sw::from(c, r.options) | not_every(2));
    auto e = sw::stage<"e">(
        sw::any_cpu{}, sw::from(d, r.options) | sw::window(sw::tumbling(50ns)) | sw::aggregate(sw::count()) | r.to("windows"));
    r(std::move(a), std::move(b), std::move(c), std::move(d), std::move(e));
  });
}

TEST(determinism, one_record_that_makes_many) {
  same_in_every_way([](run& r) {
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(15) | timed_by_reading() | sw::flat_map<int>([](const reading& x, auto& out) {
                                             for (int i = 0; i < x.value % 30; ++i) out(x.number * 100 + i);
                                           }));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | r.to("out"));
    r(std::move(a), std::move(b));
  });
}

TEST(determinism, a_main_output_with_two_readers) {
  same_in_every_way([](run& r) {
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(300) | timed_by_reading());
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | sw::window(sw::tumbling(50ns)) |
                                               sw::aggregate(sw::sum(&reading::value)) | r.to("sums"));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(a, r.options) | sw::key_by(&reading::key) | sw::window(sw::tumbling(70ns)) |
                                               sw::aggregate(sw::maximum(&reading::value)) | r.to("maxima"));
    r(std::move(a), std::move(b), std::move(c));
  });
}

TEST(determinism, two_side_outputs_that_block) {
  same_in_every_way([](run& r) {
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(300) | timed_by_reading() |
                                               sw::process<reading>(sw::emits<odd, small>{}, [](auto& ctx, const reading& x) {
                                                 if (x.number % 2 != 0) ctx.output(odd, x);
                                                 if (x.value < 10) ctx.output(small, x.value);
                                                 if (x.value % 5 != 0) ctx.emit(x);
                                               }));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | r.to("main"));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(odd, sw::block, r.options) | sw::key_by(&reading::key) |
                                               sw::window(sw::tumbling(100ns)) | sw::aggregate(sw::count()) | r.to("odd"));
    auto d = sw::stage<"d">(sw::any_cpu{}, sw::from(small, sw::block, r.options) | r.to("small"));
    r(std::move(a), std::move(b), std::move(c), std::move(d));
  });
}

TEST(determinism, side_outputs_that_spill_below_their_limit) {
  same_in_every_way([](run& r) {
    auto a =
        sw::stage<"a">(sw::any_cpu{}, readings(600) | timed_by_reading() |
                                          sw::process<sw::no_record>(sw::emits<odd, small>{}, [](auto& ctx, const reading& x) {
                                            if (x.number % 2 != 0) ctx.output(odd, x);
                                            ctx.output(small, x.value);
                                          }));
    auto b = sw::stage<"b">(sw::any_cpu{},
                            sw::from(odd, r.options) | sw::window(sw::tumbling(50ns)) | sw::aggregate(sw::count()) | r.to("odd"));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(small, r.options) | r.to("small"));
    r(std::move(a), std::move(b), std::move(c));
  });
}

TEST(determinism, a_tag_read_in_place_and_by_two_stages) {
  same_in_every_way([](run& r) {
    const auto parse = [](const reading& x) -> sw::result<int, int> {
      if (x.value % 4 == 0) return sw::failure{x.number};
      return x.value;
    };
    auto a = sw::stage<"a">(sw::any_cpu{}, readings(300) | sw::try_map(parse, bad) |
                                               sw::on(bad, sw::map([](int n) { return -n; }) | r.to("in place")));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, r.options) | r.to("parsed"));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(bad, sw::block, r.options) | r.to("bad"));
    auto d = sw::stage<"d">(sw::any_cpu{}, sw::from(bad, r.options) | r.to("bad again"));
    r(std::move(a), std::move(b), std::move(c), std::move(d));
  });
}

TEST(determinism, a_side_output_of_a_side_output) {
  same_in_every_way([](run& r) {
    auto a = sw::stage<"a">(
        sw::any_cpu{}, readings(300) | timed_by_reading() | sw::process<int>(sw::emits<odd>{}, [](auto& ctx, const reading& x) {
                         if (x.number % 2 != 0) ctx.output(odd, x);
                         ctx.emit(x.value);
                       }) | r.to("main"));
    auto b = sw::stage<"b">(
        sw::any_cpu{},
        sw::from(odd, sw::block, r.options) | sw::process<int>(sw::emits<deeper>{}, [](auto& ctx, const reading& x) {
          if (x.value % 2 != 0) ctx.output(deeper, x.value);
          ctx.emit(x.number);
        }) | r.to("odd"));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(deeper, sw::block, r.options) | sw::window(sw::tumbling(100ns)) |
                                               sw::aggregate(sw::count()) | r.to("deeper"));
    r(std::move(a), std::move(b), std::move(c));
  });
}

TEST(determinism, text_over_a_main_and_a_side_edge) {
  same_in_every_way([](run& r) {
    const auto write = [](auto& ctx, const reading& x) {
      const std::string line = "value " + std::to_string(x.value);
      if (x.number % 3 == 0) ctx.output(text, sw::text_ref(line));
      ctx.emit(sw::text_ref(line));
    };
    auto options = r.options;
    options.text_bytes = std::max<std::size_t>(options.text_bytes, 128);
    auto a =
        sw::stage<"a">(sw::any_cpu{}, readings(300) | timed_by_reading() | sw::process<sw::text_ref>(sw::emits<text>{}, write));
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, options) | sw::key_by([](sw::text_ref t) { return t; }) |
                                               sw::window(sw::tumbling(300ns)) | sw::aggregate(sw::count()) | r.to("words"));
    auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(text, sw::block, options) | r.to("text"));
    r(std::move(a), std::move(b), std::move(c));
  });
}

}  // namespace
