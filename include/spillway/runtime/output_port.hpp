// Where a stage's output, main or side, is wired to edges when the plan is made.
//
// Used by one thread, before the start.
// 1. A port is found by (stage, tag name) and checked by its record type, since a stage may come from another translation unit.
//
//     plan.find("ingest", "late")->attach(...)
#pragma once

#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include "spillway/runtime/edge.hpp"

namespace spillway {

/// An address that stands for a type, the same in all translation units.
using type_mark = const void*;
template <class T>
struct type_marker {
  static constexpr char mark = 0;
};
template <class T>
constexpr type_mark mark_of() noexcept {
  return &type_marker<T>::mark;
}

class output_port {
 public:
  output_port(std::string_view tag, type_mark type) : tag_(tag), type_(type) {}
  virtual ~output_port() = default;
  output_port(const output_port&) = delete;
  output_port& operator=(const output_port&) = delete;

  std::string_view tag() const noexcept { return tag_; }  // empty: the main output
  type_mark type() const noexcept { return type_; }

  /// Records emitted that no edge took: the output has no reader, or its tag is discarded. Any thread.
  std::uint64_t unread() const noexcept { return unread_.get(); }

  /// Has a reader that `from` made.
  virtual bool connected() const noexcept = 0;

 protected:
  counter unread_;

 private:
  std::string_view tag_;
  type_mark type_;
};

/// A port whose edges carry `Stream`.
template <class Stream>
class port_of : public output_port {
 public:
  explicit port_of(std::string_view tag) : output_port(tag, mark_of<Stream>()) {}

  /// Throws std::logic_error when the records cannot be copied and there is a reader already.
  void attach(edge_of<Stream>& added) {
    if (!std::is_copy_constructible_v<typename Stream::record> && !edges_.empty()) {
      throw std::logic_error("spillway: output '" + added.from() + "." + added.tag() +
                             "' has two readers, but its records cannot be copied");
    }
    edges_.push_back(&added);
  }
  bool connected() const noexcept override { return !edges_.empty(); }
  const std::vector<edge_of<Stream>*>& edges() const noexcept { return edges_; }

  /// Items that left the backlogs of the port's edges so far. Belongs to the stage's thread.
  std::uint64_t moved() const noexcept {
    std::uint64_t all = 0;
    for (const edge_of<Stream>* e : edges_) all += e->moved();
    return all;
  }

 protected:
  std::vector<edge_of<Stream>*> edges_;
};

}  // namespace spillway
