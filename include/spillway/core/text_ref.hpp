// A trivially copyable handle to text that somebody else owns: the raw line of a record, or a key of variable length.
//
// 1. The text stays valid while the record that carries the handle is in the hands of an operator: in a fused chain until the
//    call returns, behind an edge until its ring slot is released. Copy the text to keep it longer.
// 2. A record type says which handle it carries by a function `text_ref& text_of(T&)` that argument-dependent lookup finds. Edges use it to
//    take the text along (byte-frame ring) wherever the source's own memory does not outlive the hand-over.
//
//     struct raw_line {
//       sw::text_ref text;
//       std::uint64_t number;
//     };
//     inline sw::text_ref& text_of(raw_line& l) { return l.text; }
//
//     static_assert(sw::text_record<raw_line>);
//     const raw_line line{std::string_view("boiler,?"), 3};
//     assert(line.text.view() == "boiler,?");
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>

namespace spillway {

class text_ref {
 public:
  constexpr text_ref() noexcept = default;
  constexpr text_ref(std::string_view text) noexcept : data_(text.data()), size_(text.size()) {}

  constexpr std::string_view view() const noexcept { return {data_, size_}; }
  constexpr operator std::string_view() const noexcept { return view(); }
  constexpr const char* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }

  friend constexpr bool operator==(text_ref a, text_ref b) noexcept { return a.view() == b.view(); }
  friend std::ostream& operator<<(std::ostream& out, text_ref t) { return out << t.view(); }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A record that carries text of variable length.
template <class T>
concept text_record = requires(T& record) {
  { text_of(record) } -> std::same_as<text_ref&>;
};

/// A bare handle is a record that carries text, too.
constexpr text_ref& text_of(text_ref& text) noexcept { return text; }

}  // namespace spillway
