#include "mercer/methods/nystroem/gram_pass.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "contracts/errors.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/vectors/gaussian.h"

namespace mercer {
namespace {

using mercer::testing::expect_error;

matrix<double> random_matrix(index rows, index cols, int seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::normal_distribution<double> normal;
    matrix<double> out(rows, cols);
    for (index i = 0; i < rows * cols; ++i) out.data()[i] = normal(random);
    return out;
}

// Returns the rows in batches of the given size.
template <class T>
class in_batches final : public gram_batches<T> {
public:
    in_batches(const kernel& k, const dataset& x, const dataset& z, index rows) : x_(x.size()), z_(z.size()) {
        for (index first = 0; first < x.size(); first += rows)
            parts_.push_back(make_gram<T>(k, gather(x, row_set(first, std::min(rows, x.size() - first))), z));
    }
    index rows() const override { return x_; }
    index cols() const override { return z_; }
    void each(const std::function<void(index, const gram<T>&)>& use) const override {
        index first = 0;
        for (const auto& each : parts_) {
            use(first, *each);
            first += each->rows();
        }
    }

private:
    index x_, z_;
    std::vector<std::unique_ptr<kernel_gram<T>>> parts_;
};

template <class T>
class round_trips : public ::testing::Test {};
using numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(round_trips, numbers);

// Rows of weight 0 have no effect, whatever their number and the batches they are in.
TYPED_TEST(round_trips, leave_out_rows_that_do_not_count) {
    constexpr index n = 2000, m = 30;
    const dataset x = dense<double>(random_matrix(n, 3, 4)), z = dense<double>(random_matrix(m, 3, 5));
    const kernel k = gaussian{0.3};
    for (const index r : {1, 2, 5})
        for (const index every : {1, 3, 400, 5000}) {
            const auto counts = [&](index row) { return row % every == 7 % every; };
            std::vector<index> list;
            for (index i = 0; i < n; ++i)
                if (counts(i)) list.push_back(i);
            const matrix<double> v = random_matrix(m + 1, r, 6);
            const auto step = [&](const std::vector<index>& number) {
                return [&number](index first, matrix_view<double> f, double* totals) {
                    for (index i = 0; i < f.rows; ++i)
                        for (index c = 0; c < f.cols; ++c) {
                            f(i, c) *= 1 + static_cast<double>(number[static_cast<std::size_t>(first + i)] % 11);
                            totals[0] += f(i, c);
                        }
                };
            };
            std::vector<index> all(n);
            std::iota(all.begin(), all.end(), index{0});
            matrix<double> want(m + 1, r), got(m + 1, r), again(m + 1, r);
            double want_sum = 0, got_sum = 0, again_sum = 0;
            const in_batches<TypeParam> few(k, gather(x, std::span<const index>(list)), z, n), whole(k, x, z, n),
                parts(k, x, z, 768);
            gram_pass<TypeParam>(few, v.view(), step(list), want.view(), {&want_sum, 1});
            gram_pass<TypeParam>(whole, v.view(), step(all), got.view(), {&got_sum, 1}, counts);
            gram_pass<TypeParam>(parts, v.view(), step(all), again.view(), {&again_sum, 1}, counts);
            EXPECT_NEAR(got_sum, want_sum, 1e-6 * (1 + std::abs(want_sum)));
            EXPECT_EQ(got_sum, again_sum);
            for (index i = 0; i < (m + 1) * r; ++i) {
                EXPECT_NEAR(got.data()[i], want.data()[i], 1e-6 * (1 + std::abs(want.data()[i])));
                EXPECT_EQ(got.data()[i], again.data()[i]);
            }
        }
}

// out = Kᵀ(K v + shift) from the definition, in long double, with and without a column of ones.
TYPED_TEST(round_trips, is_the_definition) {
    const double exact = sizeof(TypeParam) == 8 ? 1e-12 : 1e-5;
    for (const index n : {1, 23, 200, 1000})
        for (const index m : {1, 5, 12, 40, 700})
            for (const index r : {1, 3, 9})
                for (const bool ones : {false, true}) {
                    const matrix<double> k = random_matrix(n, m, 1), v = random_matrix(m + ones, r, 2),
                                         shift = random_matrix(n, r, 3);
                    matrix<TypeParam> stored(n, m);
                    std::copy_n(k.data(), n * m, stored.data());
                    const precomputed<TypeParam> gram(stored.view());
                    matrix<double> out(m + ones, r);
                    gram_pass<TypeParam>(
                        one_batch<TypeParam>(gram), v.view(),
                        [&](index first, matrix_view<double> f, double*) {
                            for (index i = 0; i < f.rows; ++i)
                                for (index c = 0; c < r; ++c) f(i, c) += shift(first + i, c);
                        },
                        out.view());
                    for (index c = 0; c < r; ++c) {
                        std::vector<long double> u;
                        for (index i = 0; i < n; ++i) {
                            long double sum = shift(i, c) + (ones ? v(m, c) : 0.0);
                            for (index j = 0; j < m; ++j) sum += static_cast<long double>(k(i, j)) * v(j, c);
                            u.push_back(sum);
                        }
                        for (index j = 0; j < m + ones; ++j) {
                            long double want = 0, size = 0;
                            for (index i = 0; i < n; ++i) {
                                const long double term =
                                    (j < m ? static_cast<long double>(k(i, j)) : 1.0L) * u[static_cast<std::size_t>(i)];
                                want += term, size += std::abs(term);
                            }
                            ASSERT_NEAR(out(j, c), static_cast<double>(want),
                                        exact * static_cast<double>(size + std::sqrt(static_cast<double>(n * m))))
                                << n << " " << m << " " << r << " " << j;
                        }
                    }
                }
}

TYPED_TEST(round_trips, has_the_same_bits_for_any_number_of_threads_and_any_batches) {
    const kernel k = gaussian{0.3};
    for (const index m : {30, 900}) {
        const matrix<double> points = random_matrix(2000, 4, 4);
        const dataset x = dense<double>(points.view()), z = gather(x, row_set(7, m));
        for (const index r : {1, 2}) {
            const matrix<double> v = random_matrix(m, r, 5);
            const auto run = [&](const gram_batches<TypeParam>& rows) {
                matrix<double> out(m, r);
                gram_pass<TypeParam>(
                    rows, v.view(), [](index, matrix_view<double>, double*) {}, out.view());
                return std::vector<double>(out.data(), out.data() + m * r);
            };
            const auto whole = make_gram<TypeParam>(k, x, z);
            const one_batch<TypeParam> at_once(*whole);
            const std::vector<double> want = run(at_once);
            for (const int threads : {1, 3, 8}) {
                const thread_limit limit(threads);
                EXPECT_EQ(run(at_once), want) << threads;
            }
            for (const index rows : {192, 384, 1920})
                EXPECT_EQ(run(in_batches<TypeParam>(k, x, z, rows)), want) << rows;
        }
    }
}

TEST(round_trip, works_on_each_half_alone) {
    const matrix<double> k = random_matrix(50, 7, 6), v = random_matrix(7, 2, 7);
    const precomputed<double> gram(k.view());
    matrix<double> f(50, 2), out(7, 1);
    gram_pass<double>(one_batch<double>(gram), v.view(),
                      [&](index first, matrix_view<double> rows, double*) {
                          for (index i = 0; i < rows.rows; ++i) std::copy_n(rows.row(i), 2, f.row(first + i));
                      },
                      {});
    gram_pass<double>(
        one_batch<double>(gram), {},
        [](index first, matrix_view<double> rows, double*) {
            for (index i = 0; i < rows.rows; ++i) {
                EXPECT_EQ(rows(i, 0), 0);
                rows(i, 0) = static_cast<double>(first + i);
            }
        },
        out.view());
    for (index i = 0; i < 50; ++i)
        for (index c = 0; c < 2; ++c) {
            double want = 0;
            for (index j = 0; j < 7; ++j) want += k(i, j) * v(j, c);
            EXPECT_NEAR(f(i, c), want, 1e-12);
        }
    for (index j = 0; j < 7; ++j) {
        double want = 0;
        for (index i = 0; i < 50; ++i) want += k(i, j) * static_cast<double>(i);
        EXPECT_NEAR(out(j, 0), want, 1e-11);
    }
}

TEST(round_trip, refuses_sizes_that_do_not_fit) {
    const matrix<double> k = random_matrix(5, 3, 8), v = random_matrix(2, 1, 9);
    const precomputed<double> gram(k.view());
    matrix<double> out(3, 1);
    expect_error(errc::invalid_argument, "the sizes do not match", [&] {
        gram_pass<double>(
            one_batch<double>(gram), v.view(), [](index, matrix_view<double>, double*) {}, out.view());
    });
}

}  // namespace
}  // namespace mercer
