#include "mercer/meta/relevance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "contracts/kernel_contract.h"
#include "mercer/kernels/evaluation/pair_evaluation.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using mercer::testing::block_of;
using ::testing::HasSubstr;

// y = sin 3x₀ + cos 4x₁; the other two columns are noise.
struct made_up {
    dataset x;
    matrix<double> y;
};
made_up make_up(index n, bool positive = false) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> share(0, 1);
    matrix<double> x(n, 4), y(n, 1);
    for (index i = 0; i < n; ++i) {
        for (index a = 0; a < 4; ++a) x(i, a) = positive ? share(random) : 2 * share(random) - 1;
        y(i, 0) = std::sin(3 * x(i, 0)) + std::cos(4 * x(i, 1)) + 0.05 * (share(random) - 0.5);
    }
    return {dataset(dense<double>(std::move(x))), std::move(y)};
}

TEST(kernel_slopes, are_those_of_differences) {
    for (const char* text :
         {"rbf(gamma=0.7)", "matern(nu=0.5)", "matern(nu=1.5)", "matern(nu=2.5, length_scale=2)",
          "rational_quadratic(alpha=2)", "laplacian(gamma=0.3)", "poly(degree=3, gamma=0.5, coef0=1)", "linear()",
          "exp(0.3*linear())", "0.5*rbf(gamma=2) + linear()*rbf(gamma=0.1)", "polynomial_of(linear(), [1, 2, 3])",
          "all_subsets()", "chi2(gamma=0.5)", "intersection()", "rbf(gamma=1)^2"}) {
        const kernel_derivative k(kernel::parse(text));
        std::vector<double> at, slope(k.inputs().size()), ignored(slope.size());
        for (std::size_t s = 0; s < slope.size(); ++s) at.push_back(0.8 + 0.3 * static_cast<double>(s));
        k(at, slope);
        for (std::size_t s = 0; s < slope.size(); ++s) {
            constexpr double h = 1e-5;
            std::vector<double> up = at, down = at;
            up[s] += h, down[s] -= h;
            EXPECT_NEAR(slope[s], (k(up, ignored) - k(down, ignored)) / (2 * h), 1e-8) << text;
        }
    }
    EXPECT_EQ(kernel_derivative(kernel::parse("rbf(gamma=1) + rbf(gamma=2)")).inputs().size(), 1u);
}

TEST(kernel_slopes, refuses_what_is_no_function_of_the_columns) {
    for (const char* text :
         {"normalize(poly(degree=2, coef0=1))", "columns(rbf(gamma=1), [0])", "periodic()", "spectrum(k=2)"})
        EXPECT_THAT(failure([&] { kernel_derivative{kernel::parse(text)}; }),
                    HasSubstr("has no derivatives by columns"))
            << text;
}

TEST(relevance, the_gradient_is_that_of_differences) {
    for (const char* text :
         {"rbf(gamma=0.7)", "matern(nu=1.5)", "laplacian(gamma=0.3)", "0.5*rbf(gamma=2) + 0.2*linear()",
          "poly(degree=2, gamma=1, coef0=1)", "all_subsets()", "chi2(gamma=1)", "intersection()"})
        for (const auto criterion : {relevance_criterion::evidence, relevance_criterion::loo}) {
            const made_up data = make_up(25, true);
            const relevance_objective f(kernel::parse(text), data.x, data.y.view(), criterion);
            const std::vector<double> at{0.2, -0.3, 0.1, 0.4, -1.5};
            std::vector<double> gradient(5), ignored(5);
            f(at, gradient);
            for (std::size_t a = 0; a < at.size(); ++a) {
                constexpr double h = 1e-5;
                std::vector<double> up = at, down = at;
                up[a] += h, down[a] -= h;
                EXPECT_NEAR(gradient[a], (f(up, ignored) - f(down, ignored)) / (2 * h), 1e-7) << text << " " << a;
            }
        }
}

