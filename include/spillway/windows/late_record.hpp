// What window operators do with records that they cannot take.
//
// Called from the operator's stage. 1. With a late tag the record goes there unchanged, without one it is counted as dropped; it is counted as late either way.
//
//     stage_context stage("average");
//     window_counts counts;
//     counts.open(stage);
//     kept<reading> down;
//     detail::give_up_late_record<no_tag>(down, reading{}, timestamp(1s), counts);      // or <output_tag<"late", reading>>
//     assert(counts.late().get() == 1 && counts.late_dropped().get() == 1);
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/operators/output_tag.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/window_counts.hpp"

namespace spillway::detail {

template <class Late, class Down, class In>
void give_up_late_record(Down& down, In&& record, timestamp t, const window_counts& counts) {
  counts.late().add();
  if constexpr (std::is_same_v<Late, no_tag>) {
    counts.late_dropped().add();
  } else {
    down.output(Late{}, std::forward<In>(record), t);
  }
}

[[noreturn]] SPILLWAY_COLD inline void refuse_untimed_record() {
  throw std::invalid_argument(
      "spillway: window(...): a record has no timestamp; put watermarks(generator, &record::time) before the window");
}

}  // namespace spillway::detail
