// One value per key, or none: the plainest kind of keyed state.
//
// Part of a key's entry; one thread at a time.
// 1. An expired value is never shown: it counts as not there, and is destroyed by the first call that meets it or by `sweep`.
// 2. `get` reads. `set`, `modify` and `get_or_set` write, so they refresh the time-to-live, whatever is done with the reference.
// 3. Without a time-to-live every function also comes without `access`, and costs what an std::optional member costs.
// 4. The value lies in place. It takes memory only if T itself does.
//
//     value_state<double> last;
//     assert(last.get() == nullptr);
//     last.set(70.0);
//     *last.modify() += 1;
//     assert(*last.get() == 71.0);
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "spillway/core/config.hpp"
#include "spillway/state/time_to_live.hpp"

namespace spillway {

template <class T, time_to_live Ttl = no_expiry>
class value_state {
  static constexpr bool forever = !Ttl.ends();

 public:
  using value_type = T;

  /// The value, or null. Valid until the next call that writes.
  SPILLWAY_INLINE const T* get(const state_access& access) {
    if (!is_live(access)) return nullptr;
    life_.read(access);
    return &*value_;
  }
  SPILLWAY_INLINE const T* get() const noexcept
    requires forever
  {
    return value_ ? &*value_ : nullptr;
  }

  /// The value to change in place, or null.
  SPILLWAY_INLINE T* modify(const state_access& access) {
    if (!is_live(access)) return nullptr;
    life_.written(access);
    return &*value_;
  }
  SPILLWAY_INLINE T* modify() noexcept
    requires forever
  {
    return value_ ? &*value_ : nullptr;
  }

  template <class V = T>
  SPILLWAY_INLINE T& set(const state_access& access, V&& value) {
    value_ = std::forward<V>(value);
    life_.written(access);
    return *value_;
  }
  template <class V = T>
  SPILLWAY_INLINE T& set(V&& value)
    requires forever
  {
    value_ = std::forward<V>(value);
    return *value_;
  }

  /// The value to change in place; it is `initial` if there was none.
  template <class V = T>
  SPILLWAY_INLINE T& get_or_set(const state_access& access, V&& initial) {
    if (!is_live(access)) value_.emplace(std::forward<V>(initial));
    life_.written(access);
    return *value_;
  }
  template <class V = T>
  SPILLWAY_INLINE T& get_or_set(V&& initial)
    requires forever
  {
    if (!value_) value_.emplace(std::forward<V>(initial));
    return *value_;
  }

  /// The value, or `otherwise`.
  T value_or(const state_access& access, T otherwise) {
    const T* found = get(access);
    return found != nullptr ? *found : std::move(otherwise);
  }
  T value_or(T otherwise) const
    requires forever
  {
    return value_ ? *value_ : std::move(otherwise);
  }

  void clear(const state_access&) noexcept { value_.reset(); }
  void clear() noexcept { value_.reset(); }

  /// Destroys an expired value; false if a live one stays.
  bool sweep(const state_access& access) { return !is_live(access); }

  /// Calls f(value, end of its life) if a value is stored, expired or not.
  template <class F>
  void visit(F&& f) const {
    if (value_) f(*value_, life_.end());
  }

 private:
  SPILLWAY_INLINE bool is_live(const state_access& access) {
    if (!value_) return false;
    if (!life_.is_over(access)) [[likely]]
      return true;
    value_.reset();
    return false;
  }

  std::optional<T> value_;
  [[no_unique_address]] detail::lifetime<Ttl> life_;
};

}  // namespace spillway
