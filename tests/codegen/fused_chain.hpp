// The chain of ten maps and filters whose generated code is checked, and the same loop by hand.
#pragma once

#include <cstdint>

namespace codegen {

struct sample {
  std::uint64_t key;
  std::int64_t value;
};

inline sample step1(sample s) { return {s.key, s.value + 3}; }
inline bool step2(const sample& s) { return (s.key & 15) != 0; }
inline sample step3(sample s) { return {s.key ^ 0x55, s.value}; }
inline sample step4(sample s) { return {s.key, s.value * 5}; }
inline bool step5(const sample& s) { return s.value % 7 != 0; }
inline sample step6(sample s) { return {s.key + 1, s.value - 11}; }
inline bool step7(const sample& s) { return (s.value & 31) != 1; }
inline sample step8(sample s) { return {s.key, s.value ^ static_cast<std::int64_t>(s.key)}; }
inline sample step9(sample s) { return {s.key >> 1, s.value}; }
inline bool step10(const sample& s) { return s.value > -1000; }

inline sample made(std::uint64_t i) { return {i * 0x9e3779b97f4a7c15u >> 40, static_cast<std::int64_t>(i % 1000)}; }

inline constexpr std::uint64_t records = 4'000'000;

}  // namespace codegen
