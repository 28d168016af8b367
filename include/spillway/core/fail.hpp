// The one way out for code that must also build without exceptions.
//
// Usable from any thread; holds no state.
// 1. With exceptions: throws. Without: ends the program by std::terminate, so a refused set-up never goes on half made.
// 2. Never on a path that a record takes.
//
//     inline std::size_t checked(std::size_t slots) {
//       if (slots > 1024) throw_or_terminate<std::length_error>("spillway: the ring is too large; ask for fewer slots");
//       return slots;
//     }
//
//     assert(checked(64) == 64);
#pragma once

#include <exception>

#include "spillway/core/config.hpp"

namespace spillway {

/// Throws `Exception(text)`. `text` says what went wrong, where, and what to do.
template <class Exception, class Text>
[[noreturn]] SPILLWAY_COLD void throw_or_terminate([[maybe_unused]] const Text& text) {
#if defined(__cpp_exceptions)
  throw Exception(text);
#else
  std::terminate();
#endif
}

}  // namespace spillway
