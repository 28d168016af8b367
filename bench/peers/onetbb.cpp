// tbb::concurrent_bounded_queue by the verbs that do not block. It has no batches.
#include <oneapi/tbb/concurrent_queue.h>

#include "bench/peers/ring_race.hpp"

namespace {

template <std::size_t Bytes>
class bounded {
 public:
  using record_type = bench::numbered<Bytes>;
  static constexpr std::uint64_t divisor = 16;
  static constexpr bool waits_itself = false;
  static const char* name() { return "oneTBB"; }

  explicit bounded(std::size_t capacity) { queue_.set_capacity(static_cast<std::ptrdiff_t>(capacity)); }

  template <class Wait>
  void produce(std::uint64_t first, std::uint64_t count, std::size_t, Wait wait) {
    bench::produce_singly(first, count, wait, [&](std::uint64_t n) { return queue_.try_emplace(n); });
  }
  template <class Wait>
  bool consume(std::uint64_t first, std::uint64_t count, std::size_t, Wait wait) {
    return bench::consume_singly<record_type>(first, count, wait, [&](record_type& r) { return queue_.try_pop(r); });
  }

 private:
  tbb::concurrent_bounded_queue<record_type> queue_;
};

[[maybe_unused]] const bool added = bench::add_ring<bounded>();

}  // namespace
