#include "spillway/connectors/byte_scan.hpp"

#include <bit>

#include "spillway/core/config.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace spillway {

namespace {

/// Writes `base` + the place of each set bit, and may write up to 64 offsets; returns behind the last that counts.
SPILLWAY_INLINE std::uint32_t* write_offsets(std::uint64_t bits, std::uint32_t base, std::uint32_t* out) noexcept {
  // Eight at a time without asking whether there are so many: the number of marks in a block cannot be predicted.
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  std::uint32_t* const end = out + std::popcount(bits);
  do {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      out[i] = base + static_cast<std::uint32_t>(std::countr_zero(bits | top));
      bits &= bits - 1;
    }
    out += 8;
  } while (bits != 0);
  return end;
}

/// `match(at)`: one bit for each of the 64 bytes at `at`, set where it is a mark.
template <class Match>
SPILLWAY_INLINE std::size_t find_with(Match match, const char* text, std::size_t size, std::uint32_t base,
                                      std::uint32_t* offsets) noexcept {
  std::uint32_t* out = offsets;
  const char* const end = text + size;
  for (; end - text >= static_cast<std::ptrdiff_t>(scan_block_bytes); text += scan_block_bytes) {
    out = write_offsets(match(text), base, out);
    base += static_cast<std::uint32_t>(scan_block_bytes);
  }
  if (text != end) out = write_offsets(match(text) & ((std::uint64_t{1} << (end - text)) - 1), base, out);
  return static_cast<std::size_t>(out - offsets);
}

struct portable_match {
  byte_marks marks;
  std::uint64_t operator()(const char* at) const noexcept {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < scan_block_bytes; ++i) {
      const char byte = at[i];
      bits |= static_cast<std::uint64_t>(byte == marks.a || byte == marks.b || byte == marks.c) << i;
    }
    return bits;
  }
};

#if defined(__x86_64__)

struct sse2_match {
  __m128i a;
  __m128i b;
  __m128i c;

  SPILLWAY_INLINE std::uint64_t quarter(const char* at) const noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i hits = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, a), _mm_cmpeq_epi8(bytes, b)), _mm_cmpeq_epi8(bytes, c));
    return static_cast<unsigned>(_mm_movemask_epi8(hits));
  }
  SPILLWAY_INLINE std::uint64_t operator()(const char* at) const noexcept {
    return quarter(at) | (quarter(at + 16) << 16) | (quarter(at + 32) << 32) | (quarter(at + 48) << 48);
  }
};

std::size_t find_marks_sse2(const char* text, std::size_t size, std::uint32_t base, byte_marks marks,
                            std::uint32_t* offsets) noexcept {
  return find_with(sse2_match{_mm_set1_epi8(marks.a), _mm_set1_epi8(marks.b), _mm_set1_epi8(marks.c)}, text, size, base, offsets);
}

struct avx2_match {
  __m256i a;
  __m256i b;
  __m256i c;

  [[gnu::target("avx2,bmi,popcnt"), gnu::always_inline]] inline std::uint64_t half(const char* at) const noexcept {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i hits =
        _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, a), _mm256_cmpeq_epi8(bytes, b)), _mm256_cmpeq_epi8(bytes, c));
    return static_cast<unsigned>(_mm256_movemask_epi8(hits));
  }
};

/// Not through find_with: a template without the target could not take the vector code in.
[[gnu::target("avx2,bmi,popcnt")]] std::size_t find_marks_avx2(const char* text, std::size_t size, std::uint32_t base,
                                                               byte_marks marks, std::uint32_t* offsets) noexcept {
  const avx2_match match{_mm256_set1_epi8(marks.a), _mm256_set1_epi8(marks.b), _mm256_set1_epi8(marks.c)};
  std::uint32_t* out = offsets;
  const char* const end = text + size;
  for (; end - text >= static_cast<std::ptrdiff_t>(scan_block_bytes); text += scan_block_bytes) {
    out = write_offsets(match.half(text) | (match.half(text + 32) << 32), base, out);
    base += static_cast<std::uint32_t>(scan_block_bytes);
  }
  const std::uint64_t within = (std::uint64_t{1} << (end - text)) - 1;
  if (within != 0) out = write_offsets((match.half(text) | (match.half(text + 32) << 32)) & within, base, out);
  return static_cast<std::size_t>(out - offsets);
}

#endif

using find_marks_function = std::size_t (*)(const char*, std::size_t, std::uint32_t, byte_marks, std::uint32_t*) noexcept;

find_marks_function fastest() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt")) return find_marks_avx2;
  return find_marks_sse2;
#else
  return find_marks_portable;
#endif
}

}  // namespace

std::size_t find_marks_portable(const char* text, std::size_t size, std::uint32_t base, byte_marks marks,
                                std::uint32_t* offsets) noexcept {
  return find_with(portable_match{marks}, text, size, base, offsets);
}

std::size_t find_marks(const char* text, std::size_t size, std::uint32_t base, byte_marks marks,
                       std::uint32_t* offsets) noexcept {
  static const find_marks_function chosen = fastest();
  return chosen(text, size, base, marks, offsets);
}

}  // namespace spillway
