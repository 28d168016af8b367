// Built-in telemetry as CSV: three sensors, twenty seconds of event time, with disorder, late and malformed records.
//
// One thread.
// 1. The bytes are the same on every machine and in every run.
//
//     demo_source source;  reader.open(source);
#pragma once

#include <cstdint>
#include <string>

#include "spillway/connectors/byte_source.hpp"

namespace spillway::tool {

class demo_source final : public byte_source {
 public:
  read_result try_read(std::span<char> into) override;

 private:
  void make_line();
  std::uint32_t random() noexcept;

  std::string pending_ = "at_ms,sensor,celsius\n";
  std::uint64_t state_ = 0x5eed;
  std::int64_t step_ = 0;
};

}  // namespace spillway::tool
