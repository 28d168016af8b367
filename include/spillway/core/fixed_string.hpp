// A string of at most N characters held in place: a record member that needs no heap, and the name of a tag or stage as a
// template argument.
//
// A value type: share it between threads as you would an int.
// 1. Trivially copyable, so a record that holds one can go through every ring.
// 2. `size() <= N <= 255`. The characters behind `size()` are zero and the last byte is the room that is left, so equal strings have equal
//    bytes and a full one ends in zero: N + 1 bytes, and compilers print a name in full.
// 3. All members are public, because a template argument must be of a structural type; use the functions.
//
//     sw::fixed_string<15> sensor{"boiler"};
//     assert(sensor == "boiler" && sensor.size() == 6);
//     sensor = sw::fixed_string<15>::truncated("boiler_in_the_cellar");
//     assert(sensor == "boiler_in_the_c");
#pragma once

#include <compare>
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string_view>

namespace spillway {

template <std::size_t N>
struct fixed_string {
  static_assert(N <= 255, "spillway: a fixed_string holds at most 255 characters");

  char chars_[N + 1]{};

  constexpr fixed_string() noexcept { set_size(0); }

  /// Takes a literal; its length is checked when it is compiled.
  template <std::size_t M>
  constexpr fixed_string(const char (&literal)[M]) noexcept {
    static_assert(M - 1 <= N, "spillway: the literal is longer than the fixed_string");
    for (std::size_t i = 0; i + 1 < M; ++i) chars_[i] = literal[i];
    set_size(M - 1);
  }

  /// Throws std::length_error when `text` has more than N characters; `truncated` cuts instead.
  constexpr explicit fixed_string(std::string_view text) {
    if (text.size() > N) throw std::length_error("spillway: text does not fit its fixed_string");
    assign(text);
  }

  /// The first N characters of `text`.
  static constexpr fixed_string truncated(std::string_view text) noexcept {
    fixed_string result;
    result.assign(text.substr(0, N));
    return result;
  }

  constexpr std::string_view view() const noexcept { return {chars_, size()}; }
  constexpr operator std::string_view() const noexcept { return view(); }
  constexpr std::size_t size() const noexcept { return N - static_cast<unsigned char>(chars_[N]); }
  constexpr bool empty() const noexcept { return size() == 0; }
  static constexpr std::size_t capacity() noexcept { return N; }

  template <std::size_t M>
  friend constexpr bool operator==(const fixed_string& a, const fixed_string<M>& b) noexcept {
    return a.view() == b.view();
  }
  friend constexpr bool operator==(const fixed_string& a, std::string_view b) noexcept { return a.view() == b; }
  friend constexpr auto operator<=>(const fixed_string& a, const fixed_string& b) noexcept { return a.view() <=> b.view(); }
  friend std::ostream& operator<<(std::ostream& out, const fixed_string& s) { return out << s.view(); }

 private:
  constexpr void set_size(std::size_t size) noexcept { chars_[N] = static_cast<char>(static_cast<unsigned char>(N - size)); }
  constexpr void assign(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size(); ++i) chars_[i] = text[i];
    set_size(text.size());
  }
};

template <std::size_t M>
fixed_string(const char (&)[M]) -> fixed_string<M - 1>;

}  // namespace spillway
