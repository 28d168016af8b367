// What an edge does with a record that finds its ring full.
//
// Values, free of threads.
// 1. `block` loses nothing: the emitting stage takes no new input until there is room. Default of main edges.
// 2. `spill` loses nothing below its byte limit and never holds the emitting stage: what does not fit goes, in order, to memory; past the limit
//    records are dropped and counted. Default of side outputs.
// 3. `drop_newest` drops and counts the record that does not fit.
// 4. `overwrite_oldest` keeps the latest: the record takes the place of the oldest, and the reader counts what it missed. Records are trivially
//    copyable; text travels along.
// 5. `conflate(key)` keeps the latest of each key: a record that its reader has not taken yet is replaced, and counted. The reader sees each
//    changed key once, in the order of first change. The ring's capacity is the number of keys; records of further keys are dropped and counted.
//
//     auto numbers = sw::stage<"numbers">(sw::any_cpu{}, sw::source(sw::elements{1, 2, 3}));
//     auto quick = sw::stage<"quick">(sw::any_cpu{}, sw::from(numbers) | sw::discard());
//     auto slow = sw::stage<"slow">(sw::any_cpu{}, sw::from(numbers, sw::spill.up_to(1 << 20), {.capacity = 4096}) | sw::discard());
//     sw::pipeline p(std::move(numbers), std::move(quick), std::move(slow));
//     p.run();
//     assert(p.edges()[1].policy == sw::overflow::spill && p.edges()[1].counts.dropped() == 0);
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <utility>

namespace spillway {

enum class overflow { block, spill, drop_newest, overwrite_oldest, conflate };

/// The policy's name as one writes it.
constexpr std::string_view name_of(overflow kind) noexcept {
  switch (kind) {
    case overflow::block:
      return "block";
    case overflow::spill:
      return "spill";
    case overflow::drop_newest:
      return "drop_newest";
    case overflow::overwrite_oldest:
      return "overwrite_oldest";
    case overflow::conflate:
      return "conflate";
  }
  return "?";
}

/// A policy as the run-time plan holds it.
struct overflow_policy {
  overflow kind = overflow::block;
  std::size_t limit_bytes = 0;      // of `spill`
  std::size_t set_aside_bytes = 0;  // of `spill`
};

struct block_policy {
  static constexpr bool lossless = true;
  constexpr overflow_policy lowered() const noexcept { return {overflow::block}; }
};
struct spill_policy {
  static constexpr bool lossless = false;  // past the limit it drops
  std::size_t limit_bytes = std::size_t{4} << 20;
  std::size_t set_aside_bytes = std::size_t{64} << 10;

  /// The most bytes of records that wait; what comes beyond is dropped.
  constexpr spill_policy up_to(std::size_t bytes) const noexcept { return {bytes, set_aside_bytes}; }
  /// Memory taken and touched before the start, so that spilling into it costs neither growth nor a page fault.
  constexpr spill_policy set_aside(std::size_t bytes) const noexcept { return {limit_bytes, bytes}; }
  constexpr overflow_policy lowered() const noexcept { return {overflow::spill, limit_bytes, set_aside_bytes}; }
};
struct drop_newest_policy {
  static constexpr bool lossless = false;
  constexpr overflow_policy lowered() const noexcept { return {overflow::drop_newest}; }
};
struct overwrite_oldest_policy {
  static constexpr bool lossless = false;
  constexpr overflow_policy lowered() const noexcept { return {overflow::overwrite_oldest}; }
};
template <class Key>
struct conflate_policy {
  static constexpr bool lossless = false;
  Key key;
  constexpr overflow_policy lowered() const noexcept { return {overflow::conflate}; }
};

inline constexpr block_policy block{};
inline constexpr spill_policy spill{};
inline constexpr drop_newest_policy drop_newest{};
inline constexpr overwrite_oldest_policy overwrite_oldest{};

/// `key(const record&)`: a member pointer or any function that gives text or a trivially copyable key with ==, as for key_by.
template <class Key>
constexpr conflate_policy<Key> conflate(Key key) {
  return {std::move(key)};
}

template <class T>
concept any_overflow_policy = requires(const T& policy) {
  { policy.lowered() } -> std::same_as<overflow_policy>;
  { T::lossless } -> std::convertible_to<bool>;
};

/// A policy chosen at run time, for programs that read it from their configuration. Not `conflate`, which needs a key.
struct any_policy {
  static constexpr bool lossless = false;
  overflow_policy chosen;
  constexpr overflow_policy lowered() const noexcept { return chosen; }
};

/// `capacity`: records the ring holds, rounded up to a power of two; of `conflate`: keys. For records with text: bytes are `text_bytes`.
struct edge_options {
  std::size_t capacity = 1024;
  std::size_t text_bytes = std::size_t{1} << 20;  // size of the byte-frame ring of an edge whose records carry text
  bool publish_each = false;                      // hand over each record at once instead of in groups of up to 32
};

}  // namespace spillway
