// Contestants that take turns on the same work, A B A B, so that what a host does to one it does to all.
//
// One thread.
// 1. Every round runs each contestant once; each round begins with another. A spoilt sample is tried again twice, then left out.
// 2. A wrong answer ends everything: wrong_answer names who gave it.
// 3. Samples are kept by class, and only those of one class are compared.
//
//     interleave(contestants, 9);  median_of(contestants[0], 'C')
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/support/core_class.hpp"

namespace bench {

struct wrong_answer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct contestant {
  std::string name;
  std::string way;  // how it was used or waited
  bool ours;
  double work;  // records in a sample
  std::function<sample()> run;
  std::map<char, std::vector<double>> nanoseconds{};  // per record
  std::size_t spoilt = 0;
};

inline void take_turn(contestant& c) {
  constexpr int tries = 3;
  for (int i = 0; i < tries; ++i) {
    const sample s = c.run();
    if (!s.right) throw wrong_answer(c.name + " (" + c.way + ") lost, doubled or reordered records");
    if (!s.spoilt) {
      c.nanoseconds[s.where].push_back(s.seconds * 1e9 / c.work);
      return;
    }
    ++c.spoilt;
  }
}

inline void interleave(std::vector<contestant>& all, std::size_t round) {
  for (std::size_t i = 0; i < all.size(); ++i) take_turn(all[(round + i) % all.size()]);
}

inline double median(std::vector<double> v) {
  if (v.empty()) return 0;
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  return *middle;
}

/// Nanoseconds per record; 0 without samples of that class.
inline double median_of(const contestant& c, char where) {
  const auto found = c.nanoseconds.find(where);
  return found == c.nanoseconds.end() ? 0 : median(found->second);
}

}  // namespace bench
