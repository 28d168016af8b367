// A source that the host pushes into: the fused chain behind it runs on the pushing thread, inside the push.
//
// The handle and all its verbs belong to one thread of the host, the one that polls the stage; it may be made and destroyed by another.
// 1. The stage is placed `host_polled`. A push is one duty cycle of it around the record, flushed at its end: when it returns, the record went
//    through the chain and is visible to the stages behind.
// 2. A push that returns false took nothing: the record is as it was. `try_push` refuses while a lossless edge behind the stage is full, or a
//    firing is unfinished; try again, after `flush` or not.
// 3. No push throws what an operator threw: that ends the pipeline and comes out of `join`; the push returns false, and so do all that follow.
//    A record whose operator throws counts as taken by the stage. In a forked child a push throws std::logic_error.
// 4. `close` ends the source, as does `stop`. A push after that returns false; one that waits returns.
//
//     sw::push_source<int> in;
//     int sum = 0;
//     sw::pipeline p(sw::stage<"in">(sw::host_polled{},
//         in.source()
//             | sw::filter([](int n) { return n > 0; })
//             | sw::sink([&](int n) { sum += n; })));
//     p.start();
//     for (int n : {3, -1, 4}) in.push(n);            // runs the chain, here
//     assert(sum == 7);
//     in.close();
//     p.join();
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "spillway/operators/source.hpp"
#include "spillway/operators/stage_context.hpp"
#include "spillway/runtime/idle_strategy.hpp"
#include "spillway/runtime/polled_agent.hpp"
#include "spillway/runtime/stage_link.hpp"

namespace spillway {

namespace detail {

/// What lies between the handle and the source in the stage: the records of the push that is going on.
template <class T>
struct push_slot final : stage_link {
  polled_agent* agent = nullptr;
  T* moved = nullptr;         // records to move from,
  const T* copied = nullptr;  // or to copy
  std::size_t waiting = 0;    // how many
  bool given = false;         // to a pipeline
  std::atomic<bool> closed{false};

  void polled_by(polled_agent* a) noexcept override {
    agent = a;
    if (a == nullptr) stopped();
  }
  // Relaxed: the flag only ends the source; what was pushed went through the chain before.
  void stopped() noexcept override { closed.store(true, std::memory_order_relaxed); }
};

template <class T>
class push_records {
 public:
  using record = T;

  explicit push_records(std::shared_ptr<push_slot<T>> slot) : slot_(std::move(slot)) {}
  push_records(push_records&&) noexcept = default;
  push_records& operator=(push_records&&) noexcept = default;

  void open(stage_context& stage) {
    if (slot_->agent != nullptr) return;
    throw std::logic_error("spillway: stage '" + std::string(stage.name()) +
                           "' begins with a push_source; place it host_polled{}, and start() the pipeline instead of running it");
  }
  template <class Out>
  SPILLWAY_INLINE source_status poll(Out& out, std::size_t limit) {
    push_slot<T>& slot = *slot_;
    std::size_t room = std::min(limit, slot.waiting);
    while (room > 0) {
      --room;
      --slot.waiting;
      emit_next(out, slot);
      if (out.full()) break;
    }
    if (slot.waiting > 0 || !slot.closed.load(std::memory_order_relaxed)) return source_status::idle;
    return source_status::ended;
  }

  std::shared_ptr<stage_link> link() const { return slot_; }

 private:
  // The record is stepped over first: should its operator throw, it counts as taken.
  template <class Out>
  SPILLWAY_INLINE static void emit_next(Out& out, push_slot<T>& slot) {
    if (slot.moved != nullptr) {
      out.emit(std::move(*slot.moved++));
    } else if constexpr (std::is_copy_constructible_v<T>) {
      out.emit(T(*slot.copied++));
    }
  }

  std::shared_ptr<push_slot<T>> slot_;
};

}  // namespace detail

template <class T>
class push_source {
  static_assert(std::is_object_v<T> && !std::is_const_v<T>,
                "spillway: a push_source's record is a type of values that are not const");

