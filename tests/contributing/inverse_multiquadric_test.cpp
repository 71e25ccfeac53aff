#include "mercer/kernels/vectors/inverse_multiquadric.h"

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "mercer/kernels/vectors/rational_quadratic.h"

namespace mercer::testing {
namespace {

// The definition in long double with its rounding error: the contract of kernels compares blocks, diagonals and pairs with it.
const definition known("inverse_multiquadric", [] {
    std::vector<kernel_case> settings;
    for (const double c : {0.5, 1.0, 3.0})
        settings.push_back({kernel(inverse_multiquadric{c}), [c](const object& x, const object& z) {
                                const approx t = squared_distance_of(x, z);
                                const long double value = 1 / std::sqrt(1 + t.value / (c * c));
                                return propagate_error(t, value, value * value * value / (2 * c * c), 6 * value);
                            }});
    return settings;
});

TEST(inverse_multiquadric, is_a_half_where_the_squared_distance_is_three) {
    const dataset x = vectors_of<double>({{{1, 2, 3}, {}, {}}}, storage::dense),
                  z = vectors_of<double>({{{2, 1, 4}, {}, {}}}, storage::dense);
    EXPECT_DOUBLE_EQ(pair_value(kernel::parse("inverse_multiquadric()"), x, z), 0.5);
    EXPECT_DOUBLE_EQ(pair_value(kernel::parse("imq(c=2)"), x, z), 1 / std::sqrt(1.75));
}

TEST(inverse_multiquadric, is_a_rational_quadratic_kernel) {
    generator random(1);
    const dataset x = vectors_of<double>(random_vectors(random, 40, {}), storage::dense);
    const auto got = block_of(evaluator<double>(inverse_multiquadric{1.5}, x)),
               want = block_of(evaluator<double>(rational_quadratic{0.5, 1.5}, x));
    for (index i = 0; i < 40; ++i)
        for (index j = 0; j < 40; ++j) EXPECT_NEAR(got(i, j), want(i, j), 1e-14);
}

TEST(inverse_multiquadric, names_the_condition_that_its_parameter_violates) {
    expect_error(errc::invalid_argument, "c > 0", [] { kernel(inverse_multiquadric{0}); });
}

}  // namespace
}  // namespace mercer::testing
