// Calls the function of the operator before it again for a record for which it threw, up to n times; then the exception goes on.
//
// Runs in its stage's thread, fused, without a pause between the attempts.
// 1. It guards operators whose function is called once for each record and gives a value or nothing: map, filter, try_map and sink. Nothing was
//    emitted when such a function throws, so no record goes out twice.
// 2. Each attempt gets the record as it came: it must be copyable.
// 3. The attempts after the first are in the stage's counter "<operator> retries".
//
//     int calls = 0;
//     auto got = collect(sw::source(sw::elements{5})
//                        | sw::map([&](int n) { return ++calls < 3 ? throw std::runtime_error("busy") : n; }) | sw::retry(5));
//     assert(got.front() == 5 && calls == 3);
#pragma once

#include <stdexcept>
#include <string>

#include "spillway/operators/filter.hpp"
#include "spillway/operators/guarded.hpp"
#include "spillway/operators/map.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/operators/try_map.hpp"

namespace spillway {

namespace detail {
template <class Op>
inline constexpr bool is_called_once = false;
template <class F>
inline constexpr bool is_called_once<map_operator<F>> = true;
template <class F>
inline constexpr bool is_called_once<filter_operator<F>> = true;
template <class F, class Tag>
inline constexpr bool is_called_once<try_map_operator<F, Tag>> = true;
template <class F>
inline constexpr bool is_called_once<sink_operator<F>> = true;
}  // namespace detail

struct retry_guard : guard_base {
  int attempts = 0;

  using emits = tag_list<>;
  template <class Op, class S>
  static constexpr bool guards = detail::is_called_once<Op> && std::is_copy_constructible_v<typename S::record>;
  template <class Op, class S>
  static constexpr void refuse() {
    static_assert(detail::never<Op, S>,
                  "spillway: retry(n) stands right behind map, filter, try_map or sink, and needs copyable records");
  }

  template <class In>
  class lowered {
   public:
    explicit lowered(const retry_guard& guard) : attempts_(guard.attempts) {}

    void open(stage_context& stage, std::string_view kind) {
      stage_ = &stage;
      retries_ = &stage.add_counter(std::string(kind) + " retries");
    }
    template <class Step, class Down, class... Key>
    SPILLWAY_INLINE void run(Step& step, Down& down, In&& record, timestamp t, const Key&... key) {
      detail::behind<Down> rest{down};
      for (int left = attempts_;; --left) {
        try {
          In work(std::as_const(record));
          detail::hand_to(step, rest, std::move(work), t, key...);
          return;
        } catch (const abi::__forced_unwind&) {
          throw;  // the thread is being cancelled
        } catch (...) {
          if (left == 0 || stage_->is_passing()) throw;
          retries_->add();
        }
      }
    }

   private:
    int attempts_;
    stage_context* stage_ = nullptr;
    counter* retries_ = nullptr;
  };
};

/// `map(f) | retry(n)`: up to n more attempts. Throws std::invalid_argument when n is negative.
constexpr retry_guard retry(int n) {
  if (n < 0) throw std::invalid_argument("spillway: retry(n): n is the number of further attempts, at least 0");
  return {{}, n};
}

}  // namespace spillway
