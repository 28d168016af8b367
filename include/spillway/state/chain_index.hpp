// A hash index over nodes that lie elsewhere: chains of nodes, with a number of chains that grows by one per insertion.
//
// Owned by one stage: one thread at a time. It holds one pointer while nothing is in it.
// 1. The chains' heads lie in segments, each as large as all before it, so that growth moves no head and no call rehashes the index: an
//    insertion splits at most one chain. There are never fewer chains than nodes.
// 2. Nodes derive from `chain_node` and never move.
// 3. Whoever owns the index clears it; the destructor does nothing.
//
//     arena memory;
//     chain_index index;
//     chain_node node;
//     node.hash = 0x1234;
//     index.insert(memory, &node);
//     assert(index.first(0x1234) == &node);
//     index.clear(memory);
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "spillway/core/arena.hpp"
#include "spillway/core/config.hpp"

namespace spillway {

struct chain_node {
  chain_node* next_in_chain = nullptr;
  std::uint32_t hash = 0;
};

class chain_index {
 public:
  /// False: nothing was inserted since the last `clear`, and `first` may not be asked.
  bool is_open() const noexcept { return all_ != nullptr; }

  SPILLWAY_INLINE chain_node* first(std::uint32_t hash) const noexcept { return head(chain_of(hash)); }

  /// Throws std::bad_alloc and then has not inserted.
  void insert(arena& memory, chain_node* node) {
    if (all_ == nullptr) open(memory);
    if (all_->nodes >= all_->chains) split(memory);
    link(node);
    ++all_->nodes;
  }

  /// Requires: `node` is there.
  void remove(const chain_node* node) noexcept {
    chain_node** at = &head(chain_of(node->hash));
    while (*at != node) at = &(*at)->next_in_chain;
    *at = node->next_in_chain;
    --all_->nodes;
  }

  /// Forgets the nodes and gives the memory back. Does not touch the nodes, which may be gone.
  void clear(arena& memory) noexcept {
    if (all_ == nullptr) return;
    for (unsigned s = 0; s < segment_limit && all_->segments[s] != nullptr; ++s) {
      memory.deallocate(all_->segments[s], chains_in(s) * sizeof(chain_node*));
    }
    memory.deallocate(all_, sizeof(heads), alignof(heads));
    all_ = nullptr;
  }

 private:
  static constexpr std::uint32_t first_chains = 16;
  static constexpr unsigned segment_limit = 28;

  struct heads {
    std::uint32_t chains = 0;
    std::uint32_t nodes = 0;
    chain_node** segments[segment_limit] = {};
  };

  static constexpr std::size_t chains_in(unsigned segment) noexcept {
    return segment == 0 ? first_chains : std::size_t{first_chains} << (segment - 1);
  }

  SPILLWAY_INLINE chain_node*& head(std::uint32_t chain) const noexcept {
    const auto segment = static_cast<unsigned>(std::bit_width(chain / first_chains));
    return all_->segments[segment][segment == 0 ? chain : chain - (first_chains << (segment - 1))];
  }
  // As many low bits of the hash as name a chain that is there.
  SPILLWAY_INLINE std::uint32_t chain_of(std::uint32_t hash) const noexcept {
    const std::uint32_t half = std::bit_floor(all_->chains);
    const std::uint32_t chain = hash & (half * 2 - 1);
    return chain < all_->chains ? chain : chain & (half - 1);
  }

  void link(chain_node* node) noexcept {
    chain_node*& first = head(chain_of(node->hash));
    node->next_in_chain = first;
    first = node;
  }

  SPILLWAY_COLD void open(arena& memory) {
    auto* made = ::new (memory.allocate(sizeof(heads), alignof(heads))) heads{};
    try {
      made->segments[0] = static_cast<chain_node**>(memory.allocate(first_chains * sizeof(chain_node*)));
    } catch (...) {
      memory.deallocate(made, sizeof(heads), alignof(heads));
      throw;
    }
    for (std::uint32_t i = 0; i < first_chains; ++i) made->segments[0][i] = nullptr;
    made->chains = first_chains;
    all_ = made;
  }

  // Adds one chain and gives it the nodes that belong to it, all of which are in one other chain.
  SPILLWAY_NOINLINE void split(arena& memory) {
    const std::uint32_t added = all_->chains;
    const auto segment = static_cast<unsigned>(std::bit_width(added / first_chains));
    if (segment >= segment_limit) return;  // chains get longer from here on
    if (all_->segments[segment] == nullptr)
      all_->segments[segment] = static_cast<chain_node**>(memory.allocate(chains_in(segment) * sizeof(chain_node*)));
    chain_node*& from = head(added & (std::bit_floor(added) - 1));
    chain_node* node = from;
    from = nullptr;
    head(added) = nullptr;
    all_->chains = added + 1;
    while (node != nullptr) {
      chain_node* const next = node->next_in_chain;
      link(node);
      node = next;
    }
  }

  heads* all_ = nullptr;
};

}  // namespace spillway