// The criteria from their definitions: leave-one-out by refitting, and the likelihood from a determinant.
TEST(relevance, the_criteria_are_what_they_say) {
    const made_up data = make_up(20);
    std::vector<double> ignored(5);
    const std::vector<double> at{0.5, 0.0, -0.5, -1.0, std::log(0.2)};
    std::vector<double> s;
    for (int a = 0; a < 4; ++a) s.push_back(std::exp(at[static_cast<std::size_t>(a)]));
    const kernel k = scaled(kernel::parse("rbf(gamma=0.7)"), s);
    double mean = 0;
    for (index i = 0; i < 20; ++i) mean += data.y(i, 0) / 20;
    matrix<double> y(20, 1);
    for (index i = 0; i < 20; ++i) y(i, 0) = data.y(i, 0) - mean;
    kernel_ridge_options o;
    o.alpha = 0.2;
    double sum = 0;
    for (index out = 0; out < 20; ++out) {
        std::vector<index> rest;
        matrix<double> z(19, 1);
        for (index i = 0; i < 20; ++i)
            if (i != out) z(static_cast<index>(rest.size()), 0) = y(i, 0), rest.push_back(i);
        const auto model = fit_kernel_ridge(k, gather(data.x, std::span<const index>(rest)), z.view(), o);
        sum += std::pow(y(out, 0) - predict(model, gather(data.x, row_set(out, 1)))(0, 0), 2) / 20;
    }
    const relevance_objective loo(kernel::parse("rbf(gamma=0.7)"), data.x, data.y.view(), relevance_criterion::loo);
    EXPECT_NEAR(loo(at, ignored), 0.5 * std::log(sum), 1e-8);
    // log|A| and yᵀA⁻¹y by elimination.
    matrix<double> A(20, 21);
    for (index i = 0; i < 20; ++i) {
        for (index j = 0; j < 20; ++j)
            evaluator<double>(k, data.x).block(row_set(i, 1), row_set(j, 1), matrix_view<double>(&A(i, j), 1, 1));
        A(i, i) += 0.2;
        A(i, 20) = y(i, 0);
    }
    double determinant = 0, square = 0;
    for (index c = 0; c < 20; ++c) {
        determinant += std::log(A(c, c));
        square += A(c, 20) * A(c, 20) / A(c, c);  // of LDLᵀ
        for (index r = c + 1; r < 20; ++r) {
            const double by = A(r, c) / A(c, c);
            for (index j = c; j <= 20; ++j) A(r, j) -= by * A(c, j);
        }
    }
    const relevance_objective evidence(kernel::parse("rbf(gamma=0.7)"), data.x, data.y.view(),
                                       relevance_criterion::evidence);
    EXPECT_NEAR(evidence(at, ignored), 0.5 * (determinant / 20 + std::log(square / 20)), 1e-8);
}

TEST(relevance, finds_the_columns_that_matter) {
    const made_up data = make_up(150);
    for (const auto criterion : {relevance_criterion::evidence, relevance_criterion::loo})
        for (const char* text : {"rbf(gamma=1)", "matern(nu=2.5)"}) {
            relevance_options o;
            o.criterion = criterion;
            const learnt_relevance found = learn_relevance(kernel::parse(text), data.x, data.y.view(), o);
            EXPECT_LT(found.after, found.before);
            // Without a noise term, leave-one-out would depend on the rounding of the matrix.
            EXPECT_GE(found.noise, 1e-8) << text;
            EXPECT_EQ(found.status, fit_status::stationary) << text;
            for (const int noise : {2, 3})
                for (const int real : {0, 1})
                    EXPECT_LT(found.factors[static_cast<std::size_t>(noise)],
                              0.3 * found.factors[static_cast<std::size_t>(real)])
                        << text;
            // The learnt expression is the kernel of the scaled columns.
            const kernel by_hand = scaled(kernel::parse(text), found.factors);
            const matrix<double> got = block_of(evaluator<double>(found.learnt, data.x)),
                                 want = block_of(evaluator<double>(by_hand, data.x));
            for (index i = 0; i < 150; ++i)
                for (index j = 0; j < 150; ++j) EXPECT_NEAR(got(i, j), want(i, j), 1e-12);
            EXPECT_EQ(kernel::parse(found.learnt.text()).text(), found.learnt.text());
        }
}

TEST(relevance, says_what_is_wrong) {
    made_up data = make_up(10);
    EXPECT_THAT(failure([&] { learn_relevance(gaussian{1}, data.x, matrix<double>(3, 1).view()); }),
                HasSubstr("10 examples, but 3"));
    EXPECT_THAT(failure([&] { learn_relevance(gaussian{1}, data.x, matrix<double>(10, 1).view()); }),
                HasSubstr("all targets"));
    EXPECT_THAT(failure([&] { learn_relevance(kernel::parse("cosine()"), data.x, data.y.view()); }),
                HasSubstr("no derivatives"));
    relevance_options o;
    o.noise = 0;
    EXPECT_THAT(failure([&] { learn_relevance(gaussian{1}, data.x, data.y.view(), o); }), HasSubstr("0 < noise"));
}

}  // namespace
}  // namespace mercer
