// The fused form of the same chain as a plain loop, so that its code can be looked at in one function. Prints the sum.
#include <cstdio>
#include <vector>

#include "fused_chain.hpp"
#include "spillway/graph/fuse.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/runtime/side_outputs.hpp"

namespace sw = spillway;
using namespace codegen;

struct sum_sink {
  std::int64_t* sum;
  void operator()(const sample& s) const { *sum += s.value; }
};

struct no_source {
  using record = sample;
  template <class Out>
  sw::source_status poll(Out&, std::size_t) {
    return sw::source_status::ended;
  }
};

using environment = sw::detail::stage_environment<sw::tag_list<>>;

static auto make_chain(std::int64_t* sum) {
  return sw::detail::fuse(sw::source(no_source{}) | sw::map(sw::fn<step1>) | sw::filter(sw::fn<step2>) | sw::map(sw::fn<step3>) |
                              sw::map(sw::fn<step4>) | sw::filter(sw::fn<step5>) | sw::map(sw::fn<step6>) |
                              sw::filter(sw::fn<step7>) | sw::map(sw::fn<step8>) | sw::map(sw::fn<step9>) |
                              sw::filter(sw::fn<step10>) | sw::sink(sum_sink{sum}),
                          sw::detail::fused_end{})
      .chain;
}
using chain = decltype(make_chain(nullptr));

extern "C" [[gnu::noinline]] void fused_loop(chain* c, environment* env, std::uint64_t n) {
  auto pass = c->pass(*env);
  for (std::uint64_t i = 0; i < n; ++i) pass.emit(made(i), sw::no_timestamp);
  pass.settle();
}

int main() {
  std::int64_t sum = 0;
  auto c = make_chain(&sum);
  environment env("loop");
  fused_loop(&c, &env, records);
  std::printf("%lld\n", static_cast<long long>(sum));
}
