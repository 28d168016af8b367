// A source that threads of the host push into, each through a ring of its own.
//
// `inlet`: `producer`, `close` and the counts from any thread, the rest from the thread that makes the pipeline. An `inlet_producer` is used by one thread at a
// time; it may be handed on.
// 1. A push that returns true was handed over: the stage takes it, or, after a stop, it is one of the `left()`. Nothing is lost silently:
//    `pushed() == taken() + left()`.
// 2. Records of one producer keep their order; producers are served in turn, a bounded number of records each.
// 3. After `close` pushes return false, and the source ends once everything handed over was taken. A stop of the pipeline ends the source at
//    once. Either wakes the pushes that wait. What is left may be taken by another pipeline: ask for `source()` again when the first is gone.
// 4. Records carry no event time; put `watermarks(...)` behind the source. A ring is allocated when its place is first used, nothing later.
// 5. In a forked child a push throws std::logic_error.
//
//     sw::inlet<int> in({.capacity = 1024, .producers = 8});
//     int sum = 0;
//     sw::pipeline p(sw::stage<"sum">(sw::any_cpu{}, in.source() | sw::sink([&](int n) { sum += n; })));
//     p.start();
//     std::thread feed([producer = in.producer()]() mutable {
//       for (int n : {1, 2, 3}) producer.push(n);
//     });
//     feed.join();
//     in.close();
//     p.join();
//     assert(sum == 6 && in.pushed() == in.taken() + in.left());
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "spillway/core/spsc_ring.hpp"
#include "spillway/operators/source.hpp"
#include "spillway/operators/stage_context.hpp"
#include "spillway/runtime/idle_strategy.hpp"
#include "spillway/runtime/inlet_gate.hpp"

namespace spillway {

struct inlet_options {
  std::size_t capacity = 1024;  // records in each producer's ring
  std::size_t producers = 16;   // at one time, at most
};

namespace detail {

template <class T>
struct inlet_place {
  alignas(destructive_distance_bytes) std::atomic<bool> pushing{false};
  std::unique_ptr<spsc_ring<T>> ring{};
  bool used = false;  // by a producer; under the mutex
};

template <class T>
class inlet_state final : public inlet_gate {
 public:
  explicit inlet_state(inlet_options options)
      : options_(options), places_(std::make_unique<inlet_place<T>[]>(options.producers)) {}

  /// A place for one more producer. Throws std::length_error.
  inlet_place<T>& take_place() {
    check_process();
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < options_.producers; ++i) {
      inlet_place<T>& place = places_[i];
      if (place.used) continue;
      if (place.ring == nullptr) {
        place.ring = std::make_unique<spsc_ring<T>>(options_.capacity);
        // Release pairs with the acquire load in rings(): who sees the number sees the ring.
        rings_.store(i + 1, std::memory_order_release);
      }
      place.used = true;
      return place;
    }
    throw std::length_error("spillway: all " + std::to_string(options_.producers) +
                            " producers of the inlet are in use; close one, or make the inlet with more .producers");
  }
  void give_back(inlet_place<T>& place) noexcept {
    if (!in_its_process()) return;  // the mutex may be held by a thread that is not here
    const std::lock_guard lock(mutex_);
    place.used = false;
  }

  std::size_t most_producers() const noexcept { return options_.producers; }
  /// How many places have a ring; they are the first ones.
  std::size_t rings() const noexcept { return rings_.load(std::memory_order_acquire); }
  inlet_place<T>& place(std::size_t i) noexcept { return places_[i]; }

  bool quiet() const noexcept {
    for (std::size_t i = 0; i < rings(); ++i) {
      if (places_[i].pushing.load()) return false;
    }
    return true;
  }
  template <class F>
  std::uint64_t total(F&& of_ring) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < rings(); ++i) sum += of_ring(*places_[i].ring);
    return sum;
  }

 private:
  inlet_options options_;
  std::unique_ptr<inlet_place<T>[]> places_;
  std::atomic<std::size_t> rings_{0};
  std::mutex mutex_;
};

template <class T>
class inlet_records {
 public:
  using record = T;

  explicit inlet_records(std::shared_ptr<inlet_state<T>> state) : state_(std::move(state)) {}

  void open(stage_context&) {
    state_->begin();
    rings_.reserve(state_->most_producers());
  }
  void close() {
    state_->stopped();
    for (std::size_t i = 0; i < rings_.size(); ++i) state_->place(i).ring->close(rings_[i]);
    rings_.clear();
  }
  template <class Out>
  source_status poll(Out& out, std::size_t limit) {
    // In this order: the end was announced, no push is under way, so all that was pushed is in the rings looked at next.
    const bool over = state_->closed() && state_->quiet();
    while (rings_.size() < state_->rings()) rings_.push_back(state_->place(rings_.size()).ring->open_consumer());
    const std::size_t taken = take(out, limit);
    if (taken > 0) return source_status::active;
    return over ? source_status::ended : source_status::idle;
  }

