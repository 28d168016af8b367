// A stage on several threads: each replica is a copy of the fused chain, with rings and state of its own.
//
// A value, free of threads.
// 1. Replica i is placed at `places[i % places.size()]`; without places each has a thread of its own on any CPU. `shared_thread` numbers put
//    several replicas on one thread.
// 2. Functions are copied with the stage: what they refer to outside is shared by all replicas.
// 3. In reports a replica is the stage's name with its number, "average[1]"; a stage with one replica keeps its plain name.
//
//     std::atomic<int> sum{0};
//     auto numbers = sw::stage<"numbers">(sw::any_cpu{}, sw::source(sw::elements{1, 2, 3}));
//     auto total = sw::stage<"total">(sw::replicas(2), sw::from(numbers, sw::round_robin) | sw::sink([&](int n) { sum += n; }));
//     sw::pipeline p(std::move(numbers), std::move(total));
//     p.run();
//     assert(sum == 6 && p.stages()[2].name == "total[1]");
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spillway/graph/placement.hpp"

namespace spillway {

class replicas {
 public:
  /// Throws std::invalid_argument for no replicas, or more than 1024.
  explicit replicas(std::size_t count, std::vector<placement> places = {}) : count_(count), places_(std::move(places)) {
    if (count == 0 || count > most) {
      throw std::invalid_argument("spillway: replicas(" + std::to_string(count) + "): a stage has 1 to " + std::to_string(most) +
                                  " replicas");
    }
  }

  static constexpr std::size_t most = 1024;

  std::size_t count() const noexcept { return count_; }
  placement place(std::size_t i) const noexcept { return places_.empty() ? placement{} : places_[i % places_.size()]; }
  std::string label(std::string_view stage, std::size_t i) const {
    return std::string(stage) + (count_ == 1 ? std::string() : "[" + std::to_string(i) + "]");
  }

 private:
  std::size_t count_;
  std::vector<placement> places_;
};

}  // namespace spillway
