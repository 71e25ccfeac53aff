#include "mercer/methods/svm/calibrated_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contracts/errors.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/expression/all_kernels.h"

namespace mercer {
namespace {

using mercer::testing::expect_error;

// Two groups on a line.
dataset training_points() {
    matrix<double> x(40, 1);
    for (index i = 0; i < 40; ++i) x(i, 0) = static_cast<double>(i % 20) / 10 + (i < 20 ? 0 : 1.5);
    return dense<double>(std::move(x));
}
std::vector<double> labels() {
    std::vector<double> y(40, 0.0);
    std::fill_n(y.begin() + 20, 20, 1.0);
    return y;
}

// exp(-(x - z)²) as a user-defined function, plus `skew` above the diagonal.
kernel own_gaussian(double skew, int* calls = nullptr) {
    return from_block_function(
        "own",
        [=](const dataset& x, const row_set& rows, const dataset& z, const row_set& cols, matrix_view<double> out) {
            if (calls) ++*calls;
            const dense<double> a = as_dense<double>(x), b = as_dense<double>(z);
            for (index i = 0; i < rows.size(); ++i)
                for (index j = 0; j < cols.size(); ++j) {
                    const double apart = a.row(rows[i])[0] - b.row(cols[j])[0];
                    out(i, j) = std::exp(-apart * apart) + (apart < 0 ? skew : 0);
                }
        },
        object_kind::vectors);
}

TEST(calibrated_fit, a_users_function_gives_the_machine_of_its_kernel) {
    const kernel own = own_gaussian(0), known = gaussian{1};
    EXPECT_TRUE(has_user_function(own));
    EXPECT_TRUE(has_user_function(2.0 * own + known));
    EXPECT_FALSE(has_user_function(known));
    const dataset x = training_points();
    const std::vector<double> y = labels();
    const calibration_plan plan{5, 1};
    const calibrated_fit expected = fit_calibrated(known, x, y, {}, plan, 0);
    ASSERT_TRUE(expected.model.probability);
    EXPECT_EQ(expected.calibration.unfinished, 0);
    // kernel values on demand, and all at once
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 30}) {
        const calibrated_fit found = fit_calibrated(own, x, y, {}, plan, bytes);
        EXPECT_NEAR(found.model.offset[0], expected.model.offset[0], 1e-3);
        EXPECT_NEAR(found.model.probability->A[0], expected.model.probability->A[0], 1e-2);
        EXPECT_EQ(found.model.kernel_text, "user(own)");
        EXPECT_EQ(found.model.worst_status(), fit_status::stationary) << "nothing is known about a user's function";
    }
    EXPECT_FALSE(fit_calibrated(known, x, y, {}, {}, 0).model.probability);
}

TEST(calibrated_fit, a_users_function_is_called_once_where_its_values_fit) {
    int calls = 0;
    fit_calibrated(own_gaussian(0, &calls), training_points(), labels(), {}, {5, 1}, std::size_t{1} << 30);
    EXPECT_EQ(calls, 1);
}

TEST(calibrated_fit, refuses_what_is_no_kernel_matrix) {
    const std::vector<double> y = labels();
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 30}) {
        expect_error(errc::data, "not symmetric",
                     [&] { fit_calibrated(own_gaussian(0.1), training_points(), y, {}, {}, bytes); });
        expect_error(errc::data, "is not a finite number", [&] {
            fit_calibrated(own_gaussian(std::numeric_limits<double>::quiet_NaN()), training_points(), y, {}, {}, bytes);
        });
    }
}

}  // namespace
}  // namespace mercer
