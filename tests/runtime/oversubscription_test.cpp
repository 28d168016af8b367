// More stages than CPUs: everything finishes, since nothing waits for another thread without giving its CPU away.
#include <gtest/gtest.h>

#include <sched.h>

#include "spillway/runtime/pipeline.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;

struct parameters {
  bool one_thread;
  sw::idle_strategy idle;
};

class sixteen_stages : public ::testing::TestWithParam<parameters> {};

template <int N>
constexpr auto number_name() {
  if constexpr (N < 10) {
    return sw::fixed_string<2>({'0', static_cast<char>('0' + N), '\0'});
  } else {
    return sw::fixed_string<2>({'1', static_cast<char>('0' + N - 10), '\0'});
  }
}

template <int N, class Previous>
auto relay(const Previous& previous) {
  return sw::stage<number_name<N>()>(sw::nth_allowed_cpu{0},
                                     sw::from(previous, {.capacity = 1}) | sw::map([](int n) { return n + 1; }));
}

/// Fourteen relays between a source and a sink.
template <int N, class Previous, class... Stages>
auto chain(long& sum, Previous previous, Stages... before) {
  if constexpr (N == 15) {
    auto end =
        sw::stage<"15">(sw::nth_allowed_cpu{0}, sw::from(previous, {.capacity = 1}) | sw::sink([&sum](int n) { sum += n; }));
    return sw::pipeline(std::move(before)..., std::move(previous), std::move(end));
  } else {
    auto next = relay<N>(previous);
    return chain<N + 1>(sum, std::move(next), std::move(before)..., std::move(previous));
  }
}

TEST_P(sixteen_stages, on_one_cpu_with_rings_of_one_record_finish) {
  long sum = 0;
  constexpr int records = 300;
  auto first = sw::stage<"00">(sw::nth_allowed_cpu{0}, count_to(records));
  sw::pipeline p = chain<1>(sum, std::move(first));
  p.run({.idle = GetParam().idle, .one_thread = GetParam().one_thread});
  EXPECT_EQ(sum, records * (records - 1) / 2 + 14L * records);
  EXPECT_EQ(p.edges().size(), 15u);
  for (const auto& e : p.edges()) {
    EXPECT_EQ(e.counts.consumed, static_cast<std::uint64_t>(records));
    EXPECT_EQ(e.counts.left, 0u);
  }
}

TEST(sixteen_stages, that_would_spin_on_one_cpu_are_refused_with_the_reason) {
  for (const sw::idle_strategy idle : {sw::idle_strategy::busy_spin, sw::idle_strategy::spin}) {
    long sum = 0;
    auto first = sw::stage<"00">(sw::nth_allowed_cpu{0}, count_to(10));
    sw::pipeline p = chain<1>(sum, std::move(first));
    try {
      p.start({.idle = idle});
      FAIL();
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find("use yield, backoff or sleep"), std::string::npos) << e.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    oversubscribed, sixteen_stages,
    ::testing::Values(parameters{false, sw::idle_strategy::yield}, parameters{false, sw::idle_strategy::backoff},
                      parameters{false, sw::idle_strategy::sleep}, parameters{true, sw::idle_strategy::busy_spin},
                      parameters{true, sw::idle_strategy::spin}, parameters{true, sw::idle_strategy::yield},
                      parameters{true, sw::idle_strategy::backoff}, parameters{true, sw::idle_strategy::sleep}),
    [](const auto& test) {
      std::string name = (test.param.one_thread ? "one_thread_" : "threads_") + std::string(sw::name_of(test.param.idle));
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    });

}  // namespace
