// A source of given records, for tests and examples, with pacing and cancel.
//
// Polled by its stage's thread; `cancel` may be called from any thread.
// 1. Records come in the order given, then the source ends. 2. With `every(d)` record k is not sent before k * d after the first poll, by
// the steady clock. 3. After `cancel` the source ends at its next poll.
//
//     auto numbers = sw::source(sw::elements{1, 2, 3}.every(1ms));
//     assert((collect(std::move(numbers)) == std::vector{1, 2, 3}));
#pragma once

#include <atomic>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <vector>

#include "spillway/operators/source.hpp"

namespace spillway {

/// Ends the `elements` it was taken from, from any thread.
class element_canceller {
 public:
  void cancel() const noexcept {
    // Release pairs with the acquire load in elements::poll: what the canceller wrote before is seen by what runs after the end.
    flag_->store(true, std::memory_order_release);
  }

 private:
  template <class>
  friend class elements;
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

template <class Record>
class elements {
 public:
  using record = Record;

  elements(std::initializer_list<Record> records) : records_(records) {}
  explicit elements(std::vector<Record> records) : records_(std::move(records)) {}

  /// Sends one record each `period`.
  elements&& every(std::chrono::nanoseconds period) && {
    period_ = period;
    return std::move(*this);
  }

  /// A handle that ends this source.
  element_canceller canceller() const { return canceller_; }

  template <class Out>
  source_status poll(Out& out, std::size_t limit) {
    for (std::size_t n = 0; n < limit && !out.full(); ++n) {
      if (next_ == records_.size() || canceller_.flag_->load(std::memory_order_acquire)) return source_status::ended;
      if (!due()) return source_status::idle;
      out.emit(Record(std::move(records_[next_++])));
    }
    return source_status::active;
  }

 private:
  bool due() {
    if (period_ == period_.zero()) return true;
    const auto now = std::chrono::steady_clock::now();
    if (next_ == 0) first_ = now;
    return now >= first_ + period_ * static_cast<std::int64_t>(next_);
  }

  std::vector<Record> records_;
  std::size_t next_ = 0;
  std::chrono::nanoseconds period_{};
  std::chrono::steady_clock::time_point first_{};
  element_canceller canceller_;
};

}  // namespace spillway
