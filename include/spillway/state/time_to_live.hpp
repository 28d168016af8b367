// How long a key's state lives, as a part of its type, and what a context hands over when state is touched.
//
// Values, free of threads.
// 1. State lives until time reaches (last refresh + lifetime): at that time it is gone, whether or not its memory was given back yet.
// 2. Time is event time or processing time as the state's type says; the context fills both in.
// 3. What is written before there is a time (`timestamp::minimum()`) begins to live when it is first met with one. What is written
//    at the end of time stays.
// 4. A state without a time-to-live holds and checks nothing for it.
//
//     arena memory;
//     value_state<double, expires_after(5min)> last;
//     map_state<int, double, expires_after(1h, refresh_on::read_and_write, state_clock::processing_time)> by_id;  // kept while it is used
//     assert(by_id.stored() == 0);
//     last.set({memory, timestamp(0s)}, 70.0);
//     assert(last.get({memory, timestamp(299s)}) != nullptr && last.get({memory, timestamp(300s)}) == nullptr);
#pragma once

#include <cstdint>
#include <limits>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

/// What refreshes the life of state.
enum class refresh_on : std::uint8_t { write, read_and_write };

/// Which time ends the life of state.
enum class state_clock : std::uint8_t { event_time, processing_time };

/// The time-to-live of a state, a template argument. Made by `expires_after`.
struct time_to_live {
  static constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

  std::int64_t ns = forever;
  refresh_on refresh = refresh_on::write;
  state_clock clock = state_clock::event_time;

  constexpr bool ends() const noexcept { return ns != forever; }
};

inline constexpr time_to_live no_expiry{};

constexpr time_to_live expires_after(nanoseconds lifetime, refresh_on refresh = refresh_on::write,
                                     state_clock clock = state_clock::event_time) noexcept {
  return {lifetime.count(), refresh, clock};
}

/// What the functions of state need besides their arguments. A context makes one per record or timer, or converts to one.
struct state_access {
  arena& memory;
  timestamp event_time = timestamp::minimum();
  timestamp processing_time = timestamp::minimum();
};

namespace detail {

/// The end of life of one value; without a time-to-live it is empty.
template <time_to_live Ttl, bool Ends = Ttl.ends()>
class lifetime {
 public:
  static constexpr bool is_over(const state_access&) noexcept { return false; }
  static constexpr void written(const state_access&) noexcept {}
  static constexpr void read(const state_access&) noexcept {}
  static constexpr timestamp end() noexcept { return timestamp::maximum(); }
};

template <time_to_live Ttl>
class lifetime<Ttl, true> {
  static_assert(Ttl.ns > 0, "spillway: a time-to-live is longer than 0");

 public:
  SPILLWAY_INLINE bool is_over(const state_access& access) noexcept {
    const timestamp now = time_of(access);
    if (end_ == timestamp::minimum()) [[unlikely]] {
      end_ = now + nanoseconds(Ttl.ns);  // still the minimum while there is no time
      return false;
    }
    return now >= end_ && end_ != timestamp::maximum();
  }
  SPILLWAY_INLINE void written(const state_access& access) noexcept { end_ = time_of(access) + nanoseconds(Ttl.ns); }
  SPILLWAY_INLINE void read(const state_access& access) noexcept {
    if constexpr (Ttl.refresh == refresh_on::read_and_write) written(access);
  }
  timestamp end() const noexcept { return end_; }

 private:
  static timestamp time_of(const state_access& access) noexcept {
    return Ttl.clock == state_clock::event_time ? access.event_time : access.processing_time;
  }

  timestamp end_;
};

}  // namespace detail

}  // namespace spillway
