#include "mercer/dense/lanczos.h"

#include <gtest/gtest.h>

#include "kernel_analysis/random_matrices.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram_product.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/gram/row_cache.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {
namespace {

using namespace testing;

lanczos_result top(const real_matrix& a, lanczos_options o) {
    return block_lanczos(
        a.rows(),
        [&](matrix_view<const double> v, matrix_view<double> out) {
            const real_matrix product = a * real_matrix(v);
            for (index i = 0; i < out.rows; ++i)
                for (index j = 0; j < out.cols; ++j) out(i, j) = product(i, j);
        },
        o);
}

void expect_pairs(const real_matrix& a, const lanczos_result& found, index pairs) {
    ASSERT_EQ(static_cast<index>(found.values.size()), pairs);
    const std::vector<double> all = eigenvalues_of(a);  // ascending
    const double scale = std::max(std::abs(all.front()), std::abs(all.back()));
    const real_matrix u = found.vectors;
    EXPECT_LE((u * u.transpose() - real_matrix::identity(pairs)).norm(), 1e-11);
    for (index i = 0; i < pairs; ++i) {
        const double value = found.values[static_cast<std::size_t>(i)];
        EXPECT_NEAR(value, all[static_cast<std::size_t>(a.rows() - 1 - i)], 1e-10 * scale);
        // The reported residual equals the true one, up to rounding.
        const real_matrix own = u.nth_row(i).transpose();
        EXPECT_NEAR((a * own - value * own).norm(), found.residuals[static_cast<std::size_t>(i)], 1e-12 * scale);
    }
}

TEST(block_lanczos, largest_pairs_of_random_matrices) {
    std::mt19937_64 random(1);
    for (const index n : {1, 2, 7, 60, 200})
        for (const index pairs : {1, 5, 20})
            for (const index block : {1, 3, 16})
                for (const index first : {0, 1, 15}) {
                    if (pairs > n) continue;
                    const real_matrix a = symmetric_part(random_matrix(n, n, random));  // indefinite
                    const lanczos_result found =
                        top(a, {.pairs = pairs, .block = block, .first_block = first, .max_passes = 100000});
                    EXPECT_EQ(found.status, fit_status::converged);
                    expect_pairs(a, found, pairs);
                }
}

TEST(block_lanczos, spectra_that_are_hard) {
    std::mt19937_64 random(2);
    constexpr index n = 150;
    std::vector<double> equal(n, 3.0), steps(n), low(n);
    for (std::size_t i = 0; i < n; ++i) steps[i] = std::pow(0.5, static_cast<double>(i));
    low[0] = 2, low[1] = 1;
    for (const auto& values : {equal, steps, low}) {
        const real_matrix a = with_eigenvalues(values, random);
        expect_pairs(a, top(a, {.pairs = 8, .block = 4}), 8);
    }
    expect_pairs(real_matrix(20, 20), top(real_matrix(20, 20), {.pairs = 3, .block = 2}), 3);
    // A basis that is too small for one run restarts and still converges.
    std::vector<double> slow(n);
    for (std::size_t i = 0; i < n; ++i) slow[i] = 1 + 0.01 * static_cast<double>(i);
    const real_matrix a = with_eigenvalues(slow, random);
    const lanczos_result found = top(a, {.pairs = 4, .block = 2, .max_basis = 12, .max_passes = 5000});
    EXPECT_EQ(found.status, fit_status::converged);
    EXPECT_GT(found.passes, 12);
    expect_pairs(a, found, 4);
}

// Cancels at each product: the result is the pairs of the previous product with their residuals.
TEST(block_lanczos, a_product_that_is_stopped) {
    std::mt19937_64 random(7);
    const index n = 120;
    const real_matrix a = random_psd(n, n, random);
    for (index last = 0; last < 25; ++last) {
        SCOPED_TRACE(last);
        index calls = 0;
        const auto multiply = [&](matrix_view<const double> v, matrix_view<double> out) {
            if (calls++ == last) fail(errc::cancelled, "stopped");
            const real_matrix product = a * real_matrix(v);
            for (index i = 0; i < n; ++i)
                for (index j = 0; j < v.cols; ++j) out(i, j) = product(i, j);
        };
        const lanczos_options o{.pairs = 4, .block = 2, .max_basis = 12, .tol = 1e-14};
        if (last == 0) {
            expect_error(errc::cancelled, "stopped by the caller before the first eigenpair was",
                         [&] { block_lanczos(n, multiply, o); });
            continue;
        }
        const lanczos_result found = block_lanczos(n, multiply, o);
        ASSERT_EQ(found.status, fit_status::cancelled);
        EXPECT_EQ(found.passes, last);
        const real_matrix u = found.vectors;
        ASSERT_EQ(u.rows(), static_cast<index>(found.values.size()));
        EXPECT_LT((u * u.transpose() - real_matrix::identity(u.rows())).norm(), 1e-12);
        for (index k = 0; k < u.rows(); ++k) {
            const auto at = static_cast<std::size_t>(k);
            const real_matrix own = u.nth_row(k).transpose();
            EXPECT_NEAR((a * own - found.values[at] * own).norm(), found.residuals[at], 1e-10 * a.norm());
        }
    }
}

TEST(block_lanczos, limits) {
    std::mt19937_64 random(3);
    const real_matrix a = random_psd(100, 100, random);
    EXPECT_EQ(top(a, {.pairs = 5, .block = 2, .max_passes = 3}).status, fit_status::step_limit);
    const lanczos_result stopped =
        top(a, {.pairs = 5, .block = 5, .progress = [](index pass, double) { return pass < 2; }});
    EXPECT_EQ(stopped.status, fit_status::cancelled);
    EXPECT_EQ(stopped.passes, 2);
    EXPECT_EQ(stopped.values.size(), 5u) << "what there is is kept";
    expect_error(errc::invalid_argument, "1 <= pairs <= n, got 101 with n = 100", [&] { top(a, {.pairs = 101}); });
    real_matrix bad = a;
    bad(3, 4) = bad(4, 3) = std::nan("");
    expect_error(errc::data, "must be finite", [&] { top(bad, {.pairs = 1}); });
}

TEST(gram_product, is_the_product) {
    const dataset x = random_vectors(301, 4, 4), z = random_vectors(1100, 4, 5);
    std::mt19937_64 random(6);
    for (const index columns : {1, 3, 4, 16, 17, 40}) {
        const matrix<double> v = random_matrix(1100, columns, random);
        matrix<double> out(301, columns), again(301, columns);
        const cpu_kernel_gram<double> K(gaussian{0.2}, x, z);
        matrix<double> all(301, 1100);
        K.fill(all.view());
        gram_product(K, v.view(), out.view());
        const real_matrix expected = real_matrix(all) * real_matrix(v);
        for (index i = 0; i < 301; ++i)
            for (index j = 0; j < columns; ++j) EXPECT_NEAR(out(i, j), expected(i, j), 1e-11);
        const stored_rows<double> some(K, 100 * 1100 * 8);
        EXPECT_EQ(some.stored_count(), 100);
        thread_limit one(1);
        gram_product(some, v.view(), again.view());
        EXPECT_TRUE(std::equal(out.data(), out.data() + 301 * columns, again.data()))
            << "the same bits, kept or not, whatever the threads";
        gram_product(precomputed<double>(std::as_const(all).view()), v.view(), again.view());
        EXPECT_TRUE(std::equal(out.data(), out.data() + 301 * columns, again.data()))
            << "and where rows are read in place";
        const cpu_kernel_gram<float> floats(gaussian{0.2}, x, z);
        gram_product(floats, v.view(), again.view());
        for (index i = 0; i < 301; ++i)
            for (index j = 0; j < columns; ++j) EXPECT_NEAR(again(i, j), expected(i, j), 1e-4);
    }
    expect_error(errc::invalid_argument, "the sizes do not match", [&] {
        gram_product(cpu_kernel_gram<double>(linear{}, x), matrix<double>(3, 4).view(), matrix<double>(301, 4).view());
    });
}

// One number; sizes just below and above a micro-tile, a panel, a partial panel and a tile; and several tiles.
TEST(half_gram, is_the_product) {
    std::mt19937_64 random(8);
    for (const index n : {1, 11, 12, 13, 287, 288, 289, 385, 1153, 1500}) {
        const dataset x = random_vectors(n, 3, static_cast<unsigned>(n));
        const cpu_kernel_gram<double> K(gaussian{0.3}, x);
        matrix<double> all(n, n);
        K.fill(all.view());
        half_gram half(K);
        EXPECT_EQ(half.size(), n);
        // narrower after wider right-hand sides: no old values may remain
        for (const index columns : {17, 1, 8, 9, 3}) {
            const matrix<double> v = random_matrix(n, columns, random);
            matrix<double> out(n, columns), again(n, columns);
            half.multiply(v.view(), out.view());
            const real_matrix expected = real_matrix(all) * real_matrix(v);
            for (index i = 0; i < n; ++i)
                for (index j = 0; j < columns; ++j)
                    ASSERT_NEAR(out(i, j), expected(i, j), 1e-14 * static_cast<double>(n + 10))
                        << n << ": " << i << ", " << j;
            const thread_limit one(1);
            half.multiply(v.view(), again.view());
            EXPECT_TRUE(std::equal(out.data(), out.data() + n * columns, again.data()))
                << "the same bits, whatever the threads";
        }
    }
    half_gram none(cpu_kernel_gram<double>(gaussian{1}, random_vectors(0, 2, 1)));
    none.multiply(matrix<double>(0, 4).view(), matrix<double>(0, 4).view());
    const dataset x = random_vectors(5, 2, 1), z = random_vectors(4, 2, 1);
    expect_error(errc::invalid_argument, "must be square, got 5 × 4",
                 [&] { half_gram(cpu_kernel_gram<double>(linear{}, x, z)); });
    expect_error(errc::invalid_argument, "the sizes do not match", [&] {
        half_gram(cpu_kernel_gram<double>(linear{}, x))
            .multiply(matrix<double>(3, 4).view(), matrix<double>(5, 4).view());
    });
}

TEST(half_gram, says_what_it_takes) {
    // within a tenth of the numbers on and above the diagonal, and of the sums
    for (const index n : {5000, 20000}) {
        const double least = 4.0 * static_cast<double>(n) * static_cast<double>(n);
        EXPECT_GT(half_gram::bytes(n, 8), least);
        EXPECT_LT(half_gram::bytes(n, 8), 1.2 * least);
    }
}

TEST(kept_rows, blocks_are_those_of_the_matrix) {
    const dataset x = random_vectors(40, 3, 7);
    const cpu_kernel_gram<double> K(gaussian{0.5}, x);
    matrix<double> all(40, 40);
    K.block(row_set(0, 40), row_set(0, 40), all.view());
    const std::vector<index> rows{39, 3, 17, 3, 0, 25, 26}, cols{5, 1, 39};
    for (const std::size_t budget : {0, 1, 40 * 8 * 10, 40 * 8 * 20 + 7, 1 << 20}) {
        const stored_rows<double> some(K, budget);
        EXPECT_EQ(some.stores_all_rows(), budget == 1 << 20);
        matrix<double> out(7, 3), band(7, 11);
        some.block(std::span<const index>(rows), std::span<const index>(cols), out.view());
        some.block(std::span<const index>(rows), row_set(4, 11), band.view());
        for (index i = 0; i < 7; ++i) {
            for (index j = 0; j < 3; ++j)
                EXPECT_EQ(out(i, j), all(rows[static_cast<std::size_t>(i)], cols[static_cast<std::size_t>(j)]));
            for (index j = 0; j < 11; ++j) EXPECT_EQ(band(i, j), all(rows[static_cast<std::size_t>(i)], 4 + j));
        }
    }
}

}  // namespace
}  // namespace mercer
