// moodycamel::ConcurrentQueue with a producer token, read from that producer, and its bulk verbs; bounded by never allocating (try_enqueue).
#include <concurrentqueue/concurrentqueue.h>

#include "bench/peers/ring_race.hpp"

namespace {

template <std::size_t Bytes>
class concurrent {
 public:
  using record_type = bench::numbered<Bytes>;
  static constexpr std::uint64_t divisor = 8;
  static constexpr bool waits_itself = false;
  static const char* name() { return "ConcurrentQueue"; }

  explicit concurrent(std::size_t capacity) : queue_(capacity, 1, 0), token_(queue_) {}

  template <class Wait>
  void produce(std::uint64_t first, std::uint64_t count, std::size_t batch, Wait wait) {
    if (batch == 1) {
      bench::produce_singly(first, count, wait, [&](std::uint64_t n) { return queue_.try_enqueue(token_, record_type(n)); });
      return;
    }
    std::vector<record_type> staged(batch);
    for (std::uint64_t n = first; n != first + count;) {
      const std::size_t size = std::min<std::uint64_t>(batch, first + count - n);
      for (std::size_t i = 0; i < size; ++i) staged[i] = record_type(n + i);
      while (!queue_.try_enqueue_bulk(token_, staged.begin(), size)) wait();
      n += size;
    }
  }
  template <class Wait>
  bool consume(std::uint64_t first, std::uint64_t count, std::size_t batch, Wait wait) {
    if (batch == 1)
      return bench::consume_singly<record_type>(first, count, wait,
                                                [&](record_type& r) { return queue_.try_dequeue_from_producer(token_, r); });
    std::vector<record_type> taken(batch);
    bool right = true;
    for (std::uint64_t n = first; n != first + count;) {
      const std::size_t got = queue_.try_dequeue_bulk_from_producer(token_, taken.begin(), batch);
      for (std::size_t i = 0; i < got; ++i) right &= bench::is_number(taken[i], n++);
      if (got == 0) wait();
    }
    return right;
  }

 private:
  moodycamel::ConcurrentQueue<record_type> queue_;
  moodycamel::ProducerToken token_;
};

[[maybe_unused]] const bool added = bench::add_ring<concurrent>();

}  // namespace
