// A million records through each operator call no allocator but where growth is counted.
#include "tests/alloc/counted_run.hpp"

namespace alloc_test {

struct emit_key {
  using main = std::uint32_t;
  using emits = sw::emits<>;
  void on_record(auto& ctx, const reading&) const { ctx.emit(ctx.key()); }
};

}  // namespace alloc_test

namespace {

using namespace alloc_test;
using namespace std::chrono_literals;

struct refused {
  std::string_view reason;
};
inline constexpr sw::output_tag<"bad", refused> bad{};
inline constexpr sw::output_tag<"odd", reading> odd{};
inline constexpr sw::output_tag<"number", std::uint32_t> number{};

TEST(alloc_counter, sees_each_kind_of_allocation_once) {
  const auto calls = [](auto&& f) {
    allocations::begin();
    f();
    return allocations::end();
  };
  void* volatile p = nullptr;
  EXPECT_EQ(calls([] {}), 0u);
  EXPECT_EQ(calls([&] { p = std::malloc(100); }), 1u);
  EXPECT_EQ(calls([&] { p = std::realloc(p, 200'000); }), 1u);
  std::free(p);
  EXPECT_EQ(calls([&] { p = std::calloc(3, 100); }), 1u);
  std::free(p);
  EXPECT_EQ(calls([&] { p = ::operator new(10); }), 1u);
  ::operator delete(p);
  EXPECT_EQ(calls([&] { p = ::operator new(10, std::align_val_t{256}, std::nothrow); }), 1u);
  ::operator delete(p, std::align_val_t{256});
  sw::arena memory;
  EXPECT_EQ(calls([&] { p = memory.allocate(10); }), 1u);
  EXPECT_EQ(calls([&] { p = memory.allocate(10); }), 0u);
  EXPECT_EQ(calls([&] { p = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }), 1u);
  munmap(p, 4096);
}

TEST(alloc_operators, map_filter_and_sink) {
  std::uint64_t seen = 0;
  expect_counted_growth(
      0, sw::stage<"a">(sw::any_cpu{}, readings() | sw::map([](const reading& r) { return r.value; }) |
                                           sw::filter([](double v) { return v > 10; }) | sw::sink([&](double) { ++seen; })));
  EXPECT_GT(seen, 900'000u);
}

TEST(alloc_operators, flat_map) {
  std::uint64_t seen = 0;
  expect_counted_growth(0,
                        sw::stage<"a">(sw::any_cpu{}, readings() | sw::flat_map<std::uint32_t>([](const reading& r, auto& out) {
                                                        for (std::uint32_t i = 0; i < r.key % 4; ++i) out(i);
                                                      }) | sw::sink([&](std::uint32_t) { ++seen; })));
  EXPECT_GT(seen, 1'000'000u);
}

TEST(alloc_operators, flat_map_with_a_range) {
  std::uint64_t seen = 0;
  expect_counted_growth(0, sw::stage<"a">(sw::any_cpu{}, readings() | sw::flat_map([](const reading& r) {
                                                           return std::array<double, 2>{r.value, -r.value};
                                                         }) | sw::sink([&](double) { ++seen; })));
  EXPECT_EQ(seen, 2'000'000u);
}

TEST(alloc_operators, try_map_with_a_reader_in_place_that_counts_by_text) {
  const auto parse = [](const reading& r) -> sw::result<double, refused> {
    if (r.key % 10 == 0) return sw::failure{refused{r.key % 20 == 0 ? "too even by far to be true" : "round"}};
    return r.value;
  };
  expect_counted_growth(0, sw::stage<"a">(sw::any_cpu{}, readings() | sw::try_map(parse, bad) |
                                                             sw::on(bad, sw::count_by(&refused::reason)) | sw::discard()));
}

TEST(alloc_operators, count_by_number) {
  expect_counted_growth(
      0, sw::stage<"a">(sw::any_cpu{}, readings() | sw::count_by([](const reading& r) { return r.key % 100; }, "key ")));
}

TEST(alloc_operators, count_by_numbers_that_are_long_to_write) {
  expect_counted_growth(0, sw::stage<"a">(sw::any_cpu{}, readings(1000) | sw::count_by([](const reading& r) {
                                                           return std::uint64_t{1'000'000'000'000'000'000} + r.key;
                                                         })));
}

TEST(alloc_operators, process_with_side_outputs) {
  std::uint64_t seen = 0;
  auto a = sw::stage<"a">(
      sw::any_cpu{},
      readings() | timed_by_reading() | sw::process<double>(sw::emits<odd, number>{}, [](auto& ctx, const reading& r) {
        if (r.number % 2 != 0) ctx.output(odd, r);
        if (r.number % 5 == 0) ctx.output(number, r.number);
        ctx.emit(r.value);
      }) | sw::discard());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(odd, {.capacity = 65536}) | sw::sink([&](const reading&) { ++seen; }));
  expect_counted_growth(0, std::move(a), std::move(b), sw::discard(number));
  EXPECT_EQ(seen, 500'000u);
}

TEST(alloc_operators, key_by_and_watermarks_across_an_edge) {
  std::uint64_t seen = 0;
  auto a = sw::stage<"a">(sw::any_cpu{},
                          readings() | timed_by_reading() | sw::filter([](const reading& r) { return r.key % 3 != 0; }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4096}) | sw::key_by(&reading::key) | sw::process(emit_key{}) |
                                             sw::sink([&](std::uint32_t) { ++seen; }));
  expect_counted_growth(0, std::move(a), std::move(b));
  EXPECT_GT(seen, 600'000u);
}

TEST(alloc_operators, watermarks_that_travel_as_markers) {
  auto a = sw::stage<"a">(sw::any_cpu{}, readings() | timed_by_reading() | sw::map([](const reading& r) { return r.value; }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4096}) | sw::discard());
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(a, {.capacity = 4096}) | sw::discard());
  expect_counted_growth(2, std::move(a), std::move(b), std::move(c));
}

}  // namespace
