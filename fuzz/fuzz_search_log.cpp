// Fuzz target: arbitrary bytes as the log of a search must give a consistent table of settings, or mercer::error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/model_selection/search_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const mercer::api::tuning found =
            mercer::api::parse_tune_log({reinterpret_cast<const char*>(data), size}, "fuzz");
        if (found.trials.empty() || found.best >= found.trials.size()) std::abort();
        for (const auto& trial : found.trials)
            if (trial.at.size() != found.axes.size()) std::abort();
    } catch (const mercer::error&) {
    }
    return 0;
}
