#include "mercer/solvers/nystroem/nystroem_newton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mercer/data/dataset.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/gaussian.h"

namespace mercer {
namespace {

// Centres so close beside the width of the kernel that K(Z, Z) is singular but for rounding, and a small λ: what float
// rounds away is more than the ridge. The minimum is found all the same, and as in double alone.
TEST(nystroem_newton, leaves_float_where_its_rounding_keeps_the_gap_up) {
    constexpr index n = 3000, m = 60;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(-3, 3);
    matrix<double> points(n, 1), centres(m, 1), y(n, 1);
    for (index i = 0; i < n; ++i) {
        points(i, 0) = uniform(random);
        y(i, 0) = std::sin(3 * points(i, 0)) + 0.1 * uniform(random);
        if (i < m) centres(i, 0) = points(i, 0);
    }
    const dataset x = dense<double>(std::move(points)), z = dense<double>(std::move(centres));
    const auto among = make_gram<double>(gaussian{0.5}, z), exact = make_gram<double>(gaussian{0.5}, x, z);
    const auto rough = make_gram<float>(gaussian{0.5}, x, z);
    matrix<double> k_mm(m, m);
    among->all(k_mm.view());
    const nystroem_basis basis(std::move(k_mm));
    const one_batch<double> in_double(*exact);
    const one_batch<float> in_float(*rough);
    nystroem_newton_options o;
    o.lambda = 1e-5, o.tol = 1e-9;
    column_losses losses(loss::squared(), y.view(), {});
    const auto want = nystroem_newton({&in_double, nullptr, &basis, n}, losses, o),
               got = nystroem_newton({&in_double, &in_float, &basis, n}, losses, o);
    EXPECT_EQ(want.status, fit_status::converged);
    EXPECT_EQ(got.status, fit_status::converged);
    EXPECT_LE(got.gap, o.tol * got.objective);
    EXPECT_NEAR(got.objective, want.objective, 2e-9 * want.objective);
    EXPECT_LE(got.rounds, 6);
}

}  // namespace
}  // namespace mercer
