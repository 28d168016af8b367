// The end of a stage whose records the application takes in its own thread, a few at a time.
//
// The outlet and all its verbs belong to the one thread that polls the stage; it may be made by another.
// 1. The stage is placed `host_polled`, so an edge with a ring and a policy of the application's choice lies before it: a slow application
//    holds up, spills or loses what that policy says.
// 2. `poll` runs one duty cycle and hands its records to the function. Beyond the limit they are kept, and handed over by the next polls before
//    another cycle is run: at most what one cycle gives is kept, however the stage is polled.
// 3. What the function throws comes out of `poll`; its record counts as handed over, and the pipeline goes on. What an operator throws does
//    not: it ends the pipeline and comes out of `join`.
// 4. `done` is true when the stage has ended and everything was handed over.
//
//     sw::outlet<int> fills;
//     auto match = sw::stage<"match">(sw::any_cpu{}, sw::source(sw::elements{1, 2, 3}));
//     auto out = sw::stage<"fills">(sw::host_polled{}, sw::from(match, {.capacity = 4096}) | fills.sink());
//     sw::pipeline p(std::move(match), std::move(out));
//     p.start();
//     int sum = 0;
//     while (!fills.done()) fills.poll([&](int n) { sum += n; }, 100);      // and draw a frame, in the application's own loop
//     p.join();
//     assert(sum == 6);
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "spillway/operators/sink.hpp"
#include "spillway/runtime/polled_agent.hpp"
#include "spillway/runtime/stage_link.hpp"

namespace spillway {

namespace detail {

template <class T>
class outlet_state final : public stage_link {
 public:
  struct kept_record {
    T record;
    timestamp at;
  };

  polled_agent* agent = nullptr;
  bool given = false;  // to a stage
  bool begun = false;  // its pipeline was started

  void polled_by(polled_agent* a) noexcept override {
    agent = a;
    begun = true;
  }
  bool ready() const noexcept override { return hand_ != nullptr || left() == 0; }
  std::size_t left() const noexcept { return kept_.size() - next_; }
  std::uint64_t growth_events() const noexcept { return growth_; }

  SPILLWAY_INLINE void take(T&& record, timestamp t) {
    if (budget_ == 0) [[unlikely]]
      return keep(std::move(record), t);
    --budget_;
    try {
      hand_(target_, std::move(record), t);
    } catch (...) {
      thrown_ = std::current_exception();
      budget_ = 0;
    }
  }

  template <class F>
  std::size_t poll(F& f, std::size_t limit) {
    std::size_t given_over = 0;
    while (given_over < limit && left() > 0) {
      kept_record r = std::move(kept_[next_++]);
      ++given_over;
      if (left() == 0) forget();
      give(f, std::move(r.record), r.at);
    }
    if (given_over < limit && agent != nullptr) given_over += run_cycle(f, limit - given_over);
    return given_over;
  }

 private:
  template <class F>
  static void give(F& f, T&& record, timestamp t) {
    if constexpr (std::invocable<F&, T&&, timestamp>) {
      std::invoke(f, std::move(record), t);
    } else {
      call(f, record);
    }
  }

  template <class F>
  std::size_t run_cycle(F& f, std::size_t limit) {
    struct until_exit {
      outlet_state& self;
      ~until_exit() {
        self.hand_ = nullptr;
        self.budget_ = 0;
      }
    } const guard{*this};
    target_ = const_cast<void*>(static_cast<const void*>(std::addressof(f)));
    hand_ = [](void* target, T&& record, timestamp t) { give(*static_cast<F*>(target), std::move(record), t); };
    budget_ = limit;
    agent->poll();
    if (thrown_) [[unlikely]]
      std::rethrow_exception(std::exchange(thrown_, nullptr));
    return limit - budget_;
  }

  SPILLWAY_NOINLINE void keep(T&& record, timestamp t) {
    if (kept_.size() == kept_.capacity()) ++growth_;
    kept_.push_back({std::move(record), t});
  }
  void forget() noexcept {
    kept_.clear();
    next_ = 0;
  }

  void* target_ = nullptr;  // the function of the poll that is going on
  void (*hand_)(void*, T&&, timestamp) = nullptr;
  std::size_t budget_ = 0;  // records it still takes
  std::exception_ptr thrown_;
  std::vector<kept_record> kept_;
  std::size_t next_ = 0;  // of them
  std::uint64_t growth_ = 0;
};

/// Moved with its stage, never copied: one outlet ends one stage.
template <class T>
class outlet_end {
 public:
  explicit outlet_end(std::shared_ptr<outlet_state<T>> state) : state_(std::move(state)) {}
  outlet_end(outlet_end&&) noexcept = default;
  outlet_end& operator=(outlet_end&&) noexcept = default;

  void open() {
    if (state_->agent != nullptr) return;
    throw std::logic_error(
        "spillway: an outlet ends a stage of its own: place that stage host_polled{}, end it with the outlet's sink, and start() the "
        "pipeline instead of running it");
  }
  SPILLWAY_INLINE void operator()(T&& record, timestamp t) { state_->take(std::move(record), t); }

  std::shared_ptr<stage_link> link() const { return state_; }

 private:
  std::shared_ptr<outlet_state<T>> state_;
};

}  // namespace detail

template <class T>
class outlet {
  static_assert(std::is_move_constructible_v<T> && !std::is_const_v<T>, "spillway: an outlet's records must be movable");

 public:
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  outlet() : state_(std::make_shared<detail::outlet_state<T>>()) {}
  outlet(const outlet&) = delete;
  outlet& operator=(const outlet&) = delete;

  /// The sink of the stage. Throws std::logic_error the second time.
  auto sink() {
    if (std::exchange(state_->given, true)) throw std::logic_error("spillway: an outlet is the sink of one stage only");
    return spillway::sink(detail::outlet_end<T>(state_));
  }

  /// Hands up to `limit` records to `f(record)` or `f(record, timestamp)`; returns how many. Runs at most one duty cycle.
  /// Throws what `f` throws, and std::logic_error in a forked child.
  template <class F>
  std::size_t poll(F&& f, std::size_t limit = no_limit) {
    static_assert(detail::takes_record_and_time<F, T> || detail::takes_record<F, T>,
                  "spillway: an outlet's poll needs a function that takes the record, or the record and its timestamp");
    if constexpr (detail::takes_record_and_time<F, T> || detail::takes_record<F, T>) {
      return state_->poll(f, limit);
    } else {
      return 0;
    }
  }

  /// The stage has ended, or its pipeline is gone, and nothing is left to hand over.
  bool done() const noexcept {
    return state_->given && left() == 0 && (state_->agent == nullptr ? state_->begun : state_->agent->done());
  }
  /// Records taken from the edge and not yet handed over.
  std::size_t left() const noexcept { return state_->left(); }
  /// How often the memory for such records had to grow.
  std::uint64_t growth_events() const noexcept { return state_->growth_events(); }

 private:
  std::shared_ptr<detail::outlet_state<T>> state_;
};

}  // namespace spillway
