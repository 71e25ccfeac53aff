// Limits that Linux sets on groups of processes (cgroups, versions 1 and 2): of containers, services and batch jobs.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

namespace mercer {

struct control_group_limits {
    double processors = std::numeric_limits<double>::infinity();  // processor seconds per second
    std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();
};

// The smallest limits of the groups that this process belongs to and of all groups above them. `root` is the folder
// that holds proc and sys; tests set it.
control_group_limits read_control_group_limits(const std::string& root = "");

}  // namespace mercer
