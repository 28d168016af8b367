// How a keyed table keeps a key: as it is, or, for text of variable length, as the table's own copy of the characters.
//
// 1. A trivially copyable key is stored as it is.
// 2. Text keys (text_ref, std::string_view, std::string) are copied when they are stored: up to `stored_text::inline_bytes` characters in
//    place, longer ones in arena memory that `drop` gives back. A look-up takes a view and copies nothing.
//
//     using traits = stored_key<text_ref>;
//     arena memory;
//     traits::type kept_key = traits::store(memory, "boiler");
//     assert(traits::equal(kept_key, "boiler"));
//     traits::drop(memory, kept_key);
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"
#include "spillway/core/text_ref.hpp"

namespace spillway {

/// The characters of a text key, in place or behind a pointer. Trivially copyable; whoever stores it drops it once.
class stored_text {
 public:
  static constexpr std::size_t inline_bytes = 20;

  static stored_text copy_of(arena& memory, std::string_view text) {
    stored_text kept;
    kept.size_ = static_cast<std::uint32_t>(text.size());
    char* to = kept.chars_;
    if (text.size() > inline_bytes) {
      to = static_cast<char*>(memory.allocate(text.size(), 1));
      std::memcpy(kept.chars_, &to, sizeof(to));
    }
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    return kept;
  }

  void drop(arena& memory) noexcept {
    if (size_ > inline_bytes) memory.deallocate(far(), size_, 1);
  }

  SPILLWAY_INLINE std::string_view view() const noexcept { return {size_ > inline_bytes ? far() : chars_, size_}; }

 private:
  char* far() const noexcept {
    char* pointer;
    std::memcpy(&pointer, chars_, sizeof(pointer));
    return pointer;
  }

  std::uint32_t size_ = 0;
  char chars_[inline_bytes] = {};
};

template <class Key>
struct stored_key {
  static_assert(std::is_trivially_copy_constructible_v<Key> && std::is_trivially_destructible_v<Key>,
                "spillway: a key is trivially copyable or text (text_ref, std::string_view, std::string)");

  using type = Key;
  // By value, so that a key in a register is not written to memory for the out-of-line part of a look-up.
  using view = std::conditional_t<(sizeof(Key) <= 2 * sizeof(void*)), Key, const Key&>;
  static constexpr bool owns_memory = false;

  static const Key& store(arena&, const Key& key) noexcept { return key; }
  SPILLWAY_INLINE static bool equal(const Key& kept, view key) noexcept { return kept == key; }
  SPILLWAY_INLINE static const Key& get(const Key& kept) noexcept { return kept; }
  static void drop(arena&, Key&) noexcept {}
};

/// `View` is what `keyed_table::key` returns.
template <class View>
struct stored_text_key {
  using type = stored_text;
  using view = std::string_view;
  static constexpr bool owns_memory = true;

  static stored_text store(arena& memory, std::string_view key) { return stored_text::copy_of(memory, key); }
  SPILLWAY_INLINE static bool equal(const stored_text& kept, std::string_view key) noexcept { return kept.view() == key; }
  SPILLWAY_INLINE static View get(const stored_text& kept) noexcept { return View{kept.view()}; }
  static void drop(arena& memory, stored_text& kept) noexcept { kept.drop(memory); }
};

template <>
struct stored_key<text_ref> : stored_text_key<text_ref> {};
template <>
struct stored_key<std::string_view> : stored_text_key<std::string_view> {};
template <>
struct stored_key<std::string> : stored_text_key<std::string_view> {};

}  // namespace spillway
