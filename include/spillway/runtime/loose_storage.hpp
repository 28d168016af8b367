// How an edge keeps its records when the emitting end never waits and nothing queues behind a full ring: the latest of all, or the latest of each key.
//
// `open_writer`, `push` and `written` belong to the emitting thread; `open_reader`, `next` and `taken` to the reading thread; the counts to any.
// 1. `push` never waits. It refuses a record only for the reason it returns.
// 2. A record that was replaced before the reader came to it is counted, exactly: written == taken by the reader + overwritten + conflated + left.
// 3. What `next` returns stays as it is until the next call.
// 4. `written()` and `taken()` number the places that records have: a marker stamped with `written()` belongs before what is read once
//    `taken()` has passed it.
//
//     detail::overwriting_slots<stream<int>> latest({.capacity = 4});
//     latest.open_writer();
//     latest.open_reader();
//     for (int n = 0; n < 10; ++n) latest.push(n);
//     latest.publish();
//     int last = 0;
//     while (const int* n = latest.next()) last = *n;
//     assert(last == 9 && latest.taken() == latest.written());
//     latest.close_reader();
//     latest.close_writer();
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "spillway/core/conflating_ring.hpp"
#include "spillway/core/overwrite_frame_ring.hpp"
#include "spillway/core/overwrite_ring.hpp"
#include "spillway/graph/overflow_policy.hpp"
#include "spillway/operators/key_by.hpp"
#include "spillway/runtime/slot.hpp"
#include "spillway/state/keyed_table.hpp"

namespace spillway {

enum class loose_push { stored, too_large, no_key_left };

struct loose_counts {
  std::uint64_t pushed = 0;
  std::uint64_t consumed = 0;
  std::uint64_t overwritten = 0;
  std::uint64_t conflated = 0;
  std::uint64_t left = 0;
  std::uint64_t growth_events = 0;  // allocations since the storage was made
};

template <class Stream>
class loose_storage {
 public:
  using slot = detail::slot_of<Stream>;

  loose_storage() = default;
  virtual ~loose_storage() = default;
  loose_storage(const loose_storage&) = delete;
  loose_storage& operator=(const loose_storage&) = delete;

  virtual void open_writer() = 0;
  virtual void close_writer() = 0;
  virtual loose_push push(slot& s) = 0;
  /// Shows the reader everything that was pushed.
  virtual void publish() = 0;
  virtual std::uint64_t written() const noexcept = 0;

  virtual void open_reader() = 0;
  virtual void close_reader() = 0;
  /// The next record, or null.
  virtual slot* next() = 0;
  virtual std::uint64_t taken() const noexcept = 0;

  virtual std::size_t capacity() const noexcept = 0;
  virtual std::size_t memory_bytes() const noexcept = 0;
  virtual loose_counts counts() const noexcept = 0;
};

namespace detail {

/// Room for one trivially copyable record that a ring fills in.
template <class Slot>
class slot_buffer {
 public:
  Slot& get() noexcept { return *std::launder(reinterpret_cast<Slot*>(bytes_.data())); }

 private:
  alignas(Slot) std::array<std::byte, sizeof(Slot)> bytes_{};
};

template <class Stream>
class overwriting_slots final : public loose_storage<Stream> {
 public:
  using slot = typename loose_storage<Stream>::slot;

  explicit overwriting_slots(const edge_options& options) : ring_(options.capacity) {}

  void open_writer() override { writer_ = ring_.open_producer(); }
  void close_writer() override { ring_.close(writer_); }
  loose_push push(slot& s) override {
    writer_.push(s);
    return loose_push::stored;
  }
  void publish() override { writer_.publish(); }
  std::uint64_t written() const noexcept override { return writer_.position(); }

  void open_reader() override { reader_ = ring_.open_consumer(); }
  void close_reader() override { ring_.close(reader_); }
  slot* next() override { return reader_.try_pop(buffer_.get()) ? &buffer_.get() : nullptr; }
  std::uint64_t taken() const noexcept override { return reader_.position(); }

  std::size_t capacity() const noexcept override { return ring_.capacity(); }
  std::size_t memory_bytes() const noexcept override { return ring_.memory_bytes(); }
  loose_counts counts() const noexcept override { return {ring_.pushed(), ring_.consumed(), ring_.lost(), 0, ring_.left(), 0}; }

 private:
  using ring_type = overwrite_ring<slot>;
  ring_type ring_;
  typename ring_type::producer writer_;
  typename ring_type::consumer reader_;
  slot_buffer<slot> buffer_;
};

/// For records with text, which travels along.
template <class Stream>
class overwriting_frames final : public loose_storage<Stream> {
 public:
  using slot = typename loose_storage<Stream>::slot;

  explicit overwriting_frames(const edge_options& options) : ring_(options.text_bytes) {}

  void open_writer() override { writer_ = ring_.open_producer(); }
  void close_writer() override { ring_.close(writer_); }
  loose_push push(slot& s) override {
    const text_ref text = text_of(s);
    const bool stored = writer_.push(std::as_bytes(std::span(&s, 1)), std::as_bytes(std::span(text.data(), text.size())));
    return stored ? loose_push::stored : loose_push::too_large;
  }
  void publish() override {}
  std::uint64_t written() const noexcept override { return writer_.position(); }

  void open_reader() override { reader_ = ring_.open_consumer(); }
  void close_reader() override { ring_.close(reader_); }
  slot* next() override {
    const std::span<std::byte> frame = reader_.try_pop();
    if (frame.empty()) return nullptr;
    std::memcpy(&buffer_.get(), frame.data(), sizeof(slot));
    text_ref& text = text_of(buffer_.get());
    text = text_ref(std::string_view(reinterpret_cast<const char*>(frame.data() + sizeof(slot)), frame.size() - sizeof(slot)));
    return &buffer_.get();
  }
  std::uint64_t taken() const noexcept override { return reader_.position(); }

