#include "mercer/base/control_groups.h"

#include <algorithm>
#include <fstream>
#include <vector>

namespace mercer {
namespace {

// The number in a file; -1 if there is no file or it holds "max" (no limit).
double number_in(const std::string& path) {
    double value = -1;
    return std::ifstream(path) >> value ? value : -1;
}

void apply_processors(double quota, double period, control_group_limits& limits) {
    if (quota > 0 && period > 0) limits.processors = std::min(limits.processors, quota / period);
}

void apply_memory(double bytes, control_group_limits& limits) {
    constexpr auto most = static_cast<double>(std::numeric_limits<std::size_t>::max());
    if (bytes >= 0 && bytes < most)
        limits.memory_bytes = std::min(limits.memory_bytes, static_cast<std::size_t>(bytes));
}

void apply_folder(const std::string& folder, control_group_limits& limits) {
    double quota = -1, period = -1;
    if (std::ifstream(folder + "/cpu.max") >> quota >> period) apply_processors(quota, period, limits);
    apply_processors(number_in(folder + "/cpu.cfs_quota_us"), number_in(folder + "/cpu.cfs_period_us"), limits);
    apply_memory(number_in(folder + "/memory.max"), limits);
    apply_memory(number_in(folder + "/memory.limit_in_bytes"), limits);
}

}  // namespace

control_group_limits read_control_group_limits(const std::string& root) {
    control_group_limits limits;
    const std::string groups = root + "/sys/fs/cgroup";
    std::ifstream list(root + "/proc/self/cgroup");
    // A line is number:controllers:path; in version 2 the controllers are empty. In a container the path may be that of
    // the host, and its folders do not exist here: then only the group at the top is found, which is the container's.
    for (std::string line; std::getline(list, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string folder = groups + "/";
        std::vector<std::string> hierarchies{folder + controllers};
        if (controllers.empty()) hierarchies = {groups, groups + "/unified"};
        for (std::size_t at = 0, comma = 0; comma != std::string::npos && !controllers.empty(); at = comma + 1) {
            comma = controllers.find(',', at);
            hierarchies.push_back(folder + controllers.substr(at, comma - at));
        }
        std::string path = line.substr(second + 1);
        while (!path.empty() && path.back() == '/') path.pop_back();
        for (;; path.resize(path.rfind('/'))) {
            for (const std::string& each : hierarchies) apply_folder(each + path, limits);
            if (path.rfind('/') == std::string::npos) break;
        }
    }
    return limits;
}

}  // namespace mercer
