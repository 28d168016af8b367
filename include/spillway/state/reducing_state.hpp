// One value per key that every added value is combined into by a function of two.
//
// Part of a key's entry; one thread at a time.
// 1. The first value is taken as it is; then the value becomes f(value, added).
// 2. The function is a constant of namespace scope, given by its name: a constexpr lambda, or `fn<f>` for a function f.
// 3. Expiry is that of value_state; an expired value is as if none had been added.
//
//     inline constexpr auto larger = [](double a, double b) { return a > b ? a : b; };
//
//     reducing_state<double, larger> highest;
//     highest.add(70.0);
//     assert(highest.add(65.0) == 70.0);
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/state/time_to_live.hpp"
#include "spillway/state/value_state.hpp"

namespace spillway {

template <class T, const auto& Function, time_to_live Ttl = no_expiry>
class reducing_state {
  static constexpr bool forever = !Ttl.ends();
  static_assert(std::is_invocable_r_v<T, decltype(Function), const T&, const T&>,
                "spillway: a reducing_state needs a function of two values that returns one: T(const T&, const T&)");

 public:
  using value_type = T;

  /// Combines `added` with the value; returns the new one.
  SPILLWAY_INLINE const T& add(const state_access& access, const T& added) {
    if (T* value = value_.modify(access)) return *value = std::invoke(Function, std::as_const(*value), added);
    return value_.set(access, added);
  }
  SPILLWAY_INLINE const T& add(const T& added)
    requires forever
  {
    if (T* value = value_.modify()) return *value = std::invoke(Function, std::as_const(*value), added);
    return value_.set(added);
  }

  /// The value, or null.
  SPILLWAY_INLINE const T* get(const state_access& access) { return value_.get(access); }
  SPILLWAY_INLINE const T* get() const noexcept
    requires forever
  {
    return value_.get();
  }

  void clear(const state_access& access) noexcept { value_.clear(access); }
  void clear() noexcept { value_.clear(); }
  /// Destroys an expired value; false if a live one stays.
  bool sweep(const state_access& access) { return value_.sweep(access); }
  /// Calls f(value, end of its life) if a value is stored, expired or not.
  template <class F>
  void visit(F&& f) const {
    value_.visit(std::forward<F>(f));
  }

 private:
  value_state<T, Ttl> value_;
};

}  // namespace spillway
