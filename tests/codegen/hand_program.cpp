// The loop that fused_program.cpp has to match, by hand. Prints the sum.
#include <cstdio>

#include "fused_chain.hpp"

using namespace codegen;

extern "C" [[gnu::noinline]] std::int64_t measured() {
  std::int64_t sum = 0;
  for (std::uint64_t i = 0; i < records; ++i) {
    sample s = step1(made(i));
    if (!step2(s)) continue;
    s = step4(step3(s));
    if (!step5(s)) continue;
    s = step6(s);
    if (!step7(s)) continue;
    s = step9(step8(s));
    if (!step10(s)) continue;
    sum += s.value;
  }
  return sum;
}

int main() { std::printf("%lld\n", static_cast<long long>(measured())); }