 public:
  push_source() : slot_(std::make_shared<detail::push_slot<T>>()) {}
  push_source(const push_source&) = delete;
  push_source& operator=(const push_source&) = delete;
  /// Ends the source, if the pipeline still runs.
  ~push_source() { slot_->stopped(); }

  /// The head of the stage. Throws std::logic_error the second time.
  auto source() {
    if (std::exchange(slot_->given, true)) throw std::logic_error("spillway: a push_source is the head of one stage only");
    return spillway::source(detail::push_records<T>(slot_));
  }

  /// True: the record was moved through the chain.
  SPILLWAY_INLINE bool try_push(T&& record) { return push_now(&record, nullptr, 1) == 1; }
  SPILLWAY_INLINE bool try_push(const T& record)
    requires std::is_copy_constructible_v<T>
  {
    return push_now(nullptr, &record, 1) == 1;
  }
  /// As many of the records as one duty cycle takes; returns how many. Records that are not const are moved from.
  template <class U, std::size_t Extent>
    requires std::is_same_v<std::remove_const_t<U>, T>
  std::size_t try_push(std::span<U, Extent> records) {
    if constexpr (std::is_const_v<U>) {
      return push_now(nullptr, records.data(), records.size());
    } else {
      return push_now(records.data(), nullptr, records.size());
    }
  }

  /// Waits while there is no room. False: the source has ended, and nothing was taken.
  bool push(T&& record) { return push_all(std::span<T>(&record, 1)) == 1; }
  bool push(const T& record)
    requires std::is_copy_constructible_v<T>
  {
    return push_all(std::span<const T>(&record, 1)) == 1;
  }
  /// All of the records, in as many duty cycles as it takes; returns how many, fewer when the source has ended.
  template <class U, std::size_t Extent>
    requires std::is_same_v<std::remove_const_t<U>, T>
  std::size_t push(std::span<U, Extent> records) {
    return push_all(std::span<U>(records));
  }

  /// One duty cycle without a record: hands on what found a full edge. Returns how much it did.
  std::size_t flush() { return agent().poll(); }

  /// No record will follow. What the stage still holds leaves with `flush`, `pipeline::poll` or `join`.
  void close() {
    slot_->stopped();
    if (slot_->agent != nullptr) slot_->agent->poll();
  }
  /// No push will take a record any more.
  bool ended() const noexcept {
    return slot_->closed.load(std::memory_order_relaxed) || (slot_->agent != nullptr && slot_->agent->done());
  }

 private:
  polled_agent& agent() const {
    if (slot_->agent == nullptr) refuse();
    return *slot_->agent;
  }
  [[noreturn]] SPILLWAY_COLD static void refuse() {
    throw std::logic_error(
        "spillway: push: no pipeline of this push_source is running; place its stage host_polled{} and start() the pipeline first");
  }

  SPILLWAY_INLINE std::size_t push_now(T* moved, const T* copied, std::size_t n) {
    detail::push_slot<T>& slot = *slot_;
    if (slot.agent == nullptr || slot.closed.load(std::memory_order_relaxed)) [[unlikely]]
      return refuse_late();
    slot.moved = moved;
    slot.copied = copied;
    slot.waiting = n;
    slot.agent->poll();
    const std::size_t taken = n - std::exchange(slot.waiting, 0);
    // A stage does not end in the middle of a push unless it failed: the last record it took is the one it failed at.
    if (taken > 0 && slot.agent->done()) [[unlikely]]
      return taken - 1;
    return taken;
  }
  /// Nothing is taken any more; the stage still has to come to its end.
  SPILLWAY_COLD std::size_t refuse_late() {
    if (slot_->agent != nullptr) {
      slot_->agent->poll();
    } else if (!slot_->closed.load(std::memory_order_relaxed)) {
      refuse();
    }
    return 0;
  }

  template <class U>
  std::size_t push_all(std::span<U> records) {
    idler idle(idle_strategy::backoff);
    std::size_t done = 0;
    while (done < records.size()) {
      const std::size_t taken = try_push(records.subspan(done));
      done += taken;
      if (ended()) break;
      idle(taken);
    }
    return done;
  }

  std::shared_ptr<detail::push_slot<T>> slot_;
};

}  // namespace spillway
