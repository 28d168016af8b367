// Sends the records for which the operator before it throws to a side output, with the reason; the pipeline goes on.
//
// Runs in its stage's thread, fused.
// 1. The record goes out as it came in, with its timestamp: the operator works on a copy, which costs nothing for small trivially copyable records.
// 2. The tag's record is `failed_record<record>`, or what a function (const record&, std::string_view reason) makes of it.
//
//     std::vector<std::string> reasons;
//     auto good = collect(sw::source(sw::elements{2, 0})
//                         | sw::map([](int n) { return n != 0 ? 100 / n : throw std::domain_error("division by zero"); })
//                         | sw::on_error(failed)
//                         | sw::on(failed, sw::sink([&](const sw::failed_record<int>& f) { reasons.emplace_back(f.reason.view()); })));
//     assert(good.size() == 1 && reasons.front() == "division by zero");
#pragma once

#include <string>

#include "spillway/core/fixed_string.hpp"
#include "spillway/operators/guarded.hpp"

namespace spillway {

/// A record and why an operator threw it out. The reason is cut at 120 bytes.
template <class T>
struct failed_record {
  T record;
  fixed_string<120> reason;
};

namespace detail {
struct make_failed_record {
  template <class In>
  failed_record<In> operator()(const In& record, std::string_view reason) const {
    return {record, fixed_string<120>(reason.substr(0, 120))};
  }
};
}  // namespace detail

template <class Tag, class Make>
struct on_error_guard : guard_base {
  [[no_unique_address]] Make make;

  using emits = tag_list<Tag>;

  template <class In>
  static constexpr bool makes = [] {
    if constexpr (std::is_copy_constructible_v<In> && std::is_invocable_v<Make&, const In&, std::string_view>) {
      return std::is_constructible_v<typename Tag::record, std::invoke_result_t<Make&, const In&, std::string_view>>;
    } else {
      return false;
    }
  }();
  template <class Op, class S>
  static constexpr bool guards = std::is_copy_constructible_v<typename S::record> && makes<typename S::record>;
  template <class Op, class S>
  static constexpr void refuse() {
    if constexpr (!std::is_copy_constructible_v<typename S::record>) {
      static_assert(detail::never<Op, S>, "spillway: on_error hands on the record as it came, so it must be copyable");
    } else {
      static_assert(
          detail::never<Op, S>,
          "spillway: on_error needs a tag of failed_record<record>, or a function (const record&, std::string_view reason) that makes the tag's record");
    }
  }

  template <class In>
  class lowered {
   public:
    explicit lowered(on_error_guard&& guard) : make_(std::move(guard.make)) {}

    void open(stage_context& stage, std::string_view) { stage_ = &stage; }
    template <class Step, class Down, class... Key>
    SPILLWAY_INLINE void run(Step& step, Down& down, In&& record, timestamp t, const Key&... key) {
      detail::behind<Down> rest{down};
      try {
        In work(std::as_const(record));
        detail::hand_to(step, rest, std::move(work), t, key...);
      } catch (const abi::__forced_unwind&) {
        throw;  // the thread is being cancelled
      } catch (const std::exception& e) {
        if (stage_->is_passing()) throw;
        give(down, record, e.what(), t);
      } catch (...) {
        if (stage_->is_passing()) throw;
        give(down, record, "an exception that is not a std::exception", t);
      }
    }

   private:
    template <class Down>
    SPILLWAY_COLD void give(Down& down, const In& record, std::string_view what, timestamp t) {
      down.output(Tag{}, typename Tag::record(std::invoke(make_, record, what)), t);
    }

    stage_context* stage_ = nullptr;
    [[no_unique_address]] Make make_;
  };
};

/// `map(f) | on_error(tag)`, where the tag carries failed_record<record>.
template <any_output_tag Tag>
constexpr on_error_guard<std::remove_cvref_t<Tag>, detail::make_failed_record> on_error(const Tag&) {
  return {};
}
/// `map(f) | on_error(tag, make)`: `make(const record&, std::string_view reason)` gives what the tag carries.
template <any_output_tag Tag, class Make>
constexpr on_error_guard<std::remove_cvref_t<Tag>, Make> on_error(const Tag&, Make make) {
  return {{}, std::move(make)};
}

}  // namespace spillway
