// The watermark generator for streams in which some records themselves say how far time has come.
//
// A value owned by one stage. 1. The function is called once per record with (record, timestamp), or with the record alone, and answers with a
// timestamp or a std::optional of one; nothing and `timestamp::minimum()` both mean that this record says nothing.
// 2. Not subset safe: a record that was filtered may be the one that spoke.
//
//     struct line {
//       sw::timestamp at;
//       bool is_marker;
//     };
//
//     sw::punctuated generator([](const line& l) { return l.is_marker ? std::optional(l.at) : std::nullopt; });
//     assert(generator.on_record(line{sw::timestamp(1s), false}, sw::timestamp(1s)) == sw::timestamp::minimum());
//     assert(generator.on_record(line{sw::timestamp(2s), true}, sw::timestamp(2s)) == sw::timestamp(2s));
//     auto second = sw::watermarks(generator, &line::at);               // behind a source of lines
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

template <class F>
class punctuated {
 public:
  static constexpr bool subset_safe = false;

  constexpr explicit punctuated(F f) : f_(std::move(f)) {}

  template <class Record>
    requires std::is_invocable_v<F&, const Record&, timestamp> || std::is_invocable_v<F&, const Record&>
  SPILLWAY_INLINE constexpr timestamp on_record(const Record& record, timestamp t) {
    if constexpr (std::is_invocable_v<F&, const Record&, timestamp>) {
      return or_minimum(std::invoke(f_, record, t));
    } else {
      return or_minimum(std::invoke(f_, record));
    }
  }

 private:
  static constexpr timestamp or_minimum(timestamp t) noexcept { return t; }
  static constexpr timestamp or_minimum(const std::optional<timestamp>& t) noexcept { return t.value_or(timestamp::minimum()); }

  F f_;
};

}  // namespace spillway
