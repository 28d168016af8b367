#include "spillway/core/atomic_record.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace {

using spillway::atomic_record;

template <std::size_t Bytes>
void expect_same_bytes_back() {
  using record = std::array<unsigned char, Bytes>;
  static_assert(sizeof(atomic_record<record>) == (Bytes + 7) / 8 * 8);
  record in;
  for (std::size_t i = 0; i < Bytes; ++i) in[i] = static_cast<unsigned char>(i * 37 + 1);
  atomic_record<record> cell;
  cell.store(in);
  struct {
    record out;
    std::array<unsigned char, 16> behind;
  } room;
  room.behind.fill(0xee);
  cell.load(room.out);
  EXPECT_EQ(room.out, in);
  for (const unsigned char byte : room.behind) EXPECT_EQ(byte, 0xee) << "a load writes no byte behind the record";
}

TEST(atomic_record, gives_back_every_byte_of_every_size_and_no_more) {
  expect_same_bytes_back<1>();
  expect_same_bytes_back<3>();
  expect_same_bytes_back<7>();
  expect_same_bytes_back<8>();
  expect_same_bytes_back<9>();
  expect_same_bytes_back<12>();
  expect_same_bytes_back<64>();
  expect_same_bytes_back<200>();
}

TEST(atomic_record, starts_as_zeros) {
  const atomic_record<std::uint64_t> cell;
  std::uint64_t record = 1;
  cell.load(record);
  EXPECT_EQ(record, 0u);
}

}  // namespace
