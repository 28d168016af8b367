#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spillway/core/fixed_string.hpp"
#include "spillway/core/hash.hpp"
#include "spillway/core/text_ref.hpp"

namespace hashed_elsewhere {
struct route {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};
std::uint64_t hash_value(const route& r) { return spillway::hash_all(r.from, r.to); }
struct poor {
  std::uint64_t id = 0;
};
std::uint64_t hash_value(const poor& p) { return p.id; }
}  // namespace hashed_elsewhere

namespace {

using namespace spillway;

// The chance that input bit i moves output bit o must be near one half for every pair.
template <class Make>
void expect_avalanche(std::size_t bytes, Make hash_bytes, double tolerance) {
  constexpr int samples = 4000;
  std::mt19937_64 random(bytes);
  std::vector<std::vector<int>> moved(bytes * 8, std::vector<int>(64));
  for (int s = 0; s < samples; ++s) {
    std::string key(bytes, '\0');
    for (char& c : key) c = static_cast<char>(random());
    const std::uint64_t before = hash_bytes(key);
    for (std::size_t i = 0; i < bytes * 8; ++i) {
      std::string other = key;
      other[i / 8] = static_cast<char>(other[i / 8] ^ (1 << i % 8));
      const std::uint64_t change = before ^ hash_bytes(other);
      for (unsigned o = 0; o < 64; ++o) moved[i][o] += static_cast<int>(change >> o & 1);
    }
  }
  double worst = 0;
  for (const auto& row : moved) {
    for (int n : row) worst = std::max(worst, std::abs(static_cast<double>(n) / samples - 0.5));
  }
  EXPECT_LT(worst, tolerance) << bytes << " bytes";
}

template <class Integer>
std::uint64_t hash_as(const std::string& bytes) {
  Integer value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return hash_of(value);
}

// Pure chance at 4,000 samples stays within 0.045 over all pairs of bits.
TEST(hash, every_bit_of_an_integer_moves_every_bit_of_the_hash) {
  expect_avalanche(4, hash_as<std::uint32_t>, 0.05);
  expect_avalanche(8, hash_as<std::uint64_t>, 0.05);
}

TEST(hash, every_bit_of_a_text_moves_every_bit_of_the_hash) {
  expect_avalanche(1, [](const std::string& s) { return hash_text(s); }, 0.2);  // there are only 128 pairs to look at
  for (std::size_t bytes : {2u, 3u, 4u, 7u, 8u, 9u, 15u, 16u, 17u, 24u, 33u}) {
    expect_avalanche(bytes, [](const std::string& s) { return hash_text(s); }, 0.05);
  }
}

TEST(hash, the_upper_and_the_lower_half_of_sequential_keys_collide_no_more_than_chance) {
  constexpr std::uint32_t keys = 50000;
  std::unordered_set<std::uint32_t> upper_of_short;
  std::unordered_set<std::uint32_t> lower_of_short;
  for (std::uint32_t i = 0; i < keys; ++i) {
    upper_of_short.insert(static_cast<std::uint32_t>(hash_of(i) >> 32));
    lower_of_short.insert(static_cast<std::uint32_t>(hash_of(i)));
  }
  EXPECT_GT(upper_of_short.size(), keys - 6);
  EXPECT_GT(lower_of_short.size(), keys - 6);
  for (std::uint64_t stride : {1ull, 2ull, 64ull, 4096ull, 1ull << 32, 1ull << 44}) {
    std::unordered_set<std::uint32_t> upper;
    std::unordered_set<std::uint32_t> lower;
    for (std::uint64_t i = 0; i < keys; ++i) {
      const std::uint64_t h = hash_of(i * stride);
      upper.insert(static_cast<std::uint32_t>(h >> 32));
      lower.insert(static_cast<std::uint32_t>(h));
    }
    // About keys^2 / 2^33 = 0.3 collisions are chance.
    EXPECT_GT(upper.size(), keys - 6) << stride;
    EXPECT_GT(lower.size(), keys - 6) << stride;
  }
}

TEST(hash, short_texts_do_not_collide) {
  std::vector<std::uint64_t> seen;
  for (int i = 0; i < 20000; ++i) {
    for (const char* prefix : {"", "s", "sensor_", "a.rather.long.prefix.of.", "0"}) {
      if (std::string_view(prefix) == "0" && i < 2000) continue;  // else "01" and the like would come twice
      seen.push_back(hash_text(prefix + std::to_string(i)));
    }
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
  std::set<std::uint64_t> zeros;
  const std::string nothing(64, '\0');
  for (std::size_t n = 0; n <= 64; ++n) zeros.insert(hash_text(std::string_view(nothing).substr(0, n)));
  EXPECT_EQ(zeros.size(), 65u) << "texts of zero bytes differ by their length";
}

TEST(hash, every_kind_of_text_with_the_same_characters_hashes_alike) {
  for (const std::string& text :
       std::vector<std::string>{"", "ab", "sensor_1", "exactly 16 bytes", "a text of more than sixteen bytes"}) {
    const std::uint64_t h = hash_of(text);
    EXPECT_EQ(hash_of(std::string_view(text)), h);
    EXPECT_EQ(hash_of(text_ref(text)), h);
    EXPECT_EQ(hash_of(fixed_string<40>(std::string_view(text))), h);
  }
}

TEST(hash, tells_the_parts_and_their_order_apart) {
  EXPECT_NE(hash_of(std::pair(1, 2)), hash_of(std::pair(2, 1)));
  EXPECT_EQ(hash_of(std::pair(1, 2)), hash_of(std::tuple(1, 2)));
  EXPECT_NE(hash_of(std::tuple(1, 2)), hash_of(std::tuple(1, 2, 0)));
  EXPECT_NE(hash_of(std::tuple(std::string_view("a"), std::string_view("bc"))),
            hash_of(std::tuple(std::string_view("ab"), std::string_view("c"))));
}

enum class color : std::uint8_t { red, green };

TEST(hash, takes_enums_user_types_and_what_std_hash_knows) {
  EXPECT_NE(hash_of(color::red), hash_of(color::green));
  EXPECT_NE(hash_of(hashed_elsewhere::route{1, 2}), hash_of(hashed_elsewhere::route{2, 1}));
  EXPECT_EQ(hash_of(0.0), hash_of(-0.0));
  EXPECT_NE(hash_of(1.0), hash_of(2.0));
  EXPECT_NE(hash_of(hashed_elsewhere::poor{1}) >> 32, hash_of(hashed_elsewhere::poor{2}) >> 32)
      << "a poor user function is mixed";
}

}  // namespace
