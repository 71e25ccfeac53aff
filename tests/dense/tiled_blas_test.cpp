#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "mercer/base/threads.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"

extern "C" {
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) void openblas_set_num_threads(int count);
}

namespace mercer {
namespace {

// Column by column, with unused memory after each column.
template <class T>
struct columns {
    columns(int rows, int cols, std::mt19937_64& random) : rows(rows), cols(cols), stride(rows + 3) {
        std::normal_distribution<double> normal;
        for (int i = 0; i < stride * cols; ++i) data.push_back(static_cast<T>(normal(random)));
    }
    T& operator()(int i, int j) { return data[static_cast<std::size_t>(i + j * stride)]; }
    T operator()(int i, int j) const { return data[static_cast<std::size_t>(i + j * stride)]; }
    int rows, cols, stride;
    std::vector<T> data;
};

// A well-conditioned triangle, and a matrix with this factor.
template <class T>
columns<T> triangle(int n, std::mt19937_64& random) {
    columns<T> a(n, n, random);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) a(i, j) = i == j ? T(2) + std::abs(a(i, j)) : a(i, j) / static_cast<T>(n);
    return a;
}

template <class T>
class tiled_blas : public ::testing::Test {
protected:
    std::mt19937_64 random{3};
    // Bound on the rounding error of sums of `terms` products of numbers of about 1.
    static double bound(int terms) { return 16 * std::numeric_limits<T>::epsilon() * (4 + std::sqrt(terms)); }
};
using precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(tiled_blas, precisions);

TYPED_TEST(tiled_blas, multiplies_from_the_definition) {
    using T = TypeParam;
    for (const auto& [m, n, k] :
         {std::tuple{1, 1, 1}, {3, 700, 20}, {700, 3, 20}, {97, 193, 50}, {240, 500, 7}, {96, 96, 300}})
        for (const char* op_a : {"N", "T"})
            for (const char* op_b : {"N", "T"}) {
                const bool ta = *op_a == 'T', tb = *op_b == 'T';
                const columns<T> a(ta ? k : m, ta ? m : k, this->random), b(tb ? n : k, tb ? k : n, this->random),
                    before(m, n, this->random);
                columns<T> c = before;
                blas::gemm<T>(op_a, op_b, m, n, k, T(-2), a.data.data(), a.stride, b.data.data(), b.stride, T(1),
                              c.data.data(), c.stride);
                for (int j = 0; j < n; ++j)
                    for (int i = 0; i < m; ++i) {
                        long double want = before(i, j);
                        for (int l = 0; l < k; ++l)
                            want -= 2.0L * static_cast<long double>(ta ? a(l, i) : a(i, l)) * (tb ? b(j, l) : b(l, j));
                        ASSERT_NEAR(c(i, j), static_cast<double>(want), 4 * this->bound(k))
                            << m << " " << n << " " << i << " " << j;
                    }
            }
}

TYPED_TEST(tiled_blas, adds_a_product_with_the_transpose_to_one_half) {
    using T = TypeParam;
    for (const int n : {1, 95, 96, 97, 300})
        for (const char* half : {"L", "U"})
            for (const char* op : {"N", "T"}) {
                constexpr int k = 40;
                const bool plain = *op == 'N';
                const columns<T> a(plain ? n : k, plain ? k : n, this->random), before(n, n, this->random);
                columns<T> c = before;
                blas::syrk<T>(half, op, n, k, T(1), a.data.data(), a.stride, c.data.data(), c.stride);
                for (int j = 0; j < n; ++j)
                    for (int i = 0; i < n; ++i) {
                        long double want = before(i, j);
                        if (*half == 'L' ? i >= j : i <= j)
                            for (int l = 0; l < k; ++l)
                                want +=
                                    static_cast<long double>(plain ? a(i, l) : a(l, i)) * (plain ? a(j, l) : a(l, j));
                        ASSERT_NEAR(c(i, j), static_cast<double>(want), 2 * this->bound(k)) << n << half << op;
                    }
            }
}

TYPED_TEST(tiled_blas, solves_and_factors) {
    using T = TypeParam;
    for (const int n : {1, 2, 191, 192, 193, 400})
        for (const char* half : {"L", "U"}) {
            const bool lower = *half == 'L';
            const columns<T> a = triangle<T>(n, this->random);
            const auto of = [&](int i, int j) { return (lower ? i >= j : i <= j) ? a(i, j) : T(0); };
            for (const char* side : {"L", "R"})
                for (const char* op : {"N", "T"}) {
                    const bool left = *side == 'L', plain = *op == 'N';
                    const int other = 37;
                    const columns<T> b(left ? n : other, left ? other : n, this->random);
                    columns<T> x = b;
                    blas::trsm<T>(side, half, op, x.rows, x.cols, a.data.data(), a.stride, x.data.data(), x.stride);
                    for (int j = 0; j < b.cols; ++j)
                        for (int i = 0; i < b.rows; ++i) {
                            long double back = 0;
                            for (int l = 0; l < n; ++l)
                                back += left ? static_cast<long double>(plain ? of(i, l) : of(l, i)) * x(l, j)
                                             : static_cast<long double>(x(i, l)) * (plain ? of(l, j) : of(j, l));
                            ASSERT_NEAR(static_cast<double>(back), b(i, j), 8 * this->bound(n))
                                << n << side << half << op;
                        }
                }
            columns<T> whole(n, n, this->random);
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) {
                    long double sum = 0;
                    for (int l = 0; l < n; ++l)
                        sum += lower ? static_cast<long double>(of(i, l)) * of(j, l)
                                     : static_cast<long double>(of(l, i)) * of(l, j);
                    whole(i, j) = static_cast<T>(sum);
                }
            columns<T> factor = whole;
            ASSERT_EQ(blas::potrf<T>(half, n, factor.data.data(), factor.stride), 0);
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) {
                    if (lower ? i >= j : i <= j)
                        ASSERT_NEAR(factor(i, j), a(i, j), 16 * this->bound(n)) << n << half;
                    else
                        ASSERT_EQ(factor(i, j), whole(i, j));
                }
            const int bad = n * 3 / 4;
            whole(bad, bad) = -1;
            EXPECT_EQ(blas::potrf<T>(half, n, whole.data.data(), whole.stride), bad + 1);
        }
}

