// The same race for every queue: one thread writes numbered records, another checks each one's value and order.
//
// A queue takes part with a class made from a capacity, which has, for a wait called after every vain try,
//     record_type, name(), divisor                           // slow ones run 1/divisor of the records
//     waits_itself                                           // its verbs wait, so that there is but one way
//     void produce(first, count, batch, wait)                // batch 1: one at a time
//     bool consume(first, count, batch, wait)                // true when each record was right
// and enters for each size of record by add_ring<Template>() in a file of its own. The template's name must differ from those of the other
// files, unnamed namespace or not: GCC gives functions external linkage that have such a template as an argument, and the linker keeps one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench/support/interleave.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/cpu_relax.hpp"

namespace bench {

template <std::size_t Bytes>
struct numbered {
  std::uint64_t words[Bytes / 8];

  numbered() = default;
  explicit numbered(std::uint64_t n) noexcept {
    for (std::uint64_t& word : words) word = n;
  }
};

/// Compares the first and the last word, and makes the compiler believe in all the others.
template <class Record>
SPILLWAY_INLINE bool is_number(const Record& r, std::uint64_t n) {
  asm volatile("" : : "m"(r));
  return r.words[0] == n && r.words[sizeof(r.words) / 8 - 1] == n;
}

template <int Pauses>
class waiting {
 public:
  SPILLWAY_INLINE void operator()() {
    for (int i = 0; i < Pauses; ++i) spillway::cpu_relax();
    if (++polls_ % 16'384 == 0) give_way();
  }

 private:
  [[gnu::noinline]] void give_way() {
    std::this_thread::yield();
    if (polls_ < std::uint64_t{1} << 36) return;
    std::fputs("records were lost: the consumer waits in vain\n", stderr);
    std::_Exit(1);
  }
  std::uint64_t polls_ = 0;
};

/// `try_push(n)` appends record n; false when there is no room.
template <class Wait, class Push>
SPILLWAY_INLINE void produce_singly(std::uint64_t first, std::uint64_t count, Wait wait, Push&& try_push) {
  for (std::uint64_t n = first; n != first + count;) {
    if (try_push(n)) {
      ++n;
    } else {
      wait();
    }
  }
}

/// `try_pop(record)` fetches one; false when there is none.
template <class Record, class Wait, class Pop>
SPILLWAY_INLINE bool consume_singly(std::uint64_t first, std::uint64_t count, Wait wait, Pop&& try_pop) {
  bool right = true;
  Record r;
  for (std::uint64_t n = first; n != first + count;) {
    if (try_pop(r)) {
      right &= is_number(r, n++);
    } else {
      wait();
    }
  }
  return right;
}

template <class Queue, int Pauses>
sample race(std::size_t capacity, std::size_t batch, std::uint64_t records) {
  Queue queue(capacity);
  const std::uint64_t lap = 2 * capacity;
  bool right[2] = {false, false};
  sample s = on_two_cpus(
      [&](bool warm) { queue.produce(warm ? 0 : lap, warm ? lap : records, batch, waiting<Pauses>{}); },
      [&](bool warm) { right[warm] = queue.consume(warm ? 0 : lap, warm ? lap : records, batch, waiting<Pauses>{}); });
  s.right = right[0] && right[1];
  return s;
}

/// One queue with one size of record and one way of waiting.
struct entrant {
  std::string name;
  std::string way;
  std::size_t bytes;
  std::uint64_t divisor;
  sample (*run)(std::size_t capacity, std::size_t batch, std::uint64_t records);
};

inline std::vector<entrant>& entrants() {
  static std::vector<entrant> all;
  return all;
}

template <template <std::size_t> class Queue, std::size_t Bytes>
void add_size() {
  using queue = Queue<Bytes>;
  if constexpr (queue::waits_itself) {
    entrants().push_back({queue::name(), "own waiting", Bytes, queue::divisor, &race<queue, 1>});
  } else {
    entrants().push_back({queue::name(), "no pause", Bytes, queue::divisor, &race<queue, 0>});
    entrants().push_back({queue::name(), "1 pause", Bytes, queue::divisor, &race<queue, 1>});
    entrants().push_back({queue::name(), "4 pauses", Bytes, queue::divisor, &race<queue, 4>});
  }
}

template <template <std::size_t> class Queue>
bool add_ring() {
  add_size<Queue, 8>();
  add_size<Queue, 32>();
  add_size<Queue, 64>();
  return true;
}

}  // namespace bench
