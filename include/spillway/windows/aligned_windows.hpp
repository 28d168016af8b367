// Windows of one size that begin at regular times: tumbling (one after the other) and sliding (overlapping, or with gaps).
//
// A value type; every function is pure.
// 1. Windows are numbered: window n covers [offset + n * slide, offset + n * slide + size). The start is right for negative times and
//    offsets (Flink, TimeWindow#getWindowStartWithOffset).
// 2. Time is cut into *panes* at every start and every end of a window, so a record is in one pane and a pane is in the same windows
//    throughout: one pane per slide where the size is a multiple of the slide, else two.
// 3. A window that would reach beyond the ends of 64 bits is held there. Flink wraps around and loses the record; here it stays in
//    its window, which fires at the last watermark.
// 4. With a slide of one tick, windows that begin before the smallest timestamp do not exist.
//
//     const sw::aligned_windows hours = sw::tumbling(1h, {.offset = 15min});
//     assert((hours.window(0) == sw::time_window{sw::timestamp(15min), sw::timestamp(75min)}));
//     const sw::aligned_windows overlapping = sw::sliding(10s, 1s);
//     assert(overlapping.panes_per_window() == 10);
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "spillway/core/config.hpp"
#include "spillway/time/time_window.hpp"

namespace spillway {

/// Shifts windows away from 1970-01-01 00:00 UTC.
struct window_alignment {
  nanoseconds offset{};
};

class aligned_windows {
 public:
  using number = std::int64_t;
  static constexpr bool merging = false;

  /// A stretch of time all of whose instants are in the windows `oldest` to `newest`, and in no other.
  struct pane {
    timestamp start;
    timestamp end;
    number oldest = 0;
    number newest = 0;
    /// A gap between windows: possible where the slide is larger than the size.
    constexpr bool in_no_window() const noexcept { return oldest > newest; }
  };

  /// Requires: the rules of `tumbling` and `sliding`, which check them.
  constexpr aligned_windows(nanoseconds size, nanoseconds slide, nanoseconds offset) noexcept
      : size_(size.count()), slide_(slide.count()), offset_(offset.count()), overlap_(size_ / slide_), rest_(size_ % slide_) {}

  constexpr nanoseconds size() const noexcept { return nanoseconds{size_}; }
  constexpr nanoseconds slide() const noexcept { return nanoseconds{slide_}; }
  constexpr nanoseconds offset() const noexcept { return nanoseconds{offset_}; }

  /// Panes that one window consists of.
  constexpr std::int64_t panes_per_window() const noexcept { return rest_ == 0 ? overlap_ : 2 * overlap_ + 1; }

  /// The pane that holds `t`.
  constexpr pane pane_at(timestamp t) const noexcept {
    std::int64_t into_slide = 0;
    const number n = divide(t.ns, into_slide);
    if (into_slide < rest_ || rest_ == 0) {
      const std::int64_t length = rest_ == 0 ? slide_ : rest_;
      const std::int64_t older_windows = rest_ == 0 ? overlap_ - 1 : overlap_;
      return {before(t, into_slide), after(t, length - into_slide), saturating_sub(n, older_windows), n};
    }
    return {before(t, into_slide - rest_), after(t, slide_ - into_slide), saturating_sub(n, overlap_ - 1), n};
  }

  /// The newest window that begins at or before `t`.
  constexpr number newest_begun(timestamp t) const noexcept {
    std::int64_t into_slide = 0;
    return divide(t.ns, into_slide);
  }
  /// The oldest window that ends after `t`.
  constexpr number oldest_not_ended(timestamp t) const noexcept {
    const pane p = pane_at(t);
    return p.oldest;
  }

  /// The span of window `n`.
  constexpr time_window window(number n) const noexcept {
    return {timestamp{held(start_of(n))}, timestamp{held(start_of(n) + size_)}};
  }
  /// The last instant of window `n`: it is complete when the watermark is there.
  constexpr timestamp last_of(number n) const noexcept { return timestamp{held(start_of(n) + size_ - 1)}; }
  /// The last instant before window `n + 1` begins.
  constexpr timestamp last_before_next(number n) const noexcept { return timestamp{held(start_of(n) + slide_ - 1)}; }

  friend constexpr bool operator==(const aligned_windows&, const aligned_windows&) noexcept = default;

 private:
  __extension__ using wide = __int128;

  constexpr wide start_of(number n) const noexcept { return static_cast<wide>(n) * slide_ + offset_; }
  static constexpr std::int64_t held(wide t) noexcept {
    if (t > std::numeric_limits<std::int64_t>::max()) return std::numeric_limits<std::int64_t>::max();
    if (t < std::numeric_limits<std::int64_t>::min()) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(t);
  }
  static constexpr timestamp before(timestamp t, std::int64_t distance) noexcept {
    return timestamp{saturating_sub(t.ns, distance)};
  }
  static constexpr timestamp after(timestamp t, std::int64_t distance) noexcept {
    return timestamp{saturating_add(t.ns, distance)};
  }

  // Floor of (t - offset) / slide, and what is left.
  constexpr number divide(std::int64_t t, std::int64_t& into_slide) const noexcept {
    std::int64_t distance = 0;
    if (__builtin_sub_overflow(t, offset_, &distance)) [[unlikely]]
      return divide_wide(t, into_slide);
    number quotient = distance / slide_;
    into_slide = distance % slide_;
    if (into_slide < 0) {
      into_slide += slide_;
      --quotient;
    }
    return quotient;
  }
  SPILLWAY_COLD constexpr number divide_wide(std::int64_t t, std::int64_t& into_slide) const noexcept {
    const wide distance = static_cast<wide>(t) - offset_;
    wide quotient = distance / slide_;
    wide left = distance % slide_;
    if (left < 0) {
      left += slide_;
      --quotient;
    }
    into_slide = static_cast<std::int64_t>(left);
    return held(quotient);
  }

  std::int64_t size_;
  std::int64_t slide_;
  std::int64_t offset_;
  std::int64_t overlap_;
  std::int64_t rest_;
};

/// Windows of `size`, one after the other. Throws std::invalid_argument unless |offset| < size (Flink, TumblingEventTimeWindows).
constexpr aligned_windows tumbling(nanoseconds size, window_alignment alignment = {}) {
  if (size <= nanoseconds::zero()) throw std::invalid_argument("spillway: tumbling(size): the size must be longer than 0");
  if (alignment.offset >= size || alignment.offset <= -size) {
    throw std::invalid_argument("spillway: tumbling(size, {.offset}): the offset must be shorter than the size, either way");
  }
  return {size, size, alignment.offset};
}

/// Windows of `size`, one beginning every `slide`. Throws std::invalid_argument unless size > 0, |offset| < slide and at most
/// 10,000,000 windows overlap (Flink, SlidingEventTimeWindows).
constexpr aligned_windows sliding(nanoseconds size, nanoseconds slide, window_alignment alignment = {}) {
  if (size <= nanoseconds::zero()) throw std::invalid_argument("spillway: sliding(size, slide): the size must be longer than 0");
  if (slide <= nanoseconds::zero())
    throw std::invalid_argument("spillway: sliding(size, slide): the slide must be longer than 0");
  if (alignment.offset >= slide || alignment.offset <= -slide) {
    throw std::invalid_argument(
        "spillway: sliding(size, slide, {.offset}): the offset must be shorter than the slide, either way");
  }
  if (size / slide > 10'000'000) {
    throw std::invalid_argument("spillway: sliding(size, slide): more than 10,000,000 windows would overlap; use a longer slide");
  }
  return {size, slide, alignment.offset};
}

}  // namespace spillway
