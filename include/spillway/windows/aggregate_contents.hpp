// The contents of a window that keeps one value: an aggregate's accumulator, and what is sent when the window fires.
//
// Owned by one stage: one thread at a time. One of the two kinds of contents of `keyed_window_step` (the other keeps all elements).
// 1. `merge(into, from)` leaves `from` to be discarded; `discard` may be called for every contents once and needs no memory.
//
//     stage_context stage("average");
//     aggregate_contents<reading, count> contents_of{count()};
//     contents_of.open(stage);
//     std::uint64_t contents{};                       // of one window: the aggregate's accumulator
//     contents_of.add(contents, reading{"boiler", timestamp(1s), 70}, timestamp(1s), 1);
//     assert(contents_of.get(contents) == 1);
#pragma once

#include <cstdint>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/time/time_window.hpp"
#include "spillway/windows/aggregates/aggregate.hpp"
#include "spillway/windows/window_result.hpp"

namespace spillway {

template <class In, class Aggregate>
class aggregate_contents {
 public:
  using contents = accumulator_of<Aggregate, In>;
  using value = aggregate_result<Aggregate, In>;

  aggregate_contents(Aggregate aggregate) : aggregate_(std::move(aggregate)) {}

  template <class Context>
  void open(Context& stage) {
    open_aggregate(aggregate_, stage.memory());
  }
  void close() noexcept {}
  /// Whether contents that are left at the end must be discarded one by one: the arena takes the memory back at once.
  static constexpr bool discards_at_end = false;

  SPILLWAY_INLINE void add(contents& to, const In& record, timestamp t, std::uint64_t arrival) {
    aggregate_.template add<In>(to, record, t, arrival);
  }
  void merge(contents& into, const contents& from) { aggregate_.template merge<In>(into, from); }
  void discard(contents& gone) noexcept { discard_accumulator<In>(aggregate_, gone); }
  value get(const contents& from) { return aggregate_.template get<In>(from); }

  /// Sends the result of a window.
  template <class Down, class Key>
  void deliver(Down& down, const Key& key, const time_window& window, timestamp t, timestamp, contents& from) {
    down.emit(detail::make_window_result<Key, value>(key, window, get(from)), t);
  }

 private:
  [[no_unique_address]] Aggregate aggregate_;
};

}  // namespace spillway
