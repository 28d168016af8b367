// A set of JSON pointers as a tree, so that one walk over a document meets them all.
//
// Built once; then read from any thread.
// 1. A node is a place in the document; `targets` are the numbers of the pointers that end there.
//
//     json_pointers tree({"/data/s", "/data/p"});
//     const json_pointers::node* data = tree.root().child("data");      // null: nobody asked for anything in there
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spillway::tool {

class json_pointers {
 public:
  static constexpr std::size_t no_index = static_cast<std::size_t>(-1);

  struct node {
    std::string name;
    std::size_t index = no_index;  // the place in an array that `name` means, too
    std::vector<std::size_t> targets;
    std::vector<node> children;

    const node* child(std::string_view wanted) const noexcept {
      for (const node& each : children)
        if (each.name == wanted) return &each;
      return nullptr;
    }
    const node* child(std::size_t wanted) const noexcept {
      for (const node& each : children)
        if (each.index == wanted) return &each;
      return nullptr;
    }
  };

  /// Errors: std::invalid_argument for a text that is no JSON pointer, or the one for the whole document.
  explicit json_pointers(std::span<const std::string> pointers);

  const node& root() const noexcept { return root_; }

 private:
  node root_;
};

}  // namespace spillway::tool
