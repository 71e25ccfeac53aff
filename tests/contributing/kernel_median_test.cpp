// Compiles and tests the list of a model's parts that CONTRIBUTING.md shows.
#include <gtest/gtest.h>

#include "contracts/errors.h"
#include "mercer/methods/archive.h"

namespace mercer {

struct kernel_median_model {
    kernel_expansion median;
    fit_status status = fit_status::converged;
    std::vector<double> distances;
};

#include "contributing/kernel_median_file.h"

namespace {

TEST(contributing, a_list_of_parts_is_a_file) {
    kernel_median_model m;
    m.median.coef = matrix<double>(3, 1);
    m.median.offset = {0};
    m.status = fit_status::step_limit;
    m.distances = {5, 4.5};
    const std::string bytes = model_bytes(m);
    const auto again = parse_model<kernel_median_model>(bytes, "m");
    EXPECT_EQ(model_bytes(again), bytes);
    EXPECT_EQ(again.distances, m.distances);
    EXPECT_EQ(again.status, m.status);
    m.distances[1] = 1 / 0.0;
    testing::expect_error(errc::parse, "m: not a valid model: a sum of distances must be finite, got inf",
                          [&] { parse_model<kernel_median_model>(model_bytes(m), "m"); });
}

}  // namespace
}  // namespace mercer
