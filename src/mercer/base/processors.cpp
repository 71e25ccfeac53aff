#include "mercer/base/processors.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "mercer/base/control_groups.h"

namespace mercer {
namespace {

int allowed_processors() {
#ifdef CPU_COUNT_S
    // The kernel's mask may be wider than cpu_set_t.
    for (int width = 1024; width <= 1 << 20; width *= 4) {
        cpu_set_t* mask = CPU_ALLOC(width);
        if (!mask) break;
        const std::size_t size = CPU_ALLOC_SIZE(width);
        const bool known = ::sched_getaffinity(0, size, mask) == 0;
        const bool too_narrow = !known && errno == EINVAL;
        const int count = known ? CPU_COUNT_S(size, mask) : 0;
        CPU_FREE(mask);
        if (count > 0) return count;
        if (!too_narrow) break;
    }
#endif
    return online_processors();
}

}  // namespace

int online_processors() { return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))); }

int usable_processors() {
    const double quota = std::ceil(read_control_group_limits().processors);
    const int allowed = allowed_processors();
    return quota < allowed ? std::max(1, static_cast<int>(quota)) : allowed;
}

}  // namespace mercer
