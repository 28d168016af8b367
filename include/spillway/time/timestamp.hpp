// Points in event time: signed 64-bit nanoseconds since 1970-01-01 UTC in a strong type.
//
// A value type, free of threads.
// 1. `minimum()` means "no time yet" (a record without timestamp, the watermark before the first), `maximum()` the end of time.
// 2. Arithmetic saturates at both ends and never wraps; `minimum()` and `maximum()` absorb what is added to them.
// 3. One tick is one nanosecond: the last timestamp of a window is its end - 1 ns.
//
//     sw::timestamp t(1500ms);
//     assert(t.ns == 1'500'000'000 && t + 2s == sw::timestamp(3500ms));
//     assert(sw::timestamp::maximum() + 1s == sw::timestamp::maximum());
//     assert(sw::timestamp(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)) > t);
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>
#include <ostream>

namespace spillway {

using std::chrono::nanoseconds;

/// a + b, held at the ends of 64 bits.
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

/// a - b, held at the ends of 64 bits.
constexpr std::int64_t saturating_sub(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

struct timestamp {
  std::int64_t ns = std::numeric_limits<std::int64_t>::min();

  constexpr timestamp() noexcept = default;
  constexpr explicit timestamp(std::int64_t ns_since_epoch) noexcept : ns(ns_since_epoch) {}
  constexpr explicit timestamp(nanoseconds since_epoch) noexcept : ns(since_epoch.count()) {}
  template <class Duration>
  constexpr timestamp(std::chrono::sys_time<Duration> point) noexcept
      : ns(std::chrono::duration_cast<nanoseconds>(point.time_since_epoch()).count()) {}

  static constexpr timestamp minimum() noexcept { return timestamp{std::numeric_limits<std::int64_t>::min()}; }
  static constexpr timestamp maximum() noexcept { return timestamp{std::numeric_limits<std::int64_t>::max()}; }

  friend constexpr auto operator<=>(timestamp, timestamp) noexcept = default;

  friend constexpr timestamp operator+(timestamp t, nanoseconds d) noexcept {
    if (t == minimum() || t == maximum()) return t;
    return timestamp{saturating_add(t.ns, d.count())};
  }
  friend constexpr timestamp operator-(timestamp t, nanoseconds d) noexcept {
    if (t == minimum() || t == maximum()) return t;
    return timestamp{saturating_sub(t.ns, d.count())};
  }
  friend constexpr nanoseconds operator-(timestamp a, timestamp b) noexcept { return nanoseconds{saturating_sub(a.ns, b.ns)}; }
  friend std::ostream& operator<<(std::ostream& out, timestamp t) { return out << t.ns << "ns"; }
};

/// What a record without a timestamp carries.
inline constexpr timestamp no_timestamp = timestamp::minimum();

}  // namespace spillway
