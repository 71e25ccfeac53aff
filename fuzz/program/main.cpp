// All fuzz targets as one program: fuzz_targets TARGET, then the options and folders of libFuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#define FUZZ_TARGET(name) extern "C" int run_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef FUZZ_TARGET

namespace {

struct fuzz_target {
    std::string_view name;
    int (*run)(const std::uint8_t* data, std::size_t size);
};
constexpr fuzz_target targets[] = {
#define FUZZ_TARGET(name) {#name, run_##name},
#undef FUZZ_TARGET
};
const fuzz_target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    for (const fuzz_target& each : targets)
        if (*argc > 1 && each.name == (*argv)[1]) chosen = &each;
    if (!chosen) {
        std::fprintf(stderr, "usage: fuzz_targets TARGET [option or folder of libFuzzer]...; the targets are\n");
        for (const fuzz_target& each : targets) std::fprintf(stderr, "  %s\n", each.name.data());
        std::exit(2);
    }
    for (int i = 1; i + 1 < *argc; ++i) (*argv)[i] = (*argv)[i + 1];
    (*argv)[--*argc] = nullptr;
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { return chosen->run(data, size); }
