// What the tests of whole pipelines share: sources that can be held back, an operator that writes down records and watermarks, and the
// threads of this process by name.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "spillway/spillway.hpp"

namespace pipeline_test {

namespace sw = spillway;

/// Numbers from 0 to n - 1.
inline auto count_to(int n) {
  return sw::source([i = 0, n]() mutable { return i < n ? std::optional(i++) : std::nullopt; });
}

/// Numbers without end, until the pipeline is stopped.
inline auto count_for_ever() {
  return sw::source([i = 0]() mutable { return std::optional(i++); });
}

/// Gives one record, then nothing until `open` is set, then `more` records.
class gated_source {
 public:
  using record = int;
  gated_source(std::atomic<bool>& open, int more) : open_(&open), more_(more) {}

  template <class Out>
  sw::source_status poll(Out& out, std::size_t limit) {
    if (next_ == 0) out.emit(next_++);
    if (!open_->load()) return sw::source_status::idle;
    for (std::size_t n = 0; n < limit && !out.full(); ++n) {
      if (next_ > more_) return sw::source_status::ended;
      out.emit(next_++);
    }
    return sw::source_status::active;
  }

 private:
  std::atomic<bool>* open_;
  int more_;
  int next_ = 0;
};

inline std::string show(int n) { return std::to_string(n); }

/// What came to one place of a pipeline, in order.
struct trace {
  std::vector<std::string> lines;
  std::string text() const {
    std::string all;
    for (const std::string& l : lines) all += (all.empty() ? "" : " ") + l;
    return all;
  }
};

/// Ends a chain and writes down each record with its timestamp, and each watermark but the last; shows records by `show`.
template <class In>
struct watch_step {
  static constexpr std::string_view kind = "watch";
  trace* to;
  template <class Down>
  void on_record(Down&, In&& record, sw::timestamp t) {
    to->lines.push_back(show(record) + (t == sw::no_timestamp ? "" : "@" + std::to_string(t.ns)));
  }
  template <class Down>
  void on_watermark(Down& down, sw::timestamp w) {
    if (w != sw::timestamp::maximum()) to->lines.push_back("w" + std::to_string(w.ns));
    down.watermark(w);
  }
};
struct watch_operator : sw::operator_base {
  trace* to;
  using emits = sw::tag_list<>;
  template <class S>
  static constexpr bool accepts = true;
  template <class S>
  static constexpr void refuse() {}
  template <class S>
  using output = sw::stream<sw::no_record>;
  template <class S>
  watch_step<typename S::record> lower() && {
    return {to};
  }
};
inline watch_operator watch(trace& to) { return {{}, &to}; }

/// Waits until `done()` or for ten seconds.
template <class F>
bool eventually(F&& done) {
  for (int i = 0; i < 10'000; ++i) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// Names of the threads of this process. ThreadSanitizer starts one of its own beside the first that the program starts, so that happens here
/// before anything is counted. The kernel wakes whoever joins a thread a little before it takes that thread off its list.
inline std::vector<std::string> thread_names() {
  [[maybe_unused]] static const bool started = [] {
    pid_t id = 0;
    std::thread([&] { id = gettid(); }).join();
    return eventually([&] { return !std::filesystem::exists("/proc/self/task/" + std::to_string(id)); });
  }();
  std::vector<std::string> names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(task.path() / "comm");
    std::string name;
    if (std::getline(comm, name)) names.push_back(name);
  }
  return names;
}
/// Whether this process comes to have `n` threads: one that was joined may be listed a moment longer.
inline bool threads_settle_at(std::size_t n) {
  return eventually([&] { return thread_names().size() == n; });
}
inline std::size_t threads_named(std::string_view name) {
  std::size_t n = 0;
  for (const std::string& each : thread_names()) n += each == name ? 1u : 0u;
  return n;
}

}  // namespace pipeline_test
