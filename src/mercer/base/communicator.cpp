#include "mercer/base/communicator.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "mercer/base/control_groups.h"
#include "mercer/base/error.h"
#include "mercer/base/processors.h"
#include "mercer/base/threads.h"

namespace mercer {
namespace {

// Returns true if mpirun or srun started this process together with others. They set these variables.
bool started_with_others() {
    const auto more_than_one = [](const char* name) {
        const char* value = std::getenv(name);
        return value && std::atoi(value) > 1;
    };
    return more_than_one("OMPI_COMM_WORLD_SIZE") || more_than_one("PMI_SIZE") ||
           (std::getenv("PMIX_RANK") && more_than_one("SLURM_NTASKS"));
}

constexpr const char* library_file = "libmercer_mpi.so";

// Loads libmercer_mpi.so from the folder of the program, from the folder of the file that holds this code (the module
// of the Python package), from lib/mercer of the installation, or from the search path. Returns null if none has it.
void* load_mpi_library() {
    std::error_code none;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
    Dl_info code{};
    std::filesystem::path module;
    if (::dladdr(reinterpret_cast<const void*>(&load_mpi_library), &code) != 0 && code.dli_fname)
        module = std::filesystem::path(code.dli_fname).parent_path();
    void* library = nullptr;
    for (const std::filesystem::path& place :
         {program / library_file, module / library_file, program / ".." / "lib" / "mercer" / library_file,
          std::filesystem::path(library_file)})
        if (!library) library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    return library;
}

// A function of libmercer_mpi.so.
template <class Function>
Function* entry(const char* name) {
    static void* const library = load_mpi_library();
    if (!library) {
        const char* why = ::dlerror();
        fail(errc::unsupported, fmt::format("several processes need {}, which cannot be loaded ({}): build with "
                                            "OpenMPI (libopenmpi-dev), or start one process",
                                            library_file, why ? why : "not found"));
    }
    const auto found = reinterpret_cast<Function*>(::dlsym(library, name));
    if (!found)
        fail(errc::unsupported,
             fmt::format("{} belongs to another version of mercer: build both from the same sources", library_file));
    return found;
}

const communicator* opened() {
    return started_with_others() ? entry<communicator*()>("mercer_open_processes_3")() : nullptr;
}

const communicator* joined = nullptr;

}  // namespace

const communicator* started_communicator() {
    static const communicator* const group = opened();
    return joined = group;
}
const communicator* joined_communicator() noexcept { return joined; }

void require_same_mpi(const std::string& library) {
    const std::string ours = entry<const char*()>("mercer_mpi_library_3")();
    const auto first_line = [](const std::string& text) { return text.substr(0, text.find_first_of(",\n")); };
    if (ours != library)
        fail(errc::unsupported, fmt::format("the communicator belongs to {}, but {} was built for {}: build mercer "
                                            "with the MPI library of the communicator",
                                            first_line(library), library_file, first_line(ours)));
}

std::unique_ptr<const communicator> open_communicator(int handle, const std::string& library) {
    require_same_mpi(library);
    return std::unique_ptr<const communicator>(entry<communicator*(int)>("mercer_open_communicator_3")(handle));
}

void abort_unless_all_failed(const communicator& group, const std::string& why) {
    // Rank r waits 1 + 0.2·r seconds (at most 6), so that the failed rank of the lowest number prints its message and
    // ends the others before they print theirs.
    if (group.all_failed(1 + std::min(5.0, 0.2 * group.rank()))) return;
    std::fflush(stdout);
    fmt::print(stderr, "mercer: process {}: {}\n", group.rank(), why);
    std::fflush(stderr);
    group.abort(1);
}

int threads_per_rank(const communicator& group) {
    // mpirun may have bound each rank to processors of its own, or all ranks to the same processors, so threads(),
    // which regards the binding, is not divided. The processors of the machine and the quota of the control group,
    // which all ranks share, are divided by the number of ranks.
    const double shared = std::min<double>(online_processors(), std::ceil(read_control_group_limits().processors));
    return std::max(1, std::min(threads(), static_cast<int>(shared) / std::max(1, group.ranks_on_machine())));
}

}  // namespace mercer
