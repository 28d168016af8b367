// Compile-time description of what flows between two operators of a fused chain: record type, key type, where its time is.
//
// Types only, no state.
// 1. `untimed`: no operator of this stage gave the records a timestamp. `timed`: the timestamp travels beside the record.
//    `timed_by_record<...>`: it is still a function of the record, as `watermarks` took it, so that an edge needs no extra bytes for it.
// 2. `Text` says whose memory a record's text is in: the source's (an edge may pass the handle on) or not (an edge copies it).
//
//     using plain = stream<reading, no_key, timed>;
//     using grouped = plain::keyed<fixed_string<15>>;                 // what stands behind key_by(&reading::sensor)
//     using means = grouped::made<double>;                            // and behind a map to double: unkeyed again
//     static_assert(std::is_same_v<means::key, no_key> && std::is_same_v<means::timing, timed>);
#pragma once

#include <type_traits>

namespace spillway {

/// The key type of a stream that has none.
struct no_key {
  friend constexpr bool operator==(no_key, no_key) noexcept = default;
};

struct untimed {};
struct timed {};
template <class Extract, class Generator>
struct timed_by_record {
  [[no_unique_address]] Extract extract;
  Generator generator;
};

enum class text_home { source, elsewhere };

template <class Record, class Key = no_key, class Timing = untimed, text_home Text = text_home::elsewhere>
struct stream {
  using record = Record;
  using key = Key;
  using timing = Timing;
  static constexpr text_home text = Text;

  /// The same stream behind an operator that makes new records.
  template <class NewRecord>
  using made = stream<NewRecord, no_key, std::conditional_t<std::is_same_v<Timing, untimed>, untimed, timed>, Text>;
  /// The same, where the new records' text is not the source's.
  template <class NewRecord>
  using made_from_state = stream<NewRecord, no_key, timed, text_home::elsewhere>;
  /// The same stream behind an operator that lets records through or not.
  using kept = stream<Record, no_key, Timing, Text>;
  template <class NewKey>
  using keyed = stream<Record, NewKey, Timing, Text>;
};

/// The record type behind an operator that has no main output.
struct no_record {};

}  // namespace spillway
