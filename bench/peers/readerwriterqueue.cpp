// moodycamel::ReaderWriterQueue, bounded by never allocating (try_enqueue). It has no batches.
#include <readerwriterqueue/readerwriterqueue.h>

#include "bench/peers/ring_race.hpp"

namespace {

template <std::size_t Bytes>
class reader_writer {
 public:
  using record_type = bench::numbered<Bytes>;
  static constexpr std::uint64_t divisor = 2;
  static constexpr bool waits_itself = false;
  static const char* name() { return "ReaderWriterQueue"; }

  explicit reader_writer(std::size_t capacity) : queue_(capacity) {}

  template <class Wait>
  void produce(std::uint64_t first, std::uint64_t count, std::size_t, Wait wait) {
    bench::produce_singly(first, count, wait, [&](std::uint64_t n) { return queue_.try_emplace(n); });
  }
  template <class Wait>
  bool consume(std::uint64_t first, std::uint64_t count, std::size_t, Wait wait) {
    return bench::consume_singly<record_type>(first, count, wait, [&](record_type& r) { return queue_.try_dequeue(r); });
  }

 private:
  moodycamel::ReaderWriterQueue<record_type> queue_;
};

[[maybe_unused]] const bool added = bench::add_ring<reader_writer>();

}  // namespace
