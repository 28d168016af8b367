// What an edge does with a record that finds its ring full.
//
// Values, free of threads.
// 1. `block` loses nothing: the emitting stage takes no new input until there is room. Default of main edges.
// 2. `spill` loses nothing below its byte limit and never holds the emitting stage: what does not fit goes, in order, to memory; past the limit
//    records are dropped and counted. Default of side outputs.
// 3. `drop_newest` drops and counts the record that does not fit.
//
//     spillway::from(late, spillway::spill.up_to(1 << 20), {.capacity = 4096})
#pragma once

#include <concepts>
#include <cstddef>

namespace spillway {

enum class overflow { block, spill, drop_newest };

/// A policy as the run-time plan holds it.
struct overflow_policy {
  overflow kind = overflow::block;
  std::size_t limit_bytes = 0;  // of `spill`
};

struct block_policy {
  static constexpr bool lossless = true;
  constexpr overflow_policy lowered() const noexcept { return {overflow::block, 0}; }
};
struct spill_policy {
  static constexpr bool lossless = false;  // past the limit it drops
  std::size_t limit_bytes = std::size_t{4} << 20;
  constexpr spill_policy up_to(std::size_t bytes) const noexcept { return {bytes}; }
  constexpr overflow_policy lowered() const noexcept { return {overflow::spill, limit_bytes}; }
};
struct drop_newest_policy {
  static constexpr bool lossless = false;
  constexpr overflow_policy lowered() const noexcept { return {overflow::drop_newest, 0}; }
};

inline constexpr block_policy block{};
inline constexpr spill_policy spill{};
inline constexpr drop_newest_policy drop_newest{};

template <class T>
concept any_overflow_policy = requires(const T& policy) {
  { policy.lowered() } -> std::same_as<overflow_policy>;
  { T::lossless } -> std::convertible_to<bool>;
};

/// A policy chosen at run time, for programs that read it from their configuration.
struct any_policy {
  static constexpr bool lossless = false;
  overflow_policy chosen;
  constexpr overflow_policy lowered() const noexcept { return chosen; }
};

/// `capacity`: records the ring holds, rounded up to a power of two. For records with text: bytes are `text_bytes`.
struct edge_options {
  std::size_t capacity = 1024;
  std::size_t text_bytes = std::size_t{1} << 20;  // size of the byte-frame ring of an edge whose records carry text
  bool publish_each = false;                      // hand over each record at once instead of in groups of up to 32
};

}  // namespace spillway
