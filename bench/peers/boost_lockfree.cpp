// boost::lockfree::spsc_queue: its push of many and consume_all for batches.
#include <boost/lockfree/spsc_queue.hpp>

#include "bench/peers/ring_race.hpp"

namespace {

template <std::size_t Bytes>
class boost_ring {
 public:
  using record_type = bench::numbered<Bytes>;
  static constexpr std::uint64_t divisor = 2;
  static constexpr bool waits_itself = false;
  static const char* name() { return "Boost.Lockfree"; }

  explicit boost_ring(std::size_t capacity) : queue_(capacity) {}

  template <class Wait>
  void produce(std::uint64_t first, std::uint64_t count, std::size_t batch, Wait wait) {
    if (batch == 1) {
      bench::produce_singly(first, count, wait, [&](std::uint64_t n) { return queue_.push(record_type(n)); });
      return;
    }
    std::vector<record_type> staged(batch);
    for (std::uint64_t n = first; n != first + count;) {
      const std::size_t size = std::min<std::uint64_t>(batch, first + count - n);
      for (std::size_t i = 0; i < size; ++i) staged[i] = record_type(n + i);
      for (std::size_t done = 0; done < size;) {
        const std::size_t pushed = queue_.push(staged.data() + done, size - done);
        done += pushed;
        if (pushed == 0) wait();
      }
      n += size;
    }
  }
  template <class Wait>
  bool consume(std::uint64_t first, std::uint64_t count, std::size_t batch, Wait wait) {
    if (batch == 1) return bench::consume_singly<record_type>(first, count, wait, [&](record_type& r) { return queue_.pop(r); });
    bool right = true;
    for (std::uint64_t n = first; n != first + count;) {
      if (queue_.consume_all([&](const record_type& r) { right &= bench::is_number(r, n++); }) == 0) wait();
    }
    return right;
  }

 private:
  boost::lockfree::spsc_queue<record_type> queue_;
};

[[maybe_unused]] const bool added = bench::add_ring<boost_ring>();

}  // namespace
