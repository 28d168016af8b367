// Windows of any kind with a function that sees all their records.
//
// 1. Aligned windows and sessions: see keyed_window_step.hpp; count windows: see count_window_step.hpp. The contents are all records, in
//    order of arrival (element_contents.hpp); a record in several sliding windows is kept in each.
//
//     window_process_step<reading, std::uint32_t, no_tag, aligned_windows, spread> step{tumbling(1s), {}, spread{}};
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
