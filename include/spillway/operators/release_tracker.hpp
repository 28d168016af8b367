// What a source asks before it reuses memory that records point into.
//
// Called in the source's own thread, once per segment of input, so a virtual call costs nothing that matters.
// 1. Tokens grow, and are released in order: when one is released, so is every earlier one.
//
//     struct nothing_kept final : release_tracker {                   // for a source whose records point nowhere
//       std::uint64_t sealed = 0;
//       std::uint64_t seal() override { return ++sealed; }
//       bool released(std::uint64_t token) override { return token <= sealed; }
//     };
//
//     nothing_kept tracker;
//     const std::uint64_t token = tracker.seal();     // no record emitted from here on points into the segment
//     assert(tracker.released(token));                // nobody behind the source holds a record that does: use the segment again
#pragma once

#include <cstdint>

namespace spillway {

struct release_tracker {
  virtual ~release_tracker() = default;

  /// A token for everything that the source has emitted so far.
  virtual std::uint64_t seal() = 0;

  /// Whether every record emitted before that `seal` has left the hands of all operators. Once true, it stays true.
  virtual bool released(std::uint64_t token) = 0;
};

}  // namespace spillway
