// Fuzz target: a checkpoint with arbitrary numbers and a matching checksum, for each method that writes checkpoints.
// The resumed fit must end or fail with mercer::error.
//
// The first byte selects the fit. Then 9 bytes encode each change: the index (one byte, for the first 256 numbers) and
// the number. If the size is odd, the numbers are cut off after the last index.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "contracts/damaged_checkpoints.h"

namespace {

struct kept {
    mercer::testing::checkpointed_fit fit;
    std::string file;
};

const std::string& path() {
    static const std::string name = "/tmp/fuzz_checkpoint." + std::to_string(getpid());
    return name;
}

const std::vector<kept>& all() {
    static const std::vector<kept> found = [] {
        std::vector<kept> out;
        for (auto& fit : mercer::testing::checkpointed_fits()) {
            std::string file;
            for (int reports = 2; file.empty() && reports < 40; ++reports) file = fit.state_after(reports, path());
            if (!file.empty()) out.push_back({std::move(fit), std::move(file)});
        }
        return out;
    }();
    return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const kept& one = all()[data[0] % all().size()];
    std::vector<double> numbers = mercer::testing::numbers_of_checkpoint(one.file);
    std::size_t last = numbers.size();
    for (std::size_t at = 1; at + 9 <= size; at += 9) {
        last = data[at] % numbers.size();
        std::memcpy(&numbers[last], data + at + 1, 8);
    }
    if (size % 2 == 1) numbers.resize(last);
    constexpr int reports = 3;  // the first iterations use all numbers
    one.fit.resume(mercer::testing::checkpoint_with(one.file, numbers), path(), reports);
    return 0;
}
