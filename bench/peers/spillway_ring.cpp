// spillway::spsc_ring: cursors as local values; one at a time by try_emplace and try_pop, batches by claim and drain.
#include "bench/peers/ring_race.hpp"
#include "spillway/core/spsc_ring.hpp"

namespace {

template <std::size_t Bytes>
class ours {
 public:
  using record_type = bench::numbered<Bytes>;
  static constexpr std::uint64_t divisor = 1;
  static constexpr bool waits_itself = false;
  static const char* name() { return "spillway"; }

  explicit ours(std::size_t capacity) : ring_(capacity) {}

  template <class Wait>
  void produce(std::uint64_t first, std::uint64_t count, std::size_t batch, Wait wait) {
    auto out = ring_.open_producer();
    const std::uint64_t end = first + count;
    if (batch == 1) {
      bench::produce_singly(first, count, wait, [&](std::uint64_t n) { return out.try_emplace(n); });
    } else {
      for (std::uint64_t n = first; n != end;) {
        const auto slots = out.claim(std::min<std::uint64_t>(batch, end - n));
        for (record_type& slot : slots) std::construct_at(&slot, n++);
        out.commit(slots.size());
        if (slots.empty()) wait();
      }
    }
    ring_.close(out);
  }

  template <class Wait>
  bool consume(std::uint64_t first, std::uint64_t count, std::size_t batch, Wait wait) {
    auto in = ring_.open_consumer();
    bool right = true;
    if (batch == 1) {
      right = bench::consume_singly<record_type>(first, count, wait, [&](record_type& r) { return in.try_pop(r); });
    } else {
      for (std::uint64_t n = first; n != first + count;) {
        if (in.drain(batch, [&](record_type& r) { right &= bench::is_number(r, n++); }) == 0) wait();
      }
    }
    ring_.close(in);
    return right;
  }

 private:
  spillway::spsc_ring<record_type> ring_;
};

[[maybe_unused]] const bool added = bench::add_ring<ours>();

}  // namespace
