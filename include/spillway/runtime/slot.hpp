// What an edge's ring holds for each record.
//
// Types only.
// 1. A slot is the record itself where its time is in it (`timed_by_record`) or there is none (`untimed`), and the record with its timestamp, 8
//    bytes more, behind operators that make new records.
// 2. Records with text go through byte frames, unless the text is in the source's own memory, which outlives the slot.
//
//     static_assert(std::is_same_v<detail::slot_of<stream<double>>, double>);
//     static_assert(std::is_same_v<detail::slot_of<stream<double, no_key, timed>>, stamped<double>>);
//     static_assert(detail::needs_frames<stream<text_ref>> && !detail::needs_frames<stream<double>>);
#pragma once

#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/core/text_ref.hpp"
#include "spillway/operators/stream.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

template <class Record>
struct stamped {
  Record record;
  timestamp at;
};

/// The text of a stamped record is its record's.
template <text_record Record>
text_ref& text_of(stamped<Record>& s) noexcept {
  return text_of(s.record);
}

namespace detail {

template <class Timing>
inline constexpr bool stamps = std::is_same_v<Timing, timed>;

template <class Stream>
using slot_of = std::conditional_t<stamps<typename Stream::timing>, stamped<typename Stream::record>, typename Stream::record>;

template <class Stream>
inline constexpr bool needs_frames = text_record<slot_of<Stream>> && Stream::text == text_home::elsewhere;

template <class Stream>
SPILLWAY_INLINE slot_of<Stream> make_slot(typename Stream::record&& record, timestamp t) {
  if constexpr (stamps<typename Stream::timing>) {
    return {std::move(record), t};
  } else {
    return std::move(record);
  }
}

}  // namespace detail
}  // namespace spillway
