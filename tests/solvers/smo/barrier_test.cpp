// The interior-point method inside SMO, checked with the optimality conditions of its problem: min ½xᵀKx - rᵀx, l <= x
// <= u, Σx fixed within each group.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "mercer/solvers/smo/free_problem.h"

namespace mercer::smo {
namespace {

struct posed {
    matrix<double> features;
    free_problem q;
};

// The dual of regression: two variables for each of n rows of Φ, the second one negative. Entries of -1, 0, 1: many
// rows are equal, some are the origin.
posed regression(std::mt19937& random, index n, index dims, double C, int groups, double spread) {
    std::uniform_int_distribution<int> corner(-1, 1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> weight(0.2, 1);
    posed p{matrix<double>(2 * n, dims), {}};
    for (index i = 0; i < n; ++i) {
        double y = normal(random);
        for (index a = 0; a < dims; ++a) {
            const double scale = std::pow(spread, static_cast<double>(a) / static_cast<double>(dims));
            p.features(i, a) = p.features(n + i, a) = scale * corner(random);
            y += p.features(i, a) / scale;
        }
        p.q.r.push_back(y);
    }
    for (index i = 0; i < n; ++i) p.q.r.push_back(p.q.r[static_cast<std::size_t>(i)] + (groups == 1 ? 0.1 : 0));
    for (index i = 0; i < n && groups == 1; ++i) p.q.r[static_cast<std::size_t>(i)] -= 0.1;
    for (index i = 0; i < 2 * n; ++i) {
        const double bound = C * weight(random);
        p.q.lower.push_back(i < n ? 0 : -bound);
        p.q.upper.push_back(i < n ? bound : 0);
        p.q.x.push_back(groups == 1 ? 0 : i < n ? bound / 2 : -bound / 2);
        p.q.group.push_back(groups == 2 && i >= n ? 1 : 0);
        p.q.status.push_back(bound_status::free);
        p.q.sum[p.q.group.back()] += p.q.x.back();
    }
    return p;
}

// max F over the variables that can increase, minus min F over those that can decrease, F = r - Kx from its definition.
double gap(const posed& p) {
    const index n = p.features.rows(), dims = p.features.cols();
    std::vector<long double> w(static_cast<std::size_t>(dims));
    for (index i = 0; i < n; ++i)
        for (index a = 0; a < dims; ++a)
            w[a] += static_cast<long double>(p.q.x[static_cast<std::size_t>(i)]) * p.features(i, a);
    double up[2] = {-HUGE_VAL, -HUGE_VAL}, low[2] = {HUGE_VAL, HUGE_VAL};
    for (index i = 0; i < n; ++i) {
        long double F = p.q.r[static_cast<std::size_t>(i)];
        for (index a = 0; a < dims; ++a) F -= w[a] * p.features(i, a);
        const auto s = static_cast<std::size_t>(i);
        const auto g = p.q.group[s];
        if (p.q.x[s] < p.q.upper[s]) up[g] = std::max(up[g], static_cast<double>(F));
        if (p.q.x[s] > p.q.lower[s]) low[g] = std::min(low[g], static_cast<double>(F));
    }
    return std::max(up[0] - low[0], up[1] - low[1]);
}

void expect_solved(const posed& start, bool thin, double tol) {
    posed p = start;
    const index n = p.features.rows();
    matrix<double> K(n, n);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            for (index a = 0; a < p.features.cols(); ++a) K(i, j) += p.features(i, a) * p.features(j, a);
    std::unique_ptr<quadratic_form> by;
    if (thin)
        by = std::make_unique<low_rank_quadratic>(p.features, p.q.group, best_vector_ops());
    else
        by = std::make_unique<dense_quadratic>(K, p.q.group, best_vector_ops());
    solve_barrier(p.q, *by, 0.01 * tol);
    per_group sum{};
    double diagonal = 0;
    for (index i = 0; i < n; ++i) diagonal += K(i, i) / static_cast<double>(n);
    for (std::size_t i = 0; i < p.q.x.size(); ++i) {
        sum[p.q.group[i]] += p.q.x[i];
        EXPECT_GE(p.q.x[i], p.q.lower[i]);
        EXPECT_LE(p.q.x[i], p.q.upper[i]);
    }
    // Each variable that is set to a bound was nearer to it than tolerance/diagonal.
    for (std::size_t g = 0; g < 2; ++g)
        EXPECT_NEAR(sum[g], start.q.sum[g], static_cast<double>(n) * 0.01 * tol / diagonal) << "group " << g;
    EXPECT_LE(gap(p), tol);
}

TEST(barrier, rows_alike_and_rows_at_the_origin) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const index n = 20 + 5 * (seed % 20), dims = 1 + seed % 4;
        const double C = std::pow(10.0, seed % 5);
        for (const int groups : {1, 2})
            for (const bool thin : {false, true}) {
                SCOPED_TRACE(::testing::Message() << (thin ? "thin" : "whole") << ", groups " << groups << ", C " << C);
                expect_solved(regression(random, n, dims, C, groups, 1), thin, 1e-4);
            }
    }
}

// The first multipliers are near the end of the path by their own measure, but the path moves away from there at first.
TEST(barrier, columns_of_very_different_size) {
    for (unsigned seed = 0; seed < 10; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        for (const int groups : {1, 2}) expect_solved(regression(random, 150, 12, 4, groups, 1e5), true, 1e-4);
    }
}

}  // namespace
}  // namespace mercer::smo
