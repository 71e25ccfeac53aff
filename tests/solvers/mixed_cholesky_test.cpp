#include "mercer/solvers/algebra/mixed_cholesky.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "insight/random_matrices.h"
#include "mercer/base/parallel.h"

namespace mercer {
namespace {

using namespace testing;

struct answer {
    mixed_result found;
    eigen_matrix x;  // a row for each right-hand side
};

// A in the upper half; whatever stands below is L's room.
answer solve(const eigen_matrix& a, const eigen_matrix& b) {
    const index n = a.rows();
    mixed_matrix memory(n);
    for (index i = 0; i < n; ++i)
        for (index j = i; j < n; ++j) memory.upper()(i, j) = a(i, j);
    matrix<double> x = to_matrix(b);
    answer out{mixed_cholesky_solve(memory.upper(), memory.lower(), x.view()), {}};
    out.x = to_eigen(x.view());
    for (index i = 0; i < n; ++i)
        for (index j = i; j < n; ++j)
            EXPECT_EQ(std::isnan(a(i, j)) ? 0 : memory.upper()(i, j), std::isnan(a(i, j)) ? 0 : a(i, j))
                << "A is only read";
    return out;
}

// The rule, from the definition and in long double.
void expect_solved(const eigen_matrix& a, const eigen_matrix& b, const answer& got) {
    ASSERT_TRUE(got.found.solved);
    using wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    const auto n = static_cast<double>(a.rows());
    const double norm = a.cwiseAbs().rowwise().sum().maxCoeff();
    const wide rest = b.cast<long double>().transpose() - a.cast<long double>() * got.x.cast<long double>().transpose();
    for (index c = 0; c < b.rows(); ++c) {
        const double scale = norm * got.x.row(c).cwiseAbs().maxCoeff();
        // the residual that was measured in double is off by its own rounding
        EXPECT_LE(static_cast<double>(rest.col(c).cwiseAbs().maxCoeff()),
                  2 * std::sqrt(n) * std::numeric_limits<double>::epsilon() / 2 * scale);
    }
    EXPECT_LE(got.found.residual, std::sqrt(n) * std::numeric_limits<double>::epsilon() / 2);
}

Eigen::VectorXd spread(index n, double least) {
    Eigen::VectorXd values(n);
    for (index i = 0; i < n; ++i)
        values(i) = std::pow(least, n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.0);
    return values;
}

TEST(mixed_cholesky, solves_to_the_accuracy_of_double) {
    std::mt19937_64 random(1);
    for (const index n : {1, 2, 63, 64, 65, 200, 301})
        for (const index columns : {1, 2, 5})
            for (const double least : {1.0, 1e-3, 1e-5}) {
                const eigen_matrix a = with_eigenvalues(spread(n, least), random),
                                   b = random_matrix(columns, n, random);
                const answer got = solve(a, b);
                expect_solved(a, b, got);
                const eigen_matrix expected = a.llt().solve(b.transpose()).transpose();
                EXPECT_LE((got.x - expected).norm(), 1e-14 * static_cast<double>(n) / least * expected.norm())
                    << n << " " << least;
            }
}

TEST(mixed_cholesky, scales_of_its_rows_do_not_matter) {
    std::mt19937_64 random(2);
    const index n = 150;
    eigen_matrix a = with_eigenvalues(spread(n, 1e-3), random), b = random_matrix(2, n, random);
    Eigen::VectorXd d(n);
    for (index i = 0; i < n; ++i) d(i) = std::ldexp(1.0, static_cast<int>(i % 41) - 20);
    a = d.asDiagonal() * a * d.asDiagonal();
    expect_solved(a, b, solve(a, b));
    a *= 1e200;  // far beyond float
    b *= 1e100;
    expect_solved(a, b, solve(a, b));
}

// A factor in float often exists for these; only double may say what they are.
TEST(mixed_cholesky, leaves_what_is_not_definite_to_double) {
    std::mt19937_64 random(3);
    const index n = 120;
    for (const double least : {-0.5, -1e-3, -1e-6, -1e-8, -1e-10, -1e-13, 0.0})
        for (int again = 0; again < 10; ++again) {
            Eigen::VectorXd values = Eigen::VectorXd::Ones(n);
            values(n / 2) = least;
            const Eigen::HouseholderQR<Eigen::MatrixXd> qr(random_matrix(n, n, random));
            const Eigen::MatrixXd q = qr.householderQ();
            const Eigen::MatrixXd half = q * values.asDiagonal() * q.transpose();
            const eigen_matrix a = (half + half.transpose()) / 2;
            // a right-hand side that does not touch the direction in question
            const eigen_matrix b = q.col(0).transpose();
            const answer got = solve(a, b);
            EXPECT_FALSE(got.found.solved) << least;
            EXPECT_EQ(got.x, b) << "what is not solved stays";
        }
    // Twins without a ridge.
    eigen_matrix twins = random_psd(n, n, random);
    twins.row(7) = twins.row(90), twins.col(7) = twins.col(90), twins(7, 7) = twins(90, 90);
    EXPECT_FALSE(solve(twins, random_matrix(1, n, random)).found.solved);
}

TEST(mixed_cholesky, extremes) {
    std::mt19937_64 random(4);
    eigen_matrix a = random_psd(80, 200, random);
    const eigen_matrix none = eigen_matrix::Zero(1, 80);
    const answer zero = solve(a, none);
    EXPECT_TRUE(zero.found.solved);
    EXPECT_EQ(zero.x, none);
    EXPECT_TRUE(solve(a, eigen_matrix(0, 80)).found.solved);
    const eigen_matrix b = random_matrix(1, 80, random);
    a(3, 50) = a(50, 3) = std::nan("");
    EXPECT_FALSE(solve(a, b).found.solved);
    a(3, 50) = a(50, 3) = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(solve(a, b).found.solved);
    EXPECT_FALSE(solve(eigen_matrix::Zero(4, 4), random_matrix(1, 4, random)).found.solved);
    EXPECT_FALSE(solve(-eigen_matrix::Identity(4, 4), random_matrix(1, 4, random)).found.solved);
}

TEST(mixed_cholesky, the_same_bits_for_any_number_of_threads) {
    std::mt19937_64 random(5);
    const eigen_matrix a = with_eigenvalues(spread(300, 1e-4), random), b = random_matrix(3, 300, random);
    const answer many = solve(a, b);
    thread_limit one(1);
    EXPECT_EQ(solve(a, b).x, many.x);
}

}  // namespace
}  // namespace mercer
