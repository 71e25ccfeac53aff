#include "mercer/base/memory.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>

#include "mercer/base/control_groups.h"

#if defined(__GLIBC__) && defined(__linux__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace mercer {

std::size_t physical_memory() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t free_memory() {
    std::ifstream info("/proc/meminfo");
    std::string key, unit;
    for (std::size_t kilobytes = 0; info >> key >> kilobytes; std::getline(info, unit))
        if (key == "MemAvailable:") return 1024 * kilobytes;
    return physical_memory();
}

std::size_t default_memory_budget() {
    std::size_t most = physical_memory();
    most = std::min(most, read_control_group_limits().memory_bytes);
    if (rlimit limit{}; getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        most = std::min(most, static_cast<std::size_t>(limit.rlim_cur));
    return std::min(most / 4, free_memory() / 2);
}

void prepare_heap() {
#if defined(__GLIBC__) && defined(__linux__)
    constexpr int megabyte = 1 << 20;
    constexpr std::uintptr_t page = std::uintptr_t{2} * megabyte;
    mallopt(M_MMAP_THRESHOLD, 32 * megabyte);  // the largest value that glibc accepts
    mallopt(M_TRIM_THRESHOLD, 1024 * megabyte);
    mallopt(M_ARENA_MAX, 1);  // threads allocate rarely
    // The heap grows once by 256 MiB of addresses, which take no memory until they are written. madvise() requests
    // large pages for them.
    mallopt(M_TOP_PAD, 256 * megabyte);
    const auto before = reinterpret_cast<std::uintptr_t>(sbrk(0));
    void* volatile grown = std::malloc(megabyte);  // volatile: the compiler would remove the call
    std::free(grown);
    const auto after = reinterpret_cast<std::uintptr_t>(sbrk(0));
    mallopt(M_TOP_PAD, megabyte);
    const std::uintptr_t first = (before + page - 1) / page * page, last = after / page * page;
    if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

void return_freed_memory() {
#if defined(__GLIBC__) && defined(__linux__)
    mallopt(M_MMAP_THRESHOLD, 1 << 20);  // glibc no longer raises a threshold that has been set
#endif
}

reserved_memory::reserved_memory(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = at;
#ifdef MADV_HUGEPAGE
    madvise(at, bytes, MADV_HUGEPAGE);  // a hint, for fewer page faults when rows are first written
#endif
}

reserved_memory::~reserved_memory() {
    if (data_) munmap(data_, bytes_);
}

}  // namespace mercer
