// Checkpoints with changed numbers and a matching checksum: the resumed fit ends or fails with mercer::error.
#include "contracts/damaged_checkpoints.h"

#include <gtest/gtest.h>

#include <limits>

#include "mercer/base/random_generator.h"

namespace mercer {
namespace {

using testing::checkpoint_with;

TEST(damaged_checkpoints, are_refused_or_used) {
    const std::string path = ::testing::TempDir() + "damaged.state";
    constexpr double values[] = {-1,
                                 0,
                                 1,
                                 2,
                                 0.5,
                                 1e6,
                                 1e300,
                                 -1e300,
                                 std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity()};
    random_generator random(1);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random.below(static_cast<index>(n))); };
    int without = 0;
    for (const testing::checkpointed_fit& fit : testing::checkpointed_fits()) {
        SCOPED_TRACE(fit.method());
        std::string file;
        for (int reports = 2; file.empty() && reports < 40; ++reports) file = fit.state_after(reports, path);
        if (file.empty()) {
            ++without;  // a fit of few examples may end before its first checkpoint
            continue;
        }
        const std::vector<double> numbers = testing::numbers_of_checkpoint(file);
        ASSERT_EQ(checkpoint_with(file, numbers), file);
        fit.resume(file, path);
        for (std::size_t first = 0; first < std::min<std::size_t>(12, numbers.size()); ++first)
            for (const double value : values) {  // counts and switches come first
                std::vector<double> changed = numbers;
                changed[first] = value;
                fit.resume(checkpoint_with(file, changed), path);
            }
        for (int mutant = 0; mutant < 60; ++mutant) {
            std::vector<double> changed = numbers;
            for (std::size_t changes = 1 + below(3); changes > 0; --changes)
                changed[below(changed.size())] = values[below(std::size(values))];
            if (below(3) == 0) changed.resize(below(2 * numbers.size()));
            if (changed.empty()) changed.push_back(0);
            fit.resume(checkpoint_with(file, changed), path);
        }
    }
    EXPECT_LE(without, 2);
}

}  // namespace
}  // namespace mercer
