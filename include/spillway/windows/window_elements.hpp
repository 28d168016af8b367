// All records of one window of one key, in order of arrival.
//
// Owned by one stage: one thread at a time.
// 1. Elements lie in arena memory; what they carry as text is copied with them (`text_of`).
// 2. `merge` keeps the order of arrival; it costs nothing where one list came wholly before the other.
// 3. `window_elements` is a view, valid while the window function runs.
//
//     struct first_and_last {
//       using main = std::chrono::nanoseconds;
//       using emits = sw::emits<>;
//       void on_window(auto& ctx, const sw::time_window&, auto elements) {
//         sw::timestamp last;
//         for (auto e = elements.begin(); e != elements.end(); ++e) last = e.time();
//         ctx.emit(last - elements.begin().time());
//       }
//     };
//
//     auto lengths = collect(readings({20, 30, 40}) | sw::window(sw::tumbling(1s)) | sw::window_process(first_and_last()));
//     assert(lengths.front() == 20ms);                // the readings are 10 ms apart
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "spillway/core/arena.hpp"
#include "spillway/core/text_ref.hpp"
#include "spillway/time/timestamp.hpp"
#include "spillway/windows/chunk_list.hpp"

namespace spillway {

/// A record as a window keeps it.
template <class In>
struct window_element {
  In record;
  timestamp time;
  std::uint64_t arrival;

  window_element(In&& r, timestamp t, std::uint64_t n) noexcept(std::is_nothrow_move_constructible_v<In>)
      : record(std::move(r)), time(t), arrival(n) {}
};

/// What a window function is given: a forward range of `const In&`.
template <class In>
class window_elements {
  using list = chunk_list<window_element<In>>;

 public:
  class iterator {
   public:
    using value_type = In;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    iterator() noexcept = default;
    explicit iterator(typename list::cursor at) noexcept : at_(at) {}

    const In& operator*() const noexcept { return at_.element().record; }
    const In* operator->() const noexcept { return &at_.element().record; }
    /// The record's own timestamp.
    timestamp time() const noexcept { return at_.element().time; }
    iterator& operator++() noexcept {
      at_.advance();
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator old = *this;
      at_.advance();
      return old;
    }
    friend bool operator==(const iterator&, const iterator&) noexcept = default;

   private:
    typename list::cursor at_;
  };

  window_elements(const list& elements, std::size_t size) noexcept : first_(elements.begin()), size_(size) {}

  iterator begin() const noexcept { return iterator{first_}; }
  iterator end() const noexcept { return iterator{}; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

 private:
  typename list::cursor first_;
  std::size_t size_;
};

/// The list itself. Whoever owns it clears it.
template <class In>
class element_list {
 public:
  void append(arena& memory, In&& record, timestamp t, std::uint64_t arrival) {
    window_element<In>& added = elements_.append(memory, std::move(record), t, arrival);
    ++size_;
    if constexpr (text_record<In>) keep_text(memory, text_of(added.record));
  }

  /// Takes the elements of `from` in, which is empty then.
  void merge(arena& memory, element_list& from) {
    if (from.size_ == 0) return;
    if (size_ == 0 || elements_.back().arrival < from.elements_.front().arrival) {
      elements_.take_all(from.elements_);
    } else {
      interleave(memory, from);
    }
    size_ += from.size_;
    from.size_ = 0;
  }

  void clear(arena& memory) noexcept {
    if constexpr (text_record<In>) {
      for (auto c = elements_.begin(); !c.at_end(); c.advance()) drop_text(memory, text_of(c.element().record));
    }
    elements_.clear(memory);
    size_ = 0;
  }

  window_elements<In> view() const noexcept { return {elements_, size_}; }

 private:
  void interleave(arena& memory, element_list& from) {
    chunk_list<window_element<In>> both;
    auto a = elements_.begin();
    auto b = from.elements_.begin();
    while (!a.at_end() || !b.at_end()) {
      auto& next = b.at_end() || (!a.at_end() && a.element().arrival < b.element().arrival) ? a : b;
      both.append(memory, std::move(next.element()));
      next.advance();
    }
    elements_.clear(memory);
    from.elements_.clear(memory);
    elements_ = both;
  }

  static void keep_text(arena& memory, text_ref& text) {
    if (text.empty()) return;
    auto* copy = static_cast<char*>(memory.allocate(text.size(), 1));
    std::memcpy(copy, text.data(), text.size());
    text = text_ref{std::string_view{copy, text.size()}};
  }
  static void drop_text(arena& memory, text_ref& text) noexcept {
    if (!text.empty()) memory.deallocate(const_cast<char*>(text.data()), text.size(), 1);
  }

  chunk_list<window_element<In>> elements_;
  std::size_t size_ = 0;
};

}  // namespace spillway
