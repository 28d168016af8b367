// A source that any thread of the host may push into, without being registered.
//
// `source` belongs to the thread that makes the pipeline, all else to any thread.
// 1. As for `inlet`: a push that returns true is taken, or, after a stop, one of the `left()`; `close` and a stop of the pipeline wake the
//    pushes that wait; the records of one thread keep their order. Where the threads are known, an `inlet` is the quicker one.
// 2. Memory for `.capacity` records, with what `.producers` threads hold in part, is taken when the inlet is made. A thread's first push allocates
//    its own small table; apart from that `try_push` never allocates, and refuses. `push` waits for room; when there is room, but in blocks that more
//    threads than announced hold in part, it allocates a block, which is counted as a growth event.
// 3. Records carry no event time; put `watermarks(...)` behind the source. In a forked child a push throws std::logic_error.
//
//     sw::any_inlet<int> in({.capacity = 4096});
//     int sum = 0;
//     sw::pipeline p(sw::stage<"sum">(sw::any_cpu{}, in.source() | sw::sink([&](int n) { sum += n; })));
//     p.start();
//     std::thread one([&] { in.push(1); });           // from anywhere
//     in.push(2);
//     one.join();
//     in.close();
//     p.join();
//     assert(sum == 3);
#pragma once

#include <concurrentqueue/concurrentqueue.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "spillway/operators/source.hpp"
#include "spillway/operators/stage_context.hpp"
#include "spillway/runtime/idle_strategy.hpp"
#include "spillway/runtime/inlet_gate.hpp"

namespace spillway {

struct any_inlet_options {
  std::size_t capacity = 1024;  // records of all threads together
  std::size_t producers = 16;   // threads that memory is set aside for; more may push
};

namespace detail {

/// Pushes under way, counted in several places so that threads do not meet at one.
class push_counts {
 public:
  class mark {
   public:
    explicit mark(push_counts& all) noexcept : count_(all.counts_[place()].value) { count_.fetch_add(1); }
    // Release pairs with the load in none(): the source sees what was pushed.
    ~mark() { count_.fetch_sub(1, std::memory_order_release); }
    mark(const mark&) = delete;
    mark& operator=(const mark&) = delete;

   private:
    std::atomic<std::uint32_t>& count_;
  };

  /// True if each push that was let in before the call is over.
  bool none() const noexcept {
    for (const count& c : counts_) {
      if (c.value.load() != 0) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t places = 16;
  struct count {
    alignas(destructive_distance_bytes) std::atomic<std::uint32_t> value{0};
  };
  static std::size_t place() noexcept {
    static std::atomic<std::size_t> threads{0};
    static thread_local const std::size_t mine = threads.fetch_add(1, std::memory_order_relaxed) % places;
    return mine;
  }
  std::array<count, places> counts_;
};

struct any_inlet_traits : moodycamel::ConcurrentQueueDefaultTraits {
  // Blocks that one thread may have waiting before its table would have to grow.
  static constexpr std::size_t IMPLICIT_INITIAL_INDEX_SIZE = 1024;
};

template <class T>
class any_inlet_state final : public inlet_gate {
 public:
  using queue_type = moodycamel::ConcurrentQueue<T, any_inlet_traits>;

  explicit any_inlet_state(any_inlet_options options)
      : queue(options.capacity + 2 * options.producers * queue_type::BLOCK_SIZE), capacity_(options.capacity) {}

  bool offer(T& record) {
    check_process();
    const push_counts::mark inside(pushing);
    return taking() && queue.try_enqueue(std::move(record));
  }
  bool below_capacity() const noexcept { return queue.size_approx() < capacity_; }
  /// Takes the record in a new block.
  SPILLWAY_COLD bool offer_growing(T& record) {
    const push_counts::mark inside(pushing);
    if (!taking() || !queue.enqueue(std::move(record))) return false;
    growth_events.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  queue_type queue;
  push_counts pushing;
  std::atomic<std::uint64_t> growth_events{0};

 private:
  std::size_t capacity_;
};

template <class T>
class any_inlet_records {
  using state = any_inlet_state<T>;

 public:
  using record = T;

  explicit any_inlet_records(std::shared_ptr<state> s) : state_(std::move(s)) {}

  void open(stage_context&) {
    state_->begin();
    in_.emplace(state_->queue);
  }
  void close() {
    state_->stopped();
    in_.reset();
  }
  template <class Out>
  source_status poll(Out& out, std::size_t limit) {
    // In this order: the end was announced, no push is under way, so all that was pushed is found next.
    const bool over = state_->closed() && state_->pushing.none();
    handing_over<Out> to{out};
    std::size_t taken = 0;
    bool empty = false;
    while (taken < limit && !out.full()) {
      empty = !state_->queue.try_dequeue(*in_, to);
      if (empty) break;
      ++taken;
    }
    if (over && empty) return source_status::ended;
    return taken > 0 ? source_status::active : source_status::idle;
  }

  std::shared_ptr<stage_link> link() const { return state_.shared(); }

 private:
  /// What a record is assigned to when it leaves the queue: the chain. Should an operator throw, the record counts as taken.
  template <class Out>
  struct handing_over {
    Out& out;
    void operator=(T&& r) { out.emit(std::move(r)); }
  };

  inlet_hold<state> state_;
  std::optional<moodycamel::ConsumerToken> in_;
};

}  // namespace detail

template <class T>
class any_inlet {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "spillway: a record that goes through an inlet must move and be destroyed without throwing");

 public:
  explicit any_inlet(any_inlet_options options = {}) : state_(std::make_shared<detail::any_inlet_state<T>>(options)) {}
  any_inlet(const any_inlet&) = delete;
  any_inlet& operator=(const any_inlet&) = delete;
  ~any_inlet() { close(); }

  /// The head of the stage that takes the records. Throws std::logic_error while another pipeline has one.
  auto source() { return spillway::source(detail::any_inlet_records<T>(state_)); }

  /// False, and the record is as it was: there is no room without allocating, or the inlet takes nothing any more.
  bool try_push(T&& record) { return state_->offer(record); }
  bool try_push(const T& record)
    requires std::is_copy_constructible_v<T>
  {
    T copy(record);
    return state_->offer(copy);
  }
  /// Waits while there is no room. False: the inlet was closed, or the pipeline stopped, and the record is as it was.
  bool push(T&& record) {
    idler idle(idle_strategy::backoff);
    std::size_t starved = 0;  // times in a row that there was room, but no free block
    while (!state_->offer(record)) {
      if (!taking()) return false;
      starved = state_->below_capacity() ? starved + 1 : 0;
      if (starved > patience && state_->offer_growing(record)) return true;
      idle(0);
    }
    return true;
  }
  bool push(const T& record)
    requires std::is_copy_constructible_v<T>
  {
    return push(T(record));
  }

  /// A push could still be taken.
  bool taking() const noexcept { return state_->taking(); }
  /// No record will follow.
  void close() noexcept { state_->close(); }

  /// Records handed over and not taken; while threads push, about so many.
  std::size_t left() const noexcept { return state_->queue.size_approx(); }
  /// Blocks allocated after the inlet was made.
  std::uint64_t growth_events() const noexcept { return state_->growth_events.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t patience = 100;  // a block that is just being emptied is free long before

  std::shared_ptr<detail::any_inlet_state<T>> state_;
};

}  // namespace spillway
