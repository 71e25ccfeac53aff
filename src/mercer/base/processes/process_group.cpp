#include "mercer/base/processes/process_group.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"

namespace mercer {
namespace {

// Set by mpirun and srun for what they start.
bool started_with_others() {
    const auto more_than_one = [](const char* name) {
        const char* value = std::getenv(name);
        return value && std::atoi(value) > 1;
    };
    return more_than_one("OMPI_COMM_WORLD_SIZE") || more_than_one("PMI_SIZE") ||
           (std::getenv("PMIX_RANK") && more_than_one("SLURM_NTASKS"));
}

using opener = process_group* (*)();

const process_group* opened() {
    if (!started_with_others()) return nullptr;
    constexpr const char* file = "libmercer_mpi.so";
    std::error_code none;
    const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
    void* library = nullptr;
    for (const std::filesystem::path& place :
         {here / file, here / ".." / "lib" / "mercer" / file, std::filesystem::path(file)})
        if (!library) library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        const char* why = ::dlerror();
        fail(errc::unsupported, fmt::format("there are several processes, but {} cannot be loaded ({}): build with "
                                            "OpenMPI (libopenmpi-dev), or start one process",
                                            file, why ? why : "not found"));
    }
    const auto open = reinterpret_cast<opener>(::dlsym(library, "mercer_open_processes_1"));
    if (!open) fail(errc::unsupported, fmt::format("{} is of another version of mercer", file));
    return open();
}

const process_group* joined = nullptr;

}  // namespace

const process_group* started_processes() {
    static const process_group* const group = opened();
    return joined = group;
}
const process_group* joined_processes() noexcept { return joined; }

int threads_of_process(const process_group& group) {
    // mpirun may have bound a process to some of the cores; it may as well have bound several to the same.
    const auto cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    return std::max(1, std::min(threads(), cores / std::max(1, group.here())));
}

}  // namespace mercer
