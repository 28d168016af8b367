// atomic_queue for one producer and one consumer, by its optimist push and pop, which wait for themselves. It has no batches.
//
// Records of 8 bytes lie in atomic slots, where one value means "empty"; longer ones have a state byte each.
#include <atomic_queue/atomic_queue.h>

#include <memory>
#include <type_traits>

#include "bench/peers/ring_race.hpp"

namespace {

constexpr std::uint64_t empty = ~std::uint64_t{0};

using words = atomic_queue::AtomicQueueB<std::uint64_t, std::allocator<std::uint64_t>, empty, true, false, true>;
template <class Record>
using blocks = atomic_queue::AtomicQueueB2<Record, std::allocator<Record>, true, false, true>;

template <std::size_t Bytes>
class atomic {
 public:
  using record_type = bench::numbered<Bytes>;
  static constexpr std::uint64_t divisor = 2;
  static constexpr bool waits_itself = true;
  static const char* name() { return "atomic_queue"; }

  explicit atomic(std::size_t capacity) : queue_(static_cast<unsigned>(capacity)) {}

  template <class Wait>
  void produce(std::uint64_t first, std::uint64_t count, std::size_t, Wait) {
    for (std::uint64_t n = first; n != first + count; ++n) {
      if constexpr (Bytes == 8) {
        queue_.push(std::uint64_t{n});
      } else {
        queue_.push(record_type(n));
      }
    }
  }
  template <class Wait>
  bool consume(std::uint64_t first, std::uint64_t count, std::size_t, Wait) {
    bool right = true;
    for (std::uint64_t n = first; n != first + count; ++n) {
      if constexpr (Bytes == 8) {
        right &= queue_.pop() == n;
      } else {
        right &= bench::is_number(queue_.pop(), n);
      }
    }
    return right;
  }

 private:
  std::conditional_t<Bytes == 8, words, blocks<record_type>> queue_;
};

[[maybe_unused]] const bool added = bench::add_ring<atomic>();

}  // namespace
