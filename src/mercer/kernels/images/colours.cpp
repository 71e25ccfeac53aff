#include "mercer/kernels/images/colours.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mercer/base/error.h"
#include "mercer/kernels/word_counts.h"

namespace mercer {

embedding colours::embedding() const {
    return description_embedding<images>(fmt::format("colours {}", bins), [bins = bins](const image& of, index i) {
        std::map<std::uint64_t, index> count;
        for (index p = 0; p < of.pixels(); ++p) {
            std::uint64_t cube = 0;
            for (index c = 0; c < 3; ++c) {
                const float value = of.values[static_cast<std::size_t>(p * of.channels + (of.channels == 3 ? c : 0))];
                if (!(value >= 0 && value <= 1))
                    fail(errc::data,
                         fmt::format("colours: values of images must lie in 0 ... 1, got {} at row {}, column {} of "
                                     "image {}",
                                     value, p / of.width, p % of.width, i));
                const auto part = std::min(static_cast<int>(static_cast<double>(value) * bins), bins - 1);
                cube = cube * static_cast<std::uint64_t>(bins) + static_cast<std::uint64_t>(part);
            }
            ++count[cube];
        }
        description out;
        for (const auto& [cube, times] : count)
            out.emplace_back(cube, static_cast<double>(times) / static_cast<double>(of.pixels()));
        return out;
    });
}

}  // namespace mercer
