// Finds three bytes in a text: the places of all of them, in order, as an array of offsets.
//
// Pure functions, for any thread.
// 1. Up to scan_block_bytes - 1 bytes behind the text must be readable; what they hold does not matter.
// 2. Room for `size` + scan_block_bytes offsets must be there: some are written in advance, which costs less than asking.
// 3. The fastest form that the processor knows is chosen at run time; all forms find the same.
//
//     const std::string text = "a,b\n" + std::string(scan_block_bytes - 1, ' ');      // 4 bytes, and what may be read behind them
//     std::vector<std::uint32_t> offsets(4 + scan_block_bytes);
//     const std::size_t count = find_marks(text.data(), 4, 0, {',', '"', '\n'}, offsets.data());
//     assert(count == 2 && offsets[0] == 1 && offsets[1] == 3);
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

/// Bytes that are looked at together.
inline constexpr std::size_t scan_block_bytes = 64;

/// The bytes to find.
struct byte_marks {
  char a;
  char b;
  char c;
};

/// Writes the offset of each mark in `text`, counted from `base`, in order. Returns how many there are.
std::size_t find_marks(const char* text, std::size_t size, std::uint32_t base, byte_marks marks, std::uint32_t* offsets) noexcept;

/// The same without vector instructions: the form for other processors, and what tests compare with.
std::size_t find_marks_portable(const char* text, std::size_t size, std::uint32_t base, byte_marks marks,
                                std::uint32_t* offsets) noexcept;

}  // namespace spillway
