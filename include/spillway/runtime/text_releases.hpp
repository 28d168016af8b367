// Tells a source when the text behind its records may be overwritten: once every edge has released them.
//
// Belongs to the emitting stage's thread.
// 1. A token gets its positions at the end of the duty cycle that sealed it, when the cursors are written back; until then it is not released.
// 2. At most `most_tokens` are open at once; `seal` forgets none, it makes the oldest wait for the newest instead.
//
//     detail::text_releases releases;
//     releases.watch({});                             // no edge of this stage points into the source's memory
//     const std::uint64_t token = releases.seal();
//     assert(!releases.released(token));
//     releases.capture();                             // the duty cycle ends
//     assert(releases.released(token));
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spillway/operators/release_tracker.hpp"
#include "spillway/runtime/edge_base.hpp"

namespace spillway::detail {

class text_releases final : public release_tracker {
 public:
  void watch(std::vector<const edge_base*> edges) {
    edges_ = std::move(edges);
    positions_.assign(edges_.size() * most_tokens, 0);
  }

  std::uint64_t seal() override { return ++sealed_; }

  bool released(std::uint64_t token) override {
    if (token > captured_) return false;
    // A token older than the table stands for the oldest that is still in it.
    if (token + most_tokens <= captured_) token = captured_ - most_tokens + 1;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (!edges_[e]->released_past(positions_[cell(token, e)])) return false;
    }
    return true;
  }

  /// Requires: the stage's cursors are settled.
  void capture() noexcept {
    while (captured_ < sealed_) {
      ++captured_;
      for (std::size_t e = 0; e < edges_.size(); ++e) positions_[cell(captured_, e)] = edges_[e]->position();
    }
  }

 private:
  static constexpr std::uint64_t most_tokens = 256;

  std::size_t cell(std::uint64_t token, std::size_t e) const noexcept {
    return static_cast<std::size_t>(token % most_tokens) * edges_.size() + e;
  }

  std::vector<const edge_base*> edges_;
  std::vector<std::uint64_t> positions_;
  std::uint64_t sealed_ = 0;
  std::uint64_t captured_ = 0;
};

}  // namespace spillway::detail
