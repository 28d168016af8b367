// Replaces every allocator that a program can call and counts the calls: the malloc family, operator new, mimalloc, mmap and its kin.
//
// Included by the one source file of a test program. A call made inside another one counts once: mimalloc asking the system for pages is part
// of the call that asked mimalloc.
#pragma once

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace allocations {

inline std::atomic<bool> counting{false};
inline std::atomic<std::uint64_t> calls{0};
inline thread_local int depth = 0;
/// Set to stop in a debugger, or by abort(), at the first call that is counted.
inline std::atomic<bool> trap{false};

/// One call of an allocator.
class call {
 public:
  call() noexcept {
    if (depth++ == 0 && counting.load(std::memory_order_relaxed)) {
      calls.fetch_add(1, std::memory_order_relaxed);
      if (trap) __builtin_trap();
    }
  }
  ~call() { --depth; }
  call(const call&) = delete;
  call& operator=(const call&) = delete;
};

inline void begin() noexcept {
  calls = 0;
  counting = true;
}
inline std::uint64_t end() noexcept {
  counting = false;
  return calls;
}

template <class F>
F* next(const char* name) noexcept {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace allocations

// --- the malloc family ------------------------------------------------------------------------------------------------------------------

extern "C" {
void* malloc(std::size_t n) {
  const allocations::call counted;
  return __libc_malloc(n);
}
void* calloc(std::size_t n, std::size_t size) {
  const allocations::call counted;
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t n) {
  const allocations::call counted;
  return __libc_realloc(p, n);
}
void* reallocarray(void* p, std::size_t n, std::size_t size) {
  const allocations::call counted;
  std::size_t bytes = 0;
  return __builtin_mul_overflow(n, size, &bytes) ? nullptr : __libc_realloc(p, bytes);
}
void* memalign(std::size_t align, std::size_t n) {
  const allocations::call counted;
  return __libc_memalign(align, n);
}
void* aligned_alloc(std::size_t align, std::size_t n) {
  const allocations::call counted;
  return __libc_memalign(align, n);
}
int posix_memalign(void** p, std::size_t align, std::size_t n) {
  const allocations::call counted;
  *p = __libc_memalign(align, n);
  return *p == nullptr ? ENOMEM : 0;
}
void* valloc(std::size_t n) {
  const allocations::call counted;
  return __libc_memalign(4096, n);
}
void free(void* p) { __libc_free(p); }

// --- pages ---------------------------------------------------------------------------------------------------------------------------------

void* mmap(void* at, std::size_t n, int protection, int flags, int file, off_t offset) noexcept {
  const allocations::call counted;
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, n, protection, flags, file, offset));
}
void* mmap64(void* at, std::size_t n, int protection, int flags, int file, off_t offset) noexcept {
  return mmap(at, n, protection, flags, file, offset);
}
void* mremap(void* p, std::size_t before, std::size_t after, int flags, ...) noexcept {
  const allocations::call counted;
  va_list more;
  va_start(more, flags);
  void* to = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  return reinterpret_cast<void*>(syscall(SYS_mremap, p, before, after, flags, to));
}

// --- mimalloc ------------------------------------------------------------------------------------------------------------------------------

#define SPILLWAY_COUNT_MI(name, parameters, arguments)                    \
  void* name parameters noexcept {                                        \
    const allocations::call counted;                                      \
    static auto* const real = allocations::next<void* parameters>(#name); \
    return real arguments;                                                \
  }
SPILLWAY_COUNT_MI(mi_malloc, (std::size_t n), (n))
SPILLWAY_COUNT_MI(mi_zalloc, (std::size_t n), (n))
SPILLWAY_COUNT_MI(mi_malloc_small, (std::size_t n), (n))
SPILLWAY_COUNT_MI(mi_calloc, (std::size_t n, std::size_t size), (n, size))
SPILLWAY_COUNT_MI(mi_mallocn, (std::size_t n, std::size_t size), (n, size))
SPILLWAY_COUNT_MI(mi_realloc, (void* p, std::size_t n), (p, n))
SPILLWAY_COUNT_MI(mi_expand, (void* p, std::size_t n), (p, n))
SPILLWAY_COUNT_MI(mi_malloc_aligned, (std::size_t n, std::size_t align), (n, align))
SPILLWAY_COUNT_MI(mi_zalloc_aligned, (std::size_t n, std::size_t align), (n, align))
SPILLWAY_COUNT_MI(mi_realloc_aligned, (void* p, std::size_t n, std::size_t align), (p, n, align))
#undef SPILLWAY_COUNT_MI
}

// --- operator new --------------------------------------------------------------------------------------------------------------------------

namespace allocations {
inline void* counted_new(std::size_t n, std::size_t align) {
  const call counted;
  void* p = align <= alignof(std::max_align_t) ? __libc_malloc(n) : __libc_memalign(align, n);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
inline void* counted_new_or_null(std::size_t n, std::size_t align) noexcept {
  const call counted;
  return align <= alignof(std::max_align_t) ? __libc_malloc(n) : __libc_memalign(align, n);
}
}  // namespace allocations

void* operator new(std::size_t n) { return allocations::counted_new(n, 1); }
void* operator new[](std::size_t n) { return allocations::counted_new(n, 1); }
void* operator new(std::size_t n, std::align_val_t a) { return allocations::counted_new(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocations::counted_new(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocations::counted_new_or_null(n, 1); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocations::counted_new_or_null(n, 1); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocations::counted_new_or_null(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocations::counted_new_or_null(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { __libc_free(p); }
void operator delete[](void* p) noexcept { __libc_free(p); }
void operator delete(void* p, std::size_t) noexcept { __libc_free(p); }
void operator delete[](void* p, std::size_t) noexcept { __libc_free(p); }
void operator delete(void* p, std::align_val_t) noexcept { __libc_free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { __libc_free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { __libc_free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { __libc_free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { __libc_free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { __libc_free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { __libc_free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { __libc_free(p); }