// Computes with each number of threads, Mercer's and OpenBLAS's.
template <class Make>
void expect_the_same_bits(const char* what, Make make) {
    const int ours = threads(), theirs = openblas_get_num_threads ? openblas_get_num_threads() : 1;
    std::vector<decltype(make())> made;
    for (const int a : {1, 3})
        for (const int b : {1, 2}) {
            set_threads(a);
            if (openblas_set_num_threads) openblas_set_num_threads(b);
            made.push_back(make());
        }
    set_threads(ours);
    if (openblas_set_num_threads) openblas_set_num_threads(theirs);
    for (const auto& each : made) EXPECT_TRUE(each == made.front()) << what;
}

std::vector<double> numbers(const matrix<double>& a) { return {a.data(), a.data() + a.rows() * a.cols()}; }

// Sizes for which OpenBLAS would use its own threads.
TEST(dense_algebra, has_the_same_bits_for_any_number_of_threads) {
    constexpr index n = 700, m = 300;
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    matrix<double> g(n, n), b(m, n);
    for (index i = 0; i < n * n; ++i) g.data()[i] = normal(random);
    for (index i = 0; i < m * n; ++i) b.data()[i] = normal(random);
    matrix<double> a(n, n);
    add_gram(g.view(), a);
    for (index i = 0; i < n; ++i) a(i, i) += 1;
    matrix<double> r = a;
    ASSERT_TRUE(cholesky_in_place(r));
    using enum transposed;
    expect_the_same_bits("product", [&] { return numbers(product(g.view(), no, b.view(), yes)); });
    expect_the_same_bits("thin product",
                         [&] { return numbers(product(b.view().block(0, 0, 3, n), no, g.view(), no)); });
    expect_the_same_bits("Gram matrix", [&] {
        matrix<double> out(n, n);
        add_gram(g.view(), out);
        return numbers(out);
    });
    expect_the_same_bits("Cholesky", [&] {
        matrix<double> out = a;
        cholesky_in_place(out);
        return numbers(out);
    });
    const auto solved = [&](auto solve) {
        return [&, solve] {
            matrix<double> out = b;
            solve(out.view());
            return numbers(out);
        };
    };
    expect_the_same_bits("solve", solved([&](matrix_view<double> x) { cholesky_solve(r, x); }));
    expect_the_same_bits("half solve",
                         solved([&](matrix_view<double> x) { cholesky_forward_solve_rows(r.view(), x); }));
    expect_the_same_bits("other half",
                         solved([&](matrix_view<double> x) { cholesky_backward_solve_rows(r.view(), x); }));
    expect_the_same_bits("columns", solved([&](matrix_view<double> x) {
                             cholesky_solve(r.view().block(0, 0, m, m), x.block(0, 0, m, n));
                         }));
    expect_the_same_bits("symmetric", [&] {
        matrix<double> out(m, n);
        multiply_symmetric(a.view(), b.view(), out.view());
        return numbers(out);
    });
    expect_the_same_bits("inverse", [&] {
        matrix<double> out = r;
        return inverse_diagonal(out.view());
    });
    for (const transposed turned : {yes, no})
        expect_the_same_bits("vector", [&] {
            std::vector<double> out(n);
            add_multiply(2, g.view(), turned, b.row(0), out.data());
            return out;
        });
    expect_the_same_bits("float", [&] {
        matrix<float> low(n, n), x(m, n);
        for (index i = 0; i < n; ++i)
            for (index j = 0; j <= i; ++j) low(i, j) = static_cast<float>(a(j, i));
        for (index i = 0; i < m * n; ++i) x.data()[i] = static_cast<float>(b.data()[i]);
        cholesky_lower_in_place(low.view());
        cholesky_solve_rows(low.view(), x.view());
        return std::vector<float>(x.data(), x.data() + m * n);
    });
}

// Entries far apart in memory: a product with a large symmetric matrix of which each triangle is used.
TEST(dense_algebra, multiplies_a_large_symmetric_matrix_by_one_vector) {
    constexpr index n = 2100;
    matrix<double> a(n, n);
    std::vector<double> v(n), out(n);
    for (index i = 0; i < n; ++i) {
        v[static_cast<std::size_t>(i)] = std::cos(static_cast<double>(i));
        for (index j = i; j < n; ++j) a(i, j) = 1 / static_cast<double>(1 + i + j);
    }
    multiply_symmetric(a.view(), v.data(), out.data());
    for (index i = 0; i < n; i += 37) {
        long double want = 0;
        for (index j = 0; j < n; ++j)
            want += static_cast<long double>(v[static_cast<std::size_t>(j)]) / static_cast<long double>(1 + i + j);
        EXPECT_NEAR(out[static_cast<std::size_t>(i)], static_cast<double>(want), 1e-14);
    }
}

}  // namespace
}  // namespace mercer
