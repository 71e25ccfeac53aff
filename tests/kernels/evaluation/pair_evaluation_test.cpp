#include "mercer/kernels/evaluation/pair_evaluation.h"

#include <gtest/gtest.h>

#include <limits>

#include "contracts/kernel_contract.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer::testing {
namespace {

// Rounding in long double by the reference itself, and 4ε for the parameters, which the reference uses as stored.
template <class R>
void expect_bounds(const kernel_case& s, const testing::objects& x, const std::string& what) {
    const certified_kernel<R> truth(s.k, data_for(s, x));
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < x.size(); ++j) {
            const error_bounded<R> got = truth(static_cast<index>(i), static_cast<index>(j));
            const approx want = s.f(x[i], x[j]);
            const long double own =
                slack * (want.error + std::abs(want.value)) * std::numeric_limits<long double>::epsilon();
            EXPECT_LE(std::abs(static_cast<long double>(got.value) - want.value),
                      static_cast<long double>(got.error) + own)
                << what << " of " << i << ", " << j;
        }
}

// Returns true if no map of the kernel is treated as exact (list_exact_parts).
bool has_exact_coordinates(const kernel& k) { return list_exact_parts(k).empty(); }

TEST(precise_kernel, bounds_hold_for_all_kernels) {
    generator random(3);
    for (const auto& [info, make, others] : kernel_registry()) {
        for (const kernel_case& s : kernel_cases_of(info.name)) {
            if (!has_exact_coordinates(s.k)) continue;
            const testing::objects x = objects_for(s, random, 6);
            expect_bounds<double>(s, x, s.k.text());
            expect_bounds<long double>(s, x, s.k.text());
        }
    }
}

TEST(precise_kernel, bounds_hold_for_composites_that_cancel) {
    generator random(4);
    const auto one = [](const char* name, std::size_t which = 0) { return kernel_cases_of(name).at(which); };
    const kernel_case rbf = one("rbf"), linear = one("linear"), sigmoid = one("sigmoid");
    const std::vector<kernel_case> all = {sum(rbf, scaled(-0.9999999999999, rbf)),
                                          sum(product(rbf, linear), scaled(-1, linear)),
                                          polynomial_in(linear, {1, -2, 1}),
                                          normalised_of(exponential(linear)),
                                          normalised_of(sum(power(linear, 2), rbf)),
                                          power(sum(rbf, exponential(sigmoid)), 1.5),
                                          on_columns(sum(sigmoid, scaled(-1, rbf)), {1})};
    for (const kernel_case& s : all) {
        const testing::objects x = objects_for(s, random, 6);
        expect_bounds<double>(s, x, s.k.text());
        expect_bounds<long double>(s, x, s.k.text());
    }
}

TEST(precise_kernel, knows_distances_where_products_do_not) {
    // Two points 1e-3 apart at 1e8: ‖x‖² + ‖z‖² - 2xᵀz in double is off by more than the distance.
    matrix<double> rows(2, 1);
    rows(0, 0) = 1e8;
    rows(1, 0) = 1e8 + 0x1p-10;
    const certified_kernel<double> truth(gaussian{1}, dense<double>(std::move(rows)));
    const error_bounded<double> got = truth(0, 1);
    EXPECT_NEAR(got.value, std::exp(-0x1p-20), 1e-15);
    EXPECT_LT(got.error, 1e-14);
}

// Products of zeros are exactly zero, and so are their powers; an underflow is not an exact zero.
TEST(precise_kernel, knows_an_exact_zero) {
    matrix<double> rows(3, 4);
    rows(0, 0) = rows(1, 1) = 3, rows(2, 2) = rows(2, 3) = 0.1;
    const dataset x = dense<double>(std::move(rows));
    for (const char* text :
         {"linear()^0.5", "linear()^1.5", "intersection()^0.01", "(2*linear() + 0*rbf(gamma=0.3))^0.7", "linear()^5000",
          "(linear()*rbf(gamma=0.3))^0.5", "normalize(linear())^0.5"}) {
        const error_bounded<double> one = certified_kernel<double>(kernel::parse(text), x)(0, 1);
        const error_bounded<long double> two = certified_kernel<long double>(kernel::parse(text), x)(2, 0);
        EXPECT_TRUE(one.is_zero()) << text;
        EXPECT_TRUE(two.is_zero()) << text;
    }
    matrix<double> tiny(2, 1);
    tiny(0, 0) = tiny(1, 0) = 1e-200;
    EXPECT_FALSE(certified_kernel<double>(linear{}, dense<double>(std::move(tiny)))(0, 1).is_zero());
}

TEST(precise_kernel, a_parameter_is_known_as_well_as_it_is_written) {
    EXPECT_EQ(error_bounded<long double>(0.375).error, 0);
    EXPECT_EQ(error_bounded<long double>(-12.0).error, 0);
    EXPECT_GE(error_bounded<long double>(0.3).error, std::abs(0.3L - static_cast<long double>(0.3)));
    // 0.3 + 0.7 is not 1 in binary, and the kernel written as rbf(0.3)·rbf(0.7) - rbf(1) is zero: no other bound may be
    // derived.
    matrix<double> rows(2, 1);
    rows(1, 0) = 1.3;
    const kernel zero = kernel(gaussian{0.3}) * kernel(gaussian{0.7}) - kernel(gaussian{1});
    const error_bounded<long double> got = certified_kernel<long double>(zero, dense<double>(std::move(rows)))(0, 1);
    EXPECT_LE(std::abs(got.value), got.error);
}

TEST(precise_kernel, names_what_it_takes_as_exact) {
    const kernel user = from_function("mine", [](std::span<const double>, std::span<const double>) { return 1.0; });
    EXPECT_EQ(list_exact_parts(kernel::parse("periodic() + 2*rbf()") + user),
              (std::vector<std::string>{"the coordinates of " + kernel::parse("periodic()").text(), "mine"}));
    EXPECT_TRUE(compares_by_user_function(2 * user));
    EXPECT_FALSE(compares_by_user_function(kernel::parse("rbf() - linear()")));
}

}  // namespace
}  // namespace mercer::testing
