#include <gtest/gtest.h>

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "spillway/core/arena.hpp"

namespace {
std::atomic<std::uint64_t> blocks_asked{0};
std::atomic<std::uint64_t> blocks_freed{0};
std::atomic<bool> refuse_blocks{false};
}  // namespace

// Stand before mimalloc's own, so that the test sees every call that the arena makes.
extern "C" void* mi_malloc_aligned(std::size_t bytes, std::size_t align) noexcept {
  static auto* const real = reinterpret_cast<void* (*)(std::size_t, std::size_t)>(dlsym(RTLD_NEXT, "mi_malloc_aligned"));
  ++blocks_asked;
  return refuse_blocks ? nullptr : real(bytes, align);
}
extern "C" void mi_free(void* p) noexcept {
  static auto* const real = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_NEXT, "mi_free"));
  ++blocks_freed;
  real(p);
}

namespace {

using namespace spillway;

TEST(arena, a_new_arena_takes_nothing) {
  const std::uint64_t before = blocks_asked;
  arena memory;
  EXPECT_EQ(blocks_asked, before);
  EXPECT_EQ(memory.growth_events(), 0u);
  EXPECT_EQ(memory.bytes(), 0u);
}

TEST(arena, every_growth_event_is_one_call_of_the_allocator_and_every_block_goes_back) {
  const std::uint64_t asked = blocks_asked;
  const std::uint64_t freed = blocks_freed;
  std::uint64_t events = 0;
  {
    arena memory;
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
      (void)memory.allocate(1 + random() % 2000);
      if (i % 1000 == 0) (void)memory.allocate(std::size_t{1} << (16 + random() % 6));
      ASSERT_EQ(memory.growth_events(), blocks_asked - asked);
    }
    events = memory.growth_events();
    EXPECT_GT(events, 20u);
    EXPECT_GE(memory.bytes(), 20000u * 1000u / 2);
  }
  EXPECT_EQ(blocks_freed - freed, events);
}

TEST(arena, blocks_double_from_64_KiB_to_1_MiB) {
  arena memory;
  std::uint64_t before = 0;
  std::vector<std::uint64_t> sizes;
  while (sizes.size() < 7) {
    (void)memory.allocate(1024);
    if (memory.bytes() != before) sizes.push_back(memory.bytes() - before);
    before = memory.bytes();
  }
  const std::uint64_t k = 1024;
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{64 * k, 128 * k, 256 * k, 512 * k, 1024 * k, 1024 * k, 1024 * k}));
}

TEST(arena, chunks_do_not_overlap_are_aligned_and_keep_their_bytes) {
  struct chunk {
    std::size_t bytes;
    std::size_t align;
    unsigned char fill;
  };
  arena memory;
  std::map<unsigned char*, chunk> live;
  std::mt19937 random(2);
  auto check = [](unsigned char* p, const chunk& c) {
    for (std::size_t i = 0; i < c.bytes; ++i) ASSERT_EQ(p[i], c.fill);
  };
  for (int step = 0; step < 20000; ++step) {
    if (live.size() < 200 || random() % 2 == 0) {
      const std::size_t bytes = random() % 50 == 0 ? random() % 200000 : random() % 300;
      const std::size_t align = std::size_t{1} << random() % 10;
      auto* p = static_cast<unsigned char*>(memory.allocate(bytes, align));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
      const chunk c{bytes, align, static_cast<unsigned char>(random())};
      std::memset(p, c.fill, bytes);
      const auto [at, fresh] = live.emplace(p, c);
      ASSERT_TRUE(fresh);
      if (const auto next = std::next(at); next != live.end()) {
        ASSERT_LE(p + bytes, next->first);
      }
      if (at != live.begin()) {
        ASSERT_LE(std::prev(at)->first + std::prev(at)->second.bytes, p);
      }
    } else {
      auto at = live.begin();
      std::advance(at, random() % live.size());
      check(at->first, at->second);
      memory.deallocate(at->first, at->second.bytes, at->second.align);
      live.erase(at);
    }
  }
  for (const auto& [p, c] : live) check(p, c);
}

TEST(arena, memory_that_was_given_back_serves_again_without_growth) {
  arena memory;
  for (std::size_t bytes : {16u, 100u, 4096u, 70000u, 3000000u}) {
    void* p = memory.allocate(bytes);
    const std::uint64_t events = memory.growth_events();
    for (int i = 0; i < 100; ++i) {
      memory.deallocate(p, bytes);
      p = memory.allocate(bytes);
    }
    EXPECT_EQ(memory.growth_events(), events);
  }
}

TEST(arena, a_large_free_chunk_is_split_before_a_block_is_taken) {
  arena memory;
  memory.deallocate(memory.allocate(1 << 20), 1 << 20);
  const std::uint64_t events = memory.growth_events();
  for (int i = 0; i < 1024; ++i) (void)memory.allocate(1024);
  EXPECT_EQ(memory.growth_events(), events);
}

TEST(arena, reserved_bytes_are_one_block_and_then_cost_no_call) {
  const std::uint64_t asked = blocks_asked;
  arena memory(1 << 20);
  EXPECT_EQ(blocks_asked - asked, 1u);
  EXPECT_EQ(memory.growth_events(), 1u);
  for (int i = 0; i < 1024; ++i) (void)memory.allocate(1024);
  EXPECT_EQ(memory.growth_events(), 1u);
}

TEST(arena, a_refusing_allocator_throws_and_changes_nothing) {
  arena memory;
  void* p = memory.allocate(64);
  const std::uint64_t events = memory.growth_events();
  const std::uint64_t bytes = memory.bytes();
  refuse_blocks = true;
  EXPECT_THROW((void)memory.allocate(1 << 20), std::bad_alloc);
  EXPECT_THROW(arena{100}, std::bad_alloc);
  refuse_blocks = false;
  EXPECT_THROW((void)memory.allocate(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW((void)memory.allocate(SIZE_MAX / 2, 4096), std::bad_alloc);
  EXPECT_THROW((void)memory.allocate(SIZE_MAX - 10, 4096), std::bad_alloc);
  EXPECT_EQ(memory.growth_events(), events);
  EXPECT_EQ(memory.bytes(), bytes);
  EXPECT_NO_THROW((void)memory.allocate(64));
  memory.deallocate(p, 64);
  EXPECT_EQ(memory.allocate(64), p);
}

TEST(arena, is_made_used_and_destroyed_in_three_threads) {
  std::unique_ptr<arena> memory;
  std::thread([&] { memory = std::make_unique<arena>(4096); }).join();
  std::thread([&] {
    for (int i = 0; i < 1000; ++i) std::memset(memory->allocate(777), 1, 777);
  }).join();
  EXPECT_GT(memory->growth_events(), 1u);
  std::thread([&] { memory.reset(); }).join();
}

}  // namespace
