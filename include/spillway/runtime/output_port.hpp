// Where a stage's output, main or side, is wired to edges when the plan is made.
//
// Used by one thread, before the start.
// 1. A port is found by (stage, tag name) and checked by its record type, since a stage may come from another translation unit.
// 2. Every reader of the port gets every record; of a reader with replicas, one of them does.
//
//     edge_of<stream<int>> first("numbers", "", "sum", block.lowered(), {}, nullptr);
//     detail::main_port<stream<int>> main{untimed()};
//     port_of<stream<int>>& port = main;
//     assert(port.type() == mark_of<stream<int>>() && !port.connected());
//     port.attach(first, {"sum", "sum"}, [] { return nullptr; });
//     assert(port.connected() && port.edges().size() == 1);
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "spillway/graph/partitioning.hpp"
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

/// Who reads an output: an input of a stage, or of one replica of it.
struct reader_id {
  std::string stage;        // the stage's name
  std::string label;        // with the number of the replica, for reports
  std::size_t replica = 0;  // of `replicas`
  std::size_t input = 0;    // which of the stage's inputs
};

/// The edges to one reader: one, or one for each of its replicas.
template <class Stream>
struct reader_edges {
  std::string stage;
  std::size_t input = 0;
  std::unique_ptr<router<typename Stream::record>> route;  // null: one edge
  std::vector<edge_of<Stream>*> edges{};

  /// The edge that takes this record.
  edge_of<Stream>& choose(const typename Stream::record& r) const {
    return route == nullptr ? *edges.front() : *edges[route->choose(r, edges.size())];
  }
};

/// A port whose edges carry `Stream`.
template <class Stream>
class port_of : public output_port {
 public:
  explicit port_of(std::string_view tag) : output_port(tag, mark_of<Stream>()) {}

  /// Adds an edge of one replica of a reader; `make_router()` is asked for at the reader's first.
  /// Throws std::logic_error when the records cannot be copied and there is another reader already.
  template <class MakeRouter>
  void attach(edge_of<Stream>& added, const reader_id& who, MakeRouter&& make_router) {
    edges_.push_back(&added);
    for (reader_edges<Stream>& known : readers_) {
      if (known.route != nullptr && known.stage == who.stage && known.input == who.input) {
        known.edges.push_back(&added);
        return;
      }
    }
    if (!std::is_copy_constructible_v<typename Stream::record> && !readers_.empty()) {
      throw std::logic_error("spillway: output '" + added.from() + "." + added.tag() +
                             "' has two readers, but its records cannot be copied");
    }
    readers_.push_back({who.stage, who.input, make_router(), {&added}});
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
  std::vector<edge_of<Stream>*> edges_;  // of all readers
  std::vector<reader_edges<Stream>> readers_;
};

}  // namespace spillway
