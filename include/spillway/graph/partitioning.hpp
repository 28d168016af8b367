// How an edge spreads records over the replicas of the stage that reads it.
//
// Values, free of threads; the choice is made by the emitting thread.
// 1. `partition_by(key)` sends equal keys to one replica; `round_robin` sends records in turn.
// 2. Each replica has a ring of its own from each emitting replica. Watermarks and the end go to all of them.
// 3. Which replica gets a key depends on the key and the number of replicas alone.
//
//     std::atomic<int> means{0};
//     auto ingest = sw::stage<"ingest">(sw::any_cpu{}, readings());
//     auto average = sw::stage<"average">(sw::replicas(2),
//         sw::from(ingest, sw::partition_by(&reading::sensor))
//             | sw::key_by(&reading::sensor)
//             | sw::window(sw::tumbling(1s))
//             | sw::aggregate(sw::mean(&reading::celsius))
//             | sw::sink([&](const auto&) { ++means; }));
//     sw::pipeline(std::move(ingest), std::move(average)).run();
//     assert(means == 3);                             // all readings of a sensor met in one replica
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "spillway/core/hash.hpp"
#include "spillway/core/text_ref.hpp"
#include "spillway/operators/key_by.hpp"

namespace spillway {

/// Chooses the replica for each record. Belongs to the emitting stage's thread.
template <class Record>
class router {
 public:
  virtual ~router() = default;
  virtual std::size_t choose(const Record& record, std::size_t replicas) = 0;
};

namespace detail {

/// One of `replicas` equal parts of the hash's range: the high bits decide, since tables behind use the others.
constexpr std::size_t part_of(std::uint64_t hash, std::size_t replicas) noexcept {
  return static_cast<std::size_t>(((hash >> 32) * static_cast<std::uint64_t>(replicas)) >> 32);
}

template <class Record, class Key>
class key_router final : public router<Record> {
 public:
  explicit key_router(Key key) : key_(std::move(key)) {}
  std::size_t choose(const Record& record, std::size_t replicas) override {
    decltype(auto) key = std::invoke(key_, record);
    using key_type = detail::key_type<Key, Record>;
    if constexpr (std::is_same_v<key_type, text_ref>) {
      return part_of(mixed(hash_of(std::string_view(key))), replicas);
    } else {
      return part_of(mixed(hash_of(key)), replicas);
    }
  }

 private:
  /// Decorrelates the choice from the hash by which the replica's own tables place the key (Fibonacci multiplication, Knuth TAOCP 6.4).
  static constexpr std::uint64_t mixed(std::uint64_t hash) noexcept { return (hash ^ (hash >> 29)) * 0x9E3779B97F4A7C15u; }

  Key key_;
};

template <class Record>
class turn_router final : public router<Record> {
 public:
  std::size_t choose(const Record&, std::size_t replicas) override {
    next_ = next_ + 1 < replicas ? next_ + 1 : 0;
    return next_;
  }

 private:
  std::size_t next_ = static_cast<std::size_t>(-2);  // the first turn goes to replica 0
};

}  // namespace detail

template <class Key>
struct partition_by_key {
  using is_partitioning = void;
  Key key;

  template <class Record>
  static constexpr bool accepts = [] {
    if constexpr (std::invocable<Key&, const Record&>) {
      using key = detail::key_type<Key, Record>;
      return std::is_trivially_copyable_v<key> && std::equality_comparable<key> && !std::is_array_v<key>;
    } else {
      return false;
    }
  }();
  template <class Record>
  std::unique_ptr<router<Record>> make_router() const {
    return std::make_unique<detail::key_router<Record, Key>>(key);
  }
};

struct round_robin_turns {
  using is_partitioning = void;
  template <class Record>
  static constexpr bool accepts = true;
  template <class Record>
  std::unique_ptr<router<Record>> make_router() const {
    return std::make_unique<detail::turn_router<Record>>();
  }
};

/// One stage, one ring: nothing to choose.
struct unpartitioned {
  template <class Record>
  static constexpr bool accepts = true;
  template <class Record>
  std::unique_ptr<router<Record>> make_router() const {
    return nullptr;
  }
};

template <class T>
concept any_partitioning = requires { typename T::is_partitioning; };

/// `key(const record&)`: a member pointer or any function that gives text or a trivially copyable key with ==.
template <class Key>
constexpr partition_by_key<Key> partition_by(Key key) {
  return {std::move(key)};
}
inline constexpr round_robin_turns round_robin{};

}  // namespace spillway
