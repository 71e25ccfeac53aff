#include "mercer/base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "mercer/base/control_groups.h"

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

std::size_t spare_memory() {
    std::size_t most = physical_memory();
    most = std::min(most, limits_of_control_groups().memory_bytes);
    if (rlimit limit{}; getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        most = std::min(most, static_cast<std::size_t>(limit.rlim_cur));
    return std::min(most / 4, free_memory() / 2);
}

}  // namespace mercer
