// mercer devices: the processors, vector instructions, BLAS and memory that the program can use.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>

#include "mercer/base/memory.h"
#include "mercer/base/processors.h"
#include "mercer/base/simd_level.h"
#include "mercer/base/threads.h"
#include "program.h"

// Only OpenBLAS has this function: the symbol is null with another BLAS.
extern "C" __attribute__((weak)) char* openblas_get_config();

namespace mercer::cli {
namespace {

// Returns the value of the first line "name : value" in a file of /proc.
std::string value_in(const char* file, const std::string& name) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(name)) {
            const auto colon = line.find(':');
            const auto first = line.find_first_not_of(" \t", colon + 1);
            if (colon != std::string::npos && first != std::string::npos) return line.substr(first);
        }
    return {};
}

const char* name(simd_level level) {
    switch (level) {
        case simd_level::avx512: return "avx512";
        case simd_level::avx2: return "avx2";
        case simd_level::baseline: break;
    }
    return "baseline";
}

json found() {
    const std::string processor = value_in("/proc/cpuinfo", "model name");
    utsname machine{};
    uname(&machine);
    return {{"processor", processor.empty() ? std::string(machine.machine) : processor},
            {"processors", online_processors()},
            {"threads", threads()},
            {"simd", name(best_simd())},
            {"blas", openblas_get_config ? std::string(openblas_get_config()) : "not OpenBLAS"},
            {"memory_bytes", physical_memory()},
            {"free_bytes", free_memory()},
            {"gpus", json::array()}};  // no backend computes on a GPU yet
}

void list(const common_options& common) {
    common.apply();
    const json all = found();
    if (common.as_json) return print(all);
    const auto gigabytes = [](const json& bytes) {
        return bytes.is_null() ? std::string("?") : fmt::format("{:.1f} GB", bytes.get<double>() / 1e9);
    };
    const auto text = [&](const char* key) { return all[key].get<std::string>(); };
    print(align_table(
        {{"processor", text("processor")},
         {"processors", fmt::format("{}, {} used (set by --threads or MERCER_THREADS)", all["processors"].get<int>(),
                                    all["threads"].get<int>())},
         {"SIMD", text("simd") + " (MERCER_SIMD selects a narrower level)"},
         {"BLAS", text("blas")},
         {"memory", fmt::format("{}, {} free", gigabytes(all["memory_bytes"]), gigabytes(all["free_bytes"]))},
         {"GPU", "none: this build has no GPU backend"}},
        {false, false}));
}

}  // namespace

void add_devices(CLI::App& program) {
    CLI::App* command =
        add_command(program, "devices", "Show the processors, SIMD, BLAS and memory in use",
                    "Shows the processors, the SIMD level and the BLAS that Mercer uses, and the total and free "
                    "memory.");
    const auto common = std::make_shared<common_options>();
    common->add_to(*command);
    command->footer(
        "The environment variable MERCER_SIMD selects a narrower level: avx512, avx2 or baseline.\n"
        "\nExamples:\n"
        "  mercer devices\n"
        "  MERCER_SIMD=avx2 mercer devices --json");
    command->callback([common] { list(*common); });
}

}  // namespace mercer::cli
