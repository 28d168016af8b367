// Leaves out the records for which the operator before it throws, and counts them.
//
// Runs in its stage's thread, fused. 1. The first one is told to the report hook; all are in the stage's counter "<operator> errors skipped".
//
//     auto good = collect(sw::source(sw::elements{"7", "x", "8"}) | sw::map([](const char* text) { return std::stoi(text); }) | sw::skip_errors());
//     assert((good == std::vector{7, 8}));
#pragma once

#include <string>

#include "spillway/operators/guarded.hpp"

namespace spillway {

struct skip_errors_guard : guard_base {
  using emits = tag_list<>;
  template <class Op, class S>
  static constexpr bool guards = true;
  template <class Op, class S>
  static constexpr void refuse() {}

  template <class In>
  class lowered {
   public:
    explicit lowered(const skip_errors_guard&) {}

    void open(stage_context& stage, std::string_view kind) {
      stage_ = &stage;
      skipped_ = &stage.add_counter(std::string(kind) + " errors skipped");
    }
    template <class Step, class Down, class... Key>
    SPILLWAY_INLINE void run(Step& step, Down& down, In&& record, timestamp t, const Key&... key) {
      detail::behind<Down> rest{down};
      try {
        detail::hand_to(step, rest, std::move(record), t, key...);
      } catch (const abi::__forced_unwind&) {
        throw;  // the thread is being cancelled
      } catch (const std::exception& e) {
        if (stage_->is_passing()) throw;
        skip(Step::kind, e.what());
      } catch (...) {
        if (stage_->is_passing()) throw;
        skip(Step::kind, "an exception that is not a std::exception");
      }
    }

   private:
    SPILLWAY_COLD void skip(std::string_view kind, std::string_view what) {
      if (skipped_->get() == 0) {
        stage_->report("spillway: stage '" + std::string(stage_->name()) + "', operator " + std::string(kind) +
                       " skips records that it cannot process; the first: " + std::string(what));
      }
      skipped_->add();
    }

    stage_context* stage_ = nullptr;
    counter* skipped_ = nullptr;
  };
};

/// `map(f) | skip_errors()`: records for which `f` throws are left out and counted.
constexpr skip_errors_guard skip_errors() { return {}; }

}  // namespace spillway
