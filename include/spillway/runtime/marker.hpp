// What travels beside the records of an edge: watermarks, the end, idleness, barriers.
//
// A value type.
// 1. `position` is the number of the record that the marker belongs before. 2. Markers of one edge have positions that never go back.
//
//     const marker w{3, timestamp(1s), marker_kind::watermark};      // belongs before the record with number 3
//     const marker end{3, {}, marker_kind::end};
//     assert(w.position <= end.position && w.value == timestamp(1s));
#pragma once

#include <cstdint>

#include "spillway/time/timestamp.hpp"

namespace spillway {

enum class marker_kind : std::uint32_t { watermark, end, idle, active, barrier };

struct marker {
  std::uint64_t position = 0;
  timestamp value;  // of a watermark
  marker_kind kind = marker_kind::watermark;
};

}  // namespace spillway
