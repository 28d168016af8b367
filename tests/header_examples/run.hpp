// Calls the examples one after the other and says which one failed: an assertion ends the program, so its header is named from the signal.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>

#include <unistd.h>

namespace header_examples {

struct entry {
  const char* header;
  void (*example)();
};

inline const char* volatile running = "";

extern "C" inline void say_which(int) {
  for (const char* part : {"the example of ", static_cast<const char*>(running), " failed\n"}) {
    const char* end = part;
    while (*end != '\0') ++end;
    if (::write(STDERR_FILENO, part, static_cast<std::size_t>(end - part)) < 0) break;
  }
}

/// The number of examples that threw, 1 at most.
inline int run_all(std::initializer_list<entry> entries) {
  std::signal(SIGABRT, say_which);
  int failed = 0;
  for (const entry& e : entries) {
    running = e.header;
    try {
      e.example();
    } catch (const std::exception& thrown) {
      std::fprintf(stderr, "the example of %s threw: %s\n", e.header, thrown.what());
      failed = 1;
    }
  }
  std::printf("%zu examples\n", entries.size());
  return failed;
}

}  // namespace header_examples
