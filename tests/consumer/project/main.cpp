#include <iostream>

#include "spillway/core/fixed_string.hpp"
#include "spillway/time/timestamp.hpp"

int main() {
  using spillway::timestamp;
  const spillway::fixed_string<16> sensor{"sensor_1"};
  std::cout << sensor << " " << timestamp{5} + spillway::nanoseconds{7} << "\n";
  return sensor == "sensor_1" && timestamp::maximum() + spillway::nanoseconds{1} == timestamp::maximum() ? 0 : 1;
}
