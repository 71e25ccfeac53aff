#include "mercer/base/physical_memory.h"

#include <unistd.h>

namespace mercer {

std::size_t physical_memory() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace mercer
