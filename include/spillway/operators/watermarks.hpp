// Gives records their event time and the stream its watermarks.
//
// Runs in its stage's thread, fused.
// 1. The watermark is a function of the records alone: it advances right behind the record that advances it, never by a timer.
// 2. It never goes back, whatever the generator returns; the smallest time is never sent (Flink, BoundedOutOfOrdernessWatermarks and
//    TimestampsAndWatermarksOperator).
// 3. Watermarks from before this operator end here, except the last one, timestamp::maximum().
//
//     auto timed = sw::source(sw::elements<reading>{{"boiler", sw::timestamp(1s), 70}, {"boiler", sw::timestamp(3s), 72}})
//                  | sw::watermarks(sw::bounded_out_of_orderness(50ms), &reading::at);
//     auto counts = collect(std::move(timed) | sw::window(sw::tumbling(1s)) | sw::aggregate(sw::count()));
//     assert(counts.size() == 2);
#pragma once

#include "spillway/operators/operator.hpp"
#include "spillway/time/watermark_generator.hpp"

namespace spillway {

namespace detail {
template <class Generator>
inline constexpr bool recomputable = false;
template <class Generator>
  requires requires { Generator::subset_safe; }
inline constexpr bool recomputable<Generator> = Generator::subset_safe && std::is_trivially_copyable_v<Generator>;
}  // namespace detail

/// Stands for "the records of this stream have their timestamps already".
struct keep_timestamps {};

template <class Generator, class Extract, class In>
struct watermarks_step {
  static constexpr std::string_view kind = "watermarks";
  Generator generator;
  [[no_unique_address]] Extract extract;
  timestamp current = timestamp::minimum();

  template <class Down>
  SPILLWAY_INLINE void on_record(Down& down, In&& record, timestamp given) {
    timestamp t = given;
    if constexpr (!std::is_same_v<Extract, keep_timestamps>) t = timestamp(std::invoke(extract, std::as_const(record)));
    const timestamp candidate = generator.on_record(std::as_const(record), t);
    down.emit(std::move(record), t);
    if (candidate > current) {
      current = candidate;
      down.watermark(candidate);
    }
  }

  template <class Down>
  void on_watermark(Down& down, timestamp w) {
    if (w != timestamp::maximum() || current == w) return;
    current = w;
    down.watermark(w);
  }
};

template <class Generator, class Extract>
struct watermarks_operator : operator_base {
  Generator generator;
  [[no_unique_address]] Extract extract;

  using emits = tag_list<>;
  template <class S>
  static constexpr bool extracts = [] {
    if constexpr (std::is_same_v<Extract, keep_timestamps>) {
      return !std::is_same_v<typename S::timing, untimed>;
    } else if constexpr (std::invocable<const Extract&, const typename S::record&>) {
      return std::is_convertible_v<std::invoke_result_t<const Extract&, const typename S::record&>, timestamp>;
    } else {
      return false;
    }
  }();
  template <class S>
  static constexpr bool accepts = extracts<S> && watermark_generator<Generator, typename S::record>;
  template <class S>
  static constexpr void refuse() {
    static_assert(extracts<S>,
                  "spillway: watermarks needs a function of the record that returns its timestamp, or records that have one");
    static_assert(!extracts<S> || detail::never<S, Generator>,
                  "spillway: watermarks needs a generator with on_record(const record&, timestamp) -> timestamp");
  }

  using by_record = timed_by_record<Extract, Generator>;
  template <class S>
  using timing =
      std::conditional_t<!std::is_same_v<Extract, keep_timestamps> && detail::recomputable<Generator>, by_record, timed>;
  template <class S>
  using output = stream<typename S::record, no_key, timing<S>, S::text>;

  /// What an edge needs to find time and watermark in the records again.
  by_record timing_value() const { return {extract, generator}; }

  template <class S>
  watermarks_step<Generator, Extract, typename S::record> lower() && {
    return {std::move(generator), std::move(extract)};
  }
};

/// `generator` says how far time has come; `extract(const record&)` is the record's time: a timestamp or a std::chrono::sys_time.
template <class Generator, class Extract = keep_timestamps>
constexpr watermarks_operator<Generator, Extract> watermarks(Generator generator, Extract extract = {}) {
  return {{}, std::move(generator), std::move(extract)};
}

}  // namespace spillway
