// What the watermarks operator asks of a watermark generator, ready-made or user-supplied.
//
// A generator is a copyable value owned by one stage; a copy of it may run in the stage behind an edge.
// 1. `timestamp on_record(const R& record, timestamp t)` sees every record once, after the record went downstream, and answers with a
//    candidate; `timestamp::minimum()` means none.
// 2. The candidate is a function of the records seen so far, never of the wall clock.
// 3. Candidates may go back; the watermarks operator passes on only those that are larger than the last one.
// 4. `static constexpr bool subset_safe = true` promises that after any subset of the records the largest candidate is never above the
//    one after all of them. Without that member a generator counts as not safe.
//
//     struct every_hundredth {
//       std::uint64_t seen = 0;
//       template <class Record>
//       sw::timestamp on_record(const Record&, sw::timestamp t) {
//         return ++seen % 100 == 0 ? t - 1s : sw::timestamp::minimum();
//       }
//     };
//
//     static_assert(sw::watermark_generator<every_hundredth, reading> && !sw::is_subset_safe<every_hundredth>);
//     auto second = sw::watermarks(every_hundredth(), &reading::at);      // behind a source of readings
#pragma once

#include <concepts>

#include "spillway/time/timestamp.hpp"

namespace spillway {

template <class Generator, class Record>
concept watermark_generator = std::copyable<Generator> && requires(Generator generator, const Record& record, timestamp t) {
  { generator.on_record(record, t) } -> std::convertible_to<timestamp>;
};

/// Whether a generator promises invariant 4.
template <class Generator>
inline constexpr bool is_subset_safe = false;
template <class Generator>
  requires requires {
    { Generator::subset_safe } -> std::convertible_to<bool>;
  }
inline constexpr bool is_subset_safe<Generator> = Generator::subset_safe;

}  // namespace spillway