  std::shared_ptr<stage_link> link() const { return state_.shared(); }

 private:
  template <class Out>
  std::size_t take(Out& out, std::size_t limit) {
    const std::size_t n = rings_.size();
    if (n == 0) return 0;
    const std::size_t share = std::max<std::size_t>(1, limit / n);
    std::size_t taken = 0;
    turn_ = turn_ + 1 < n ? turn_ + 1 : 0;
    for (std::size_t i = 0; i < n && taken < limit && !out.full(); ++i) {
      auto& ring = rings_[turn_ + i < n ? turn_ + i : turn_ + i - n];
      taken += ring.drain(std::min(share, limit - taken), [&](T& next) {
        out.emit(std::move(next));
        return !out.full();
      });
    }
    return taken;
  }

  inlet_hold<inlet_state<T>> state_;
  std::vector<typename spsc_ring<T>::consumer> rings_;
  std::size_t turn_ = 0;
};

}  // namespace detail

template <class T>
class inlet;

/// One thread's way into an inlet.
template <class T>
class inlet_producer {
 public:
  inlet_producer(inlet_producer&& other) noexcept
      : state_(std::move(other.state_)), place_(std::exchange(other.place_, nullptr)) {}
  inlet_producer& operator=(inlet_producer&& other) noexcept {
    if (this != &other) {
      close();
      state_ = std::move(other.state_);
      place_ = std::exchange(other.place_, nullptr);
    }
    return *this;
  }
  ~inlet_producer() { close(); }

  /// False, and the record is as it was: the ring is full, or the inlet takes nothing any more.
  bool try_push(T&& record) { return offer(record); }
  bool try_push(const T& record)
    requires std::is_copy_constructible_v<T>
  {
    T copy(record);
    return offer(copy);
  }
  /// Waits while the ring is full. False: the inlet was closed, or the pipeline stopped, and the record is as it was.
  bool push(T&& record) {
    idler idle(idle_strategy::backoff);
    while (!offer(record)) {
      if (!taking()) return false;
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
  bool taking() const noexcept { return place_ != nullptr && state_->taking(); }

  /// Frees the place for another producer. What was pushed is still taken.
  void close() noexcept {
    if (place_ != nullptr) state_->give_back(*std::exchange(place_, nullptr));
  }

 private:
  friend class inlet<T>;
  explicit inlet_producer(std::shared_ptr<detail::inlet_state<T>> state)
      : state_(std::move(state)), place_(&state_->take_place()) {}

  SPILLWAY_INLINE bool offer(T& record) {
    if (place_ == nullptr) return false;
    state_->check_process();
    const detail::push_mark inside(place_->pushing);
    if (!state_->taking()) return false;
    auto out = place_->ring->open_producer(1);
    const bool taken = out.try_emplace(std::move(record));
    place_->ring->close(out);
    return taken;
  }

  std::shared_ptr<detail::inlet_state<T>> state_;
  detail::inlet_place<T>* place_;
};

template <class T>
class inlet {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "spillway: a record that goes through an inlet must move and be destroyed without throwing");

 public:
  /// Throws std::invalid_argument for no producers.
  explicit inlet(inlet_options options = {}) : state_(std::make_shared<detail::inlet_state<T>>(options)) {
    if (options.producers == 0) throw std::invalid_argument("spillway: an inlet with .producers = 0 could never be pushed into");
  }
  inlet(const inlet&) = delete;
  inlet& operator=(const inlet&) = delete;
  ~inlet() { close(); }

  /// The head of the stage that takes the records. Throws std::logic_error while another pipeline has one.
  auto source() { return spillway::source(detail::inlet_records<T>(state_)); }

  /// A producer for the calling thread, or for one it is handed to. Throws std::length_error when there are as many as were asked for,
  /// std::bad_alloc.
  inlet_producer<T> producer() { return inlet_producer<T>(state_); }

  /// No record will follow, from any producer.
  void close() noexcept { state_->close(); }

  /// Records handed over, taken by the stage, and neither; while threads push, a moment's.
  std::uint64_t pushed() const noexcept {
    return state_->total([](const auto& ring) { return ring.pushed(); });
  }
  std::uint64_t taken() const noexcept {
    return state_->total([](const auto& ring) { return ring.consumed(); });
  }
  std::uint64_t left() const noexcept {
    return state_->total([](const auto& ring) { return ring.size_estimate(); });
  }

 private:
  std::shared_ptr<detail::inlet_state<T>> state_;
};

}  // namespace spillway
