// What travels beside the records of an edge: watermarks, the end, idleness, barriers.
//
// A value type.
// 1. `position` is the number of the record that the marker belongs before. 2. Markers of one edge have positions that never go back.
//
//     marker{cursor.position(), watermark, marker_kind::watermark}
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
