#include "spillway/demo/demo_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace spillway::tool {

namespace {
constexpr std::int64_t steps = 20'000;
constexpr std::int64_t step_ms = 1;
constexpr std::int64_t begin_ms = 1'700'000'000'000;
constexpr std::array sensors = {"boiler", "intake", "outlet"};
}  // namespace

std::uint32_t demo_source::random() noexcept {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  return static_cast<std::uint32_t>(state_ >> 33);
}

void demo_source::make_line() {
  const std::size_t sensor = random() % sensors.size();
  const std::uint32_t dice = random() % 1000;
  // Most records are up to 40 ms out of order, some are seconds behind, and a few cannot be read.
  const std::int64_t behind = dice < 8 ? 1500 + random() % 1000 : random() % 40;
  const std::int64_t at = begin_ms + step_ * step_ms - behind;
  const double celsius = 40.0 + 15.0 * static_cast<double>(sensor) + 0.01 * static_cast<double>(random() % 500);
  if (dice == 999) {
    fmt::format_to(std::back_inserter(pending_), "{},{},n/a\n", at, sensors[sensor]);
  } else if (dice == 998) {
    fmt::format_to(std::back_inserter(pending_), "{},{}\n", at, sensors[sensor]);
  } else {
    fmt::format_to(std::back_inserter(pending_), "{},{},{:.2f}\n", at, sensors[sensor], celsius);
  }
  ++step_;
}

read_result demo_source::try_read(std::span<char> into) {
  while (pending_.size() < into.size() && step_ < steps) make_line();
  const std::size_t n = std::min(into.size(), pending_.size());
  pending_.copy(into.data(), n);
  pending_.erase(0, n);
  return {n, n == 0};
}

}  // namespace spillway::tool