  std::size_t capacity() const noexcept override { return ring_.capacity(); }
  std::size_t memory_bytes() const noexcept override { return ring_.memory_bytes(); }
  loose_counts counts() const noexcept override { return {ring_.pushed(), ring_.consumed(), ring_.lost(), 0, ring_.left(), 0}; }

 private:
  using ring_type = overwrite_frame_ring;
  ring_type ring_;
  typename ring_type::producer writer_;
  typename ring_type::consumer reader_;
  slot_buffer<slot> buffer_;
};

/// The latest record of each key.
template <class Stream, class Key>
class conflating_slots final : public loose_storage<Stream> {
 public:
  using slot = typename loose_storage<Stream>::slot;

  conflating_slots(Key key, const edge_options& options)
      : key_(std::move(key)), keys_(options.capacity), ring_(keys_), cells_(memory_) {
    cells_.reserve(keys_);
    growth_before_start_ = memory_.growth_events();
  }

  void open_writer() override { writer_ = ring_.open_producer(); }
  void close_writer() override { ring_.close(writer_); }
  loose_push push(slot& s) override {
    const std::uint32_t cell = cell_of(key_view(record_of(s)));
    if (cell == table::none) return loose_push::no_key_left;
    writer_.update(cell, s);
    return loose_push::stored;
  }
  void publish() override { writer_.publish(); }
  std::uint64_t written() const noexcept override { return writer_.position(); }

  void open_reader() override { reader_ = ring_.open_consumer(); }
  void close_reader() override { ring_.close(reader_); }
  slot* next() override { return reader_.try_pop(buffer_.get()) ? &buffer_.get() : nullptr; }
  std::uint64_t taken() const noexcept override { return reader_.position(); }

  std::size_t capacity() const noexcept override { return keys_; }
  std::size_t memory_bytes() const noexcept override { return ring_.memory_bytes() + memory_.bytes(); }
  loose_counts counts() const noexcept override {
    const std::uint64_t pushed = ring_.pushed();
    const std::uint64_t consumed = ring_.consumed();
    const std::uint64_t conflated = ring_.conflated();
    const std::uint64_t seen = consumed + conflated;
    return {pushed, consumed, 0, conflated, pushed > seen ? pushed - seen : 0, memory_.growth_events() - growth_before_start_};
  }

 private:
  using record = typename Stream::record;
  using table = keyed_table<key_type<Key, record>, std::uint32_t>;
  using ring_type = conflating_ring<slot>;

  static const record& record_of(const slot& s) noexcept {
    if constexpr (std::is_same_v<slot, record>) {
      return s;
    } else {
      return s.record;
    }
  }
  decltype(auto) key_view(const record& r) {
    decltype(auto) key = std::invoke(key_, r);
    if constexpr (std::is_same_v<key_type<Key, record>, text_ref>) {
      return std::string_view(key);
    } else {
      return key_type<Key, record>(key);
    }
  }
  std::uint32_t cell_of(typename table::key_view key) {
    const std::uint32_t known = cells_.find(key);
    if (known != table::none) return cells_.entry(known);
    if (used_ == keys_) return table::none;
    bool inserted = false;
    return cells_.entry(cells_.find_or_insert(key, inserted)) = used_++;
  }

  Key key_;
  std::size_t keys_;
  ring_type ring_;
  arena memory_;
  std::uint64_t growth_before_start_ = 0;
  table cells_;
  std::uint32_t used_ = 0;
  typename ring_type::producer writer_;
  typename ring_type::consumer reader_;
  slot_buffer<slot> buffer_;
};

}  // namespace detail

/// The storage that the policy asks for; null for those that use the edge's own ring.
template <class Stream, class Policy>
std::unique_ptr<loose_storage<Stream>> make_loose_storage(const Policy&, const edge_options&) {
  return nullptr;
}
template <class Stream>
std::unique_ptr<loose_storage<Stream>> make_loose_storage(const overwrite_oldest_policy&, const edge_options& options) {
  if constexpr (detail::needs_frames<Stream>) {
    return std::make_unique<detail::overwriting_frames<Stream>>(options);
  } else {
    return std::make_unique<detail::overwriting_slots<Stream>>(options);
  }
}
template <class Stream, class Key>
std::unique_ptr<loose_storage<Stream>> make_loose_storage(const conflate_policy<Key>& policy, const edge_options& options) {
  return std::make_unique<detail::conflating_slots<Stream, Key>>(policy.key, options);
}
/// Throws std::invalid_argument for a policy that these records or a choice at run time rule out.
template <class Stream>
std::unique_ptr<loose_storage<Stream>> make_loose_storage(const any_policy& policy, const edge_options& options) {
  if (policy.chosen.kind == overflow::overwrite_oldest) {
    if constexpr (std::is_trivially_copyable_v<typename Stream::record> &&
                  (!text_record<typename Stream::record> || Stream::text == text_home::elsewhere)) {
      return make_loose_storage<Stream>(overwrite_oldest, options);
    } else {
      throw std::invalid_argument(
          "spillway: overwrite_oldest was chosen for an edge whose records are not trivially copyable, or whose text is in the source's "
          "memory; choose block, spill or drop_newest");
    }
  }
  if (policy.chosen.kind == overflow::conflate) {
    throw std::invalid_argument("spillway: conflate needs a key and cannot be chosen through any_policy; write conflate(key)");
  }
  return nullptr;
}

}  // namespace spillway
