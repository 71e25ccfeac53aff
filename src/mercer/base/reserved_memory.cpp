#include "mercer/base/reserved_memory.h"

#include <sys/mman.h>

#include <new>

namespace mercer {

reserved_memory::reserved_memory(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = at;
#ifdef MADV_HUGEPAGE
    madvise(at, bytes, MADV_HUGEPAGE);  // a wish: fewer page faults when rows are first written
#endif
}

reserved_memory::~reserved_memory() {
    if (data_) munmap(data_, bytes_);
}

}  // namespace mercer
