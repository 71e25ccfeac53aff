// Limits that Linux sets on groups of processes (cgroups, versions 1 and 2): of containers, services and batch jobs.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

namespace mercer {

struct control_group_limits {
    double processors = std::numeric_limits<double>::infinity();  // processor seconds a second
    std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();
};

// The least limits among the groups that this process is in and all groups above them. root: the folder that holds proc
// and sys, for tests.
control_group_limits limits_of_control_groups(const std::string& root = "");

}  // namespace mercer
