#include "spillway/connectors/segment_pool.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "spillway/core/config.hpp"

namespace spillway {

namespace {
constexpr std::size_t scratch_block_bytes = 64 * 1024;
constexpr std::size_t largest_segment_bytes = std::size_t{1} << 31;
}  // namespace

text_scratch::~text_scratch() {
  for (block* b = first_; b != nullptr;) {
    block* next = b->next;
    ::operator delete(b);
    b = next;
  }
}

void text_scratch::reset() noexcept {
  current_ = nullptr;
  next_ = nullptr;
  room_ = 0;
  if (first_ != nullptr) use(*first_);
}

void text_scratch::use(block& b) noexcept {
  current_ = &b;
  next_ = reinterpret_cast<char*>(&b) + sizeof(block);
  room_ = b.size;
}

SPILLWAY_COLD char* text_scratch::allocate_slow(std::size_t size) {
  while (current_ != nullptr && current_->next != nullptr) {
    use(*current_->next);
    if (room_ >= size) return allocate(size);
  }
  const std::size_t bytes = std::max(size, scratch_block_bytes);
  block* fresh = new (::operator new(sizeof(block) + bytes)) block{nullptr, bytes};
  (current_ == nullptr ? first_ : current_->next) = fresh;
  growths_->add();
  use(*fresh);
  return allocate(size);
}

segment_pool::segment_pool(release_tracker& tracker, segment_options options) : tracker_(tracker), options_(options) {
  if (options.segment_bytes == 0 || options.segment_bytes > largest_segment_bytes)
    throw std::invalid_argument("spillway: segment_bytes of a segment_pool must be between 1 and 2 GiB");
  if (options.max_segments == 0) throw std::invalid_argument("spillway: max_segments of a segment_pool must not be 0");
  for (std::size_t i = 0; i < options.max_segments; ++i) all_.emplace_back(growths_);
  left_.reserve(options.max_segments);
}

input_segment* segment_pool::acquire() {
  // Tokens are released in order, so one question about the oldest tells whether there is anything to reuse.
  if (left_.empty() || !tracker_.released(left_.front()->token_)) return grow();
  // The one left last is still in the cache.
  auto it = std::prev(left_.end());
  while (!tracker_.released((*it)->token_)) --it;
  input_segment* segment = *it;
  left_.erase(it);
  segment->scratch_.reset();
  return segment;
}

SPILLWAY_COLD input_segment* segment_pool::grow() {
  const std::size_t made = segments_.get();
  if (made == options_.max_segments) return nullptr;
  input_segment& segment = all_[made];
  segment.bytes_ = std::make_unique_for_overwrite<char[]>(options_.segment_bytes + segment_padding);
  segment.capacity_ = options_.segment_bytes;
  segments_.add();
  growths_.add();
  return &segment;
}

void segment_pool::leave(input_segment& segment) {
  segment.token_ = tracker_.seal();
  left_.push_back(&segment);
}

}  // namespace spillway
