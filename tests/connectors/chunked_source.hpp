// A source of given bytes in chunks of given or random sizes, with "nothing now" in between: for tests of the readers.
//
// One thread.
// 1. The same seed gives the same chunks.
//
//     chunked_source source("a,b\n", 7, 3);
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <utility>

#include "spillway/connectors/byte_source.hpp"
#include "spillway/connectors/segment_pool.hpp"

namespace spillway::testing {

class chunked_source final : public byte_source {
 public:
  /// Chunks of 1 to `largest` bytes.
  chunked_source(std::string bytes, unsigned seed, std::size_t largest)
      : bytes_(std::move(bytes)), random_(seed), largest_(largest) {}

  read_result try_read(std::span<char> into) override {
    if (at_ == bytes_.size()) return {0, true};
    if (random_() % 4 == 0) return {0, false};
    const std::size_t size = std::min({into.size(), bytes_.size() - at_, 1 + random_() % largest_});
    std::memcpy(into.data(), bytes_.data() + at_, size);
    at_ += size;
    return {size, false};
  }

 private:
  std::string bytes_;
  std::minstd_rand random_;
  std::size_t largest_;
  std::size_t at_ = 0;
};

/// Releases everything at once: for pipelines in which no record outlives the call that made it.
struct eager_tracker final : release_tracker {
  std::uint64_t sealed = 0;
  std::uint64_t seal() override { return ++sealed; }
  bool released(std::uint64_t) override { return true; }
};

}  // namespace spillway::testing
