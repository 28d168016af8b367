// Windows of any kind with a function that sees all their records.
//
// 1. Aligned windows and sessions: see keyed_window_step.hpp; count windows: see count_window_step.hpp. The contents are all records, in
//    order of arrival (element_contents.hpp); a record in several sliding windows is kept in each.
//
//     struct how_many {
//       using main = std::size_t;
//       using emits = spillway::emits<>;
//       void on_window(auto& ctx, const time_window&, auto elements) { ctx.emit(elements.size()); }
//     };
//
//     stage_context stage("count");
//     kept<std::size_t> down;
//     window_process_step<reading, no_key, no_tag, aligned_windows, how_many> step{tumbling(1s), {}, how_many()};
//     step.open(stage);
//     step.on_record(down, reading{}, timestamp(1500ms));
//     step.on_watermark(down, timestamp(2s));
//     assert(down.records.front() == 1);
//     step.close();
#pragma once

#include <utility>

#include "spillway/windows/aligned_windows.hpp"
#include "spillway/windows/count_window_step.hpp"
#include "spillway/windows/element_contents.hpp"
#include "spillway/windows/keyed_window_step.hpp"
#include "spillway/windows/session_windows.hpp"

namespace spillway {

namespace detail {
template <class In, class Key, class Late, class Windows, class Contents>
struct step_for_windows {
  using type = keyed_window_step<In, Key, Late, Windows, Contents>;
};
template <class In, class Key, class Late, class Contents>
struct step_for_windows<In, Key, Late, count_windows, Contents> {
  using type = counted_window_step<In, Key, Contents>;
};
}  // namespace detail

template <class In, class Key, class Late, class Windows, class Function>
class window_process_step : public detail::step_for_windows<In, Key, Late, Windows, element_contents<In, Function>>::type {
  using base = typename detail::step_for_windows<In, Key, Late, Windows, element_contents<In, Function>>::type;

 public:
  /// Throws std::invalid_argument for a negative lateness.
  window_process_step(Windows windows, window_options options, Function function)
      : base(windows, options, element_contents<In, Function>(std::move(function))) {}
};

}  // namespace spillway
