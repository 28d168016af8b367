#include "spillway/core/arena.hpp"

#include <mimalloc.h>

#include <algorithm>
#include <exception>
#include <new>

namespace spillway {
namespace {

constexpr std::size_t block_header_bytes = cache_line_bytes;
constexpr std::size_t page_bytes = 4096;

[[noreturn]] void out_of_memory() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc{};
#else
  std::terminate();
#endif
}

std::byte* align_up(std::byte* p, std::size_t align) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  return p + ((align - (address & (align - 1))) & (align - 1));
}

}  // namespace

arena::arena(std::size_t reserve_bytes) {
  if (reserve_bytes == 0) return;
  if (reserve_bytes > (std::size_t{1} << largest_class)) out_of_memory();
  const std::size_t payload = (reserve_bytes + natural_align - 1) & ~(natural_align - 1);
  std::byte* begin = take_block(payload);
  // Pages are touched here so that the first records do not pay for the faults.
  for (std::size_t at = 0; at < payload; at += page_bytes) static_cast<volatile std::byte*>(begin)[at] = std::byte{0};
  use_rest(begin, begin + payload);
}

arena::~arena() {
  while (blocks_ != nullptr) {
    block* next = blocks_->next;
    mi_free(blocks_);
    blocks_ = next;
  }
}

void* arena::carve(unsigned size_class) {
  if (size_class > largest_class) out_of_memory();
  const std::size_t bytes = std::size_t{1} << size_class;
  for (;;) {
    std::byte* begin = rest_begin_ == nullptr ? nullptr : align_up(rest_begin_, std::min(bytes, natural_align));
    if (begin != nullptr && begin <= rest_end_ && static_cast<std::size_t>(rest_end_ - begin) >= bytes) {
      share_out(rest_begin_, begin);
      rest_begin_ = begin + bytes;
      return begin;
    }
    if (refill_from_larger_chunk(size_class)) continue;
    if (bytes > next_block_bytes_ / 2) return take_block(bytes);
    const std::size_t payload = next_block_bytes_ - block_header_bytes;
    std::byte* fresh = take_block(payload);
    next_block_bytes_ = std::min(next_block_bytes_ * 2, largest_block_bytes);
    use_rest(fresh, fresh + payload);
  }
}

bool arena::refill_from_larger_chunk(unsigned size_class) noexcept {
  for (unsigned larger = size_class + 1; larger <= largest_class; ++larger) {
    free_chunk* chunk = free_[larger];
    if (chunk == nullptr) continue;
    free_[larger] = chunk->next;
    auto* begin = reinterpret_cast<std::byte*>(chunk);
    use_rest(begin, begin + (std::size_t{1} << larger));
    return true;
  }
  return false;
}

// The bookkeeping of a block lives in the block, so that a block costs one call and nothing more.
std::byte* arena::take_block(std::size_t payload_bytes) {
  const std::size_t bytes = payload_bytes + block_header_bytes;
  void* memory = mi_malloc_aligned(bytes, natural_align);
  if (memory == nullptr) out_of_memory();
  blocks_ = ::new (memory) block{blocks_};
  growth_events_.add();
  bytes_.add(bytes);
  return static_cast<std::byte*>(memory) + block_header_bytes;
}

// Makes [begin, end) the range to carve from; what was left of the range before it goes to the free lists.
void arena::use_rest(std::byte* begin, std::byte* end) noexcept {
  if (rest_begin_ != nullptr) share_out(rest_begin_, rest_end_);
  rest_begin_ = begin;
  rest_end_ = end;
}

void arena::share_out(std::byte* begin, std::byte* end) noexcept {
  while (end - begin >= (1 << smallest_class)) {
    const auto left = static_cast<std::size_t>(end - begin);
    std::size_t bytes = std::bit_floor(left);
    while (align_up(begin, std::min(bytes, natural_align)) != begin) bytes /= 2;
    push_free(begin, static_cast<unsigned>(std::countr_zero(bytes)));
    begin += bytes;
  }
}

// The chunk's own address is kept in the word before the aligned one; chunks are aligned to a cache line, so there is always room. The byte
// more keeps the address of an empty allocation inside its chunk.
void* arena::allocate_over_aligned(std::size_t bytes, std::size_t align) {
  if (bytes > (std::size_t{1} << largest_class) || align > (std::size_t{1} << largest_class)) out_of_memory();
  auto* chunk = static_cast<std::byte*>(allocate(bytes + align + 1, natural_align));
  std::byte* aligned = align_up(chunk + sizeof(std::byte*), align);
  reinterpret_cast<std::byte**>(aligned)[-1] = chunk;
  return aligned;
}

void arena::deallocate_over_aligned(void* p, std::size_t bytes, std::size_t align) noexcept {
  push_free(static_cast<std::byte**>(p)[-1], class_of(bytes + align + 1, natural_align));
}

}  // namespace spillway
