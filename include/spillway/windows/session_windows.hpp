// Windows that last as long as a key's records follow each other: a session ends when nothing came for `gap`.
//
// A value type; every function is pure.
// 1. A record alone makes the session [t, t + gap). Sessions of one key that overlap or touch become one, so a record exactly one gap
//    after the last one still belongs to it (Flink, TimeWindow#intersects).
// 2. A session that would reach beyond the largest timestamp ends there.
//
//     auto sessions = collect(readings() | sw::window(sw::session(700ms)) | sw::aggregate(sw::count()));
//     assert(sessions.size() == 2);                   // a second without a reading ended the first
#pragma once

#include <stdexcept>

#include "spillway/time/time_window.hpp"

namespace spillway {

class session_windows {
 public:
  /// Windows of this kind grow and unite.
  static constexpr bool merging = true;

  /// Requires: gap > 0, which `session` checks.
  constexpr explicit session_windows(nanoseconds gap) noexcept : gap_(gap) {}

  constexpr nanoseconds gap() const noexcept { return gap_; }
  /// The session that a record at `t` makes by itself.
  constexpr time_window window_at(timestamp t) const noexcept { return {t, t + gap_}; }

  friend constexpr bool operator==(const session_windows&, const session_windows&) noexcept = default;

 private:
  nanoseconds gap_;
};

/// Sessions that end after `gap` without a record. Throws std::invalid_argument unless gap > 0 (Flink, EventTimeSessionWindows).
constexpr session_windows session(nanoseconds gap) {
  if (gap <= nanoseconds::zero()) throw std::invalid_argument("spillway: session(gap): the gap must be longer than 0");
  return session_windows{gap};
}

}  // namespace spillway
