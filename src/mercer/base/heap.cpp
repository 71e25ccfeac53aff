#include "mercer/base/heap.h"

#include <cstdint>
#include <cstdlib>

#if defined(__GLIBC__) && defined(__linux__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace mercer {

void prepare_heap() {
#if defined(__GLIBC__) && defined(__linux__)
    constexpr int megabyte = 1 << 20;
    constexpr std::uintptr_t page = std::uintptr_t{2} * megabyte;
    mallopt(M_MMAP_THRESHOLD, 32 * megabyte);  // the most that glibc takes
    mallopt(M_TRIM_THRESHOLD, 1024 * megabyte);
    mallopt(M_ARENA_MAX, 1);  // threads allocate rarely
    // The heap grows once, by addresses that cost nothing until they are written, and these are to become large pages.
    mallopt(M_TOP_PAD, 256 * megabyte);
    const auto before = reinterpret_cast<std::uintptr_t>(sbrk(0));
    void* volatile grown = std::malloc(megabyte);  // volatile: the compiler would leave it out
    std::free(grown);
    const auto after = reinterpret_cast<std::uintptr_t>(sbrk(0));
    mallopt(M_TOP_PAD, megabyte);
    const std::uintptr_t first = (before + page - 1) / page * page, last = after / page * page;
    if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

void return_freed_memory() {
#if defined(__GLIBC__) && defined(__linux__)
    mallopt(M_MMAP_THRESHOLD, 1 << 20);  // once it is set, glibc no longer raises it by itself
#endif
}

}  // namespace mercer
