#include "mercer/base/control_groups.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "io/readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;

// A folder with a few files of proc and sys that replaces / in these tests.
class fake_system {
public:
    explicit fake_system(const std::string& groups_of_process) { write("proc/self/cgroup", groups_of_process); }
    void write(const std::string& path, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path(folder_.path(path)).parent_path());
        folder_.write(path, text);
    }
    control_group_limits limits() const { return read_control_group_limits(folder_.path("")); }

private:
    scratch_folder folder_;
};

constexpr double no_quota = std::numeric_limits<double>::infinity();
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

TEST(control_groups, without_any_there_are_no_limits) {
    const scratch_folder folder;
    EXPECT_EQ(read_control_group_limits(folder.path("")).processors, no_quota);
    EXPECT_EQ(read_control_group_limits(folder.path("")).memory_bytes, no_limit);
}

TEST(control_groups, version_2_takes_the_least_limit_up_the_tree) {
    fake_system system("0::/batch.slice/job.scope\n");
    system.write("sys/fs/cgroup/batch.slice/job.scope/cpu.max", "max 100000\n");
    system.write("sys/fs/cgroup/batch.slice/job.scope/memory.max", "max\n");
    EXPECT_EQ(system.limits().processors, no_quota);
    EXPECT_EQ(system.limits().memory_bytes, no_limit);
    system.write("sys/fs/cgroup/batch.slice/cpu.max", "150000 100000\n");
    system.write("sys/fs/cgroup/batch.slice/memory.max", "1000000000\n");
    EXPECT_EQ(system.limits().processors, 1.5);
    EXPECT_EQ(system.limits().memory_bytes, 1000000000u);
    system.write("sys/fs/cgroup/batch.slice/job.scope/cpu.max", "400000 100000\n");
    EXPECT_EQ(system.limits().processors, 1.5);
    system.write("sys/fs/cgroup/batch.slice/job.scope/cpu.max", "50000 100000\n");
    system.write("sys/fs/cgroup/batch.slice/job.scope/memory.max", "7000\n");
    EXPECT_EQ(system.limits().processors, 0.5);
    EXPECT_EQ(system.limits().memory_bytes, 7000u);
}

TEST(control_groups, version_1_has_a_tree_for_each_controller) {
    fake_system system("5:memory:/copy\n3:cpu,cpuacct:/docker/a\n0::/\n");
    system.write("sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_quota_us", "-1\n");
    system.write("sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_period_us", "100000\n");
    system.write("sys/fs/cgroup/memory/copy/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(system.limits().processors, no_quota);
    EXPECT_EQ(system.limits().memory_bytes, 9223372036854771712u);
    system.write("sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "200000\n");
    system.write("sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
    system.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n");
    EXPECT_EQ(system.limits().processors, 2);
    EXPECT_EQ(system.limits().memory_bytes, 4096u);
}

// Inside a container the path may be one outside of it; the container's own limits are in the root folder.
TEST(control_groups, a_path_that_is_not_there_leads_to_the_top) {
    fake_system version_2("0::/system.slice/docker-abc.scope\n");
    version_2.write("sys/fs/cgroup/cpu.max", "300000 100000\n");
    EXPECT_EQ(version_2.limits().processors, 3);
    fake_system version_1("4:cpu:/docker/abc\n");
    version_1.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
    version_1.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(version_1.limits().processors, 1);
}

TEST(control_groups, files_that_make_no_sense_set_no_limit) {
    fake_system system("what\n0::/a\n:\n");
    for (const char* text : {"", "x y\n", "0 0\n", "-5 100000\n", "100000\n"}) {
        system.write("sys/fs/cgroup/a/cpu.max", text);
        system.write("sys/fs/cgroup/a/memory.max", "x");
        EXPECT_EQ(system.limits().processors, no_quota) << text;
        EXPECT_EQ(system.limits().memory_bytes, no_limit) << text;
    }
}

}  // namespace
}  // namespace mercer
