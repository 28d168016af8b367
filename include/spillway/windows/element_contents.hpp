// The contents of a window that keeps all its records, and the call of the user's window function when it fires.
//
// Owned by one stage: one thread at a time. The other kind of contents of `keyed_window_step` is `aggregate_contents`.
// 1. A window function is a class with `main`, `emits` and `on_window(ctx, key, window, elements)`, without `key` where the stream has
//    none; `open()` and `close()` are called if it has them.
// 2. What it emits carries the window's last instant as its timestamp (Flink, WindowOperator#emitWindowContents).
//
//     struct spread {
//       using main = double;
//       using emits = sw::emits<>;
//       void on_window(auto& ctx, const sw::time_window&, auto elements) {
//         const auto [low, high] = std::minmax_element(
//             elements.begin(), elements.end(), [](const reading& a, const reading& b) { return a.celsius < b.celsius; });
//         ctx.emit(high->celsius - low->celsius);
//       }
//     };
//
//     auto spreads = collect(readings({20, 35, 30}) | sw::window(sw::tumbling(1s)) | sw::window_process(spread()));
//     assert(spreads.front() == 15);
#pragma once

#include <cstdint>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/operators/process.hpp"
#include "spillway/operators/stream.hpp"
#include "spillway/time/time_window.hpp"
#include "spillway/windows/window_elements.hpp"

namespace spillway {

template <class In, class Function>
class element_contents {
 public:
  using contents = element_list<In>;
  /// Records may have destructors.
  static constexpr bool discards_at_end = !std::is_trivially_destructible_v<In>;

  element_contents(Function function) : function_(std::move(function)) {}

  template <class Context>
  void open(Context& stage) {
    memory_ = &stage.memory();
    if constexpr (requires { function_.open(); }) function_.open();
  }
  void close() {
    if constexpr (requires { function_.close(); }) function_.close();
  }

  void add(contents& to, In&& record, timestamp t, std::uint64_t arrival) { to.append(*memory_, std::move(record), t, arrival); }
  void add(contents& to, const In& record, timestamp t, std::uint64_t arrival) { to.append(*memory_, In(record), t, arrival); }
  void merge(contents& into, contents& from) { into.merge(*memory_, from); }
  void discard(contents& gone) noexcept { gone.clear(*memory_); }

  /// Calls the window function.
  template <class Down, class Key>
  void deliver(Down& down, const Key& key, const time_window& window, timestamp t, timestamp watermark, contents& from) {
    detail::process_context<Down, typename Function::main, typename Function::emits::list, Key> context(down, t, watermark, &key);
    if constexpr (std::is_same_v<Key, no_key> && requires { function_.on_window(context, window, from.view()); }) {
      function_.on_window(context, window, from.view());
    } else {
      function_.on_window(context, key, window, from.view());
    }
  }

 private:
  [[no_unique_address]] Function function_;
  arena* memory_ = nullptr;
};

}  // namespace spillway
