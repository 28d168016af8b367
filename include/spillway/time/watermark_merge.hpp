// Several channels of one input, one watermark: the minimum over the channels that are active.
//
// Owned by the reading stage: one thread at a time.
// 1. A channel starts active at `timestamp::minimum()`, so nothing comes out before every active channel has spoken.
// 2. What comes out grows strictly. A channel that goes back is ignored.
// 3. An idle channel does not count, and its watermarks are ignored. Going idle may let the minimum rise.
// 4. When the last active channel goes idle and was the one that held the output, the largest watermark of any channel comes out.
// 5. A channel that is active again counts from the moment it reaches the output; until then it neither holds nor helps.
// 6. A channel that says `timestamp::maximum()` has ended, idle or not, and no longer counts. `timestamp::maximum()` comes out once every
//    channel has ended, and not before: an idle channel may still return.
// Rules 1 to 5 are those of Flink's StatusWatermarkValve; by rule 6 an ended channel beside an idle one does not end event time.
//
//     watermark_merge merge(2);
//     merge.update(0, timestamp(10));                 // nothing comes out: channel 1 has not spoken
//     merge.update(1, timestamp(7));
//     assert(merge.watermark() == timestamp(7));
//     merge.set_idle(1, true);
//     assert(merge.watermark() == timestamp(10));
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "spillway/core/config.hpp"
#include "spillway/time/timestamp.hpp"

namespace spillway {

class watermark_merge {
 public:
  /// Allocates once, here. With no channels the input has ended from the start.
  explicit watermark_merge(std::size_t channels) : channels_(channels) {}

  /// A watermark of channel `i`; the new combined watermark if it rose. Requires: `i` is below the number of channels.
  SPILLWAY_INLINE std::optional<timestamp> update(std::size_t i, timestamp w) {
    channel& c = channels_[i];
    if (w <= c.watermark || (c.idle && w != timestamp::maximum())) return std::nullopt;
    const timestamp before = c.watermark;
    c.watermark = w;
    // Another channel holds the output: most updates end here.
    if (before > combined_ && w != timestamp::maximum()) return std::nullopt;
    return advance(c, before);
  }

  /// Channel `i` goes idle or is active again; the new combined watermark if it rose. Requires: as `update`.
  SPILLWAY_COLD std::optional<timestamp> set_idle(std::size_t i, bool idle) {
    channel& c = channels_[i];
    if (c.idle == idle || c.ended()) return std::nullopt;
    c.idle = idle;
    if (!idle) {
      c.counts = c.watermark >= combined_;
      return std::nullopt;
    }
    c.counts = false;
    return stopped_counting(c.watermark);
  }

  /// Every channel is idle or has ended, and at least one is idle.
  bool idle() const noexcept {
    bool any_idle = false;
    for (const channel& c : channels_) {
      if (c.ended()) continue;
      if (!c.idle) return false;
      any_idle = true;
    }
    return any_idle;
  }

  /// Every channel has ended.
  bool ended() const noexcept {
    return std::all_of(channels_.begin(), channels_.end(), [](const channel& c) { return c.ended(); });
  }

  /// The last combined watermark; `timestamp::minimum()` at first.
  timestamp watermark() const noexcept { return combined_; }

  /// The last watermark taken from channel `i`, and whether it is idle: for telling who holds the input back.
  timestamp channel_watermark(std::size_t i) const noexcept { return channels_[i].watermark; }
  bool channel_idle(std::size_t i) const noexcept { return channels_[i].idle; }
  std::size_t size() const noexcept { return channels_.size(); }

 private:
  struct channel {
    timestamp watermark = timestamp::minimum();
    bool idle = false;
    bool counts = true;  // active and not behind the output
    bool ended() const noexcept { return watermark == timestamp::maximum(); }
  };

  SPILLWAY_NOINLINE std::optional<timestamp> advance(channel& c, timestamp before) {
    if (c.ended()) {
      c.idle = false;
      c.counts = false;
      return stopped_counting(before);
    }
    if (!c.counts) {
      if (c.watermark < combined_) return std::nullopt;
      c.counts = true;
    }
    return raise_to_minimum();
  }

  // `last` is where a channel stood when it ceased to count.
  std::optional<timestamp> stopped_counting(timestamp last) {
    if (ended()) return raise(timestamp::maximum());
    if (last != combined_) return std::nullopt;
    return idle() ? raise(largest()) : raise_to_minimum();
  }

  std::optional<timestamp> raise_to_minimum() {
    timestamp least = timestamp::maximum();
    for (const channel& c : channels_) {
      if (c.counts) least = std::min(least, c.watermark);
    }
    // No channel counts: those that are active are still behind the output.
    return least == timestamp::maximum() ? std::nullopt : raise(least);
  }

  timestamp largest() const {
    timestamp most = combined_;
    for (const channel& c : channels_) {
      if (!c.ended()) most = std::max(most, c.watermark);
    }
    return most;
  }

  std::optional<timestamp> raise(timestamp w) {
    if (w <= combined_) return std::nullopt;
    combined_ = w;
    return w;
  }

  std::vector<channel> channels_;
  timestamp combined_ = timestamp::minimum();
};

}  // namespace spillway
