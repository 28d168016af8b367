// How an operator asks the whole pipeline to stop, with a reason, and how one says something to the report hook.
//
// `request` may be called from any thread, the first wins; the reason may be read from any thread.
// 1. A stop that is asked for ends the sources: what they gave so far is processed to the end, as after `pipeline::stop`.
//
//     stop_signal signal([] { /* ends the sources */ });
//     assert(signal.request("orders", "daily limit reached") && !signal.request("quotes", "too late"));
//     assert(signal.reason()->stage == "orders" && signal.reason()->text == "daily limit reached");
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace spillway {

/// Where warnings go; called from the thread that met the cause. The library prints nothing itself.
using report_hook = std::function<void(std::string_view)>;

/// Who asked the pipeline to stop, and why.
struct stop_reason {
  std::string stage;
  std::string text;
};

class stop_signal {
 public:
  /// `stop_all` ends the sources; it is called once, from the thread that asks.
  explicit stop_signal(std::function<void()> stop_all) : stop_all_(std::move(stop_all)) {}

  /// False when somebody else was first. Throws std::bad_alloc.
  bool request(std::string_view stage, std::string_view text) {
    {
      const std::lock_guard lock(mutex_);
      if (reason_) return false;
      reason_.emplace(stop_reason{std::string(stage), std::string(text)});
    }
    stop_all_();
    return true;
  }
  std::optional<stop_reason> reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
  }

 private:
  std::function<void()> stop_all_;
  mutable std::mutex mutex_;
  std::optional<stop_reason> reason_;
};

}  // namespace spillway
