#include "mercer/gram/gram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "contracts/errors.h"
#include "contracts/gram_contract.h"
#include "gram/random_gram.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/gram/row_cache.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer::testing {
namespace {

// The example in the comment of gram.h.
class hilbert final : public gram<double> {  // K(i, j) = 1/(i + j + 1)
public:
    index rows() const override { return 100; }
    index cols() const override { return 100; }
    void block(const row_set& r, const row_set& c, row_pointers<double> out) const override {
        for (index i = 0; i < r.size(); ++i)
            for (index j = 0; j < c.size(); ++j) out[i][j] = 1.0 / (r[i] + c[j] + 1);
    }
};

template <class T>
class gram_kinds : public ::testing::Test {};
using precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(gram_kinds, precisions);

// Two thirds of the entries of x, in columns that are as far apart as possible.
template <class T>
sparse<T> spread(const matrix<T>& x, index dims) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<T> val;
    for (index i = 0; i < x.rows(); ++i) {
        for (index j = 0; j < x.cols(); ++j)
            if ((i + j) % 3 != 0) {
                col.push_back(static_cast<std::int32_t>((j + 1) * (dims / x.cols()) - 1));
                val.push_back(x(i, j));
            }
        start.push_back(static_cast<index>(col.size()));
    }
    return {std::move(start), std::move(col), std::move(val), dims};
}

TEST(computed, columns_that_do_not_occur_do_not_matter) {
    const matrix<double> x = random_matrix<double>(40, 7, 1), z = random_matrix<double>(9, 7, 2);
    constexpr index far = 2147483647;
    for (const char* text : {"rbf(gamma=0.3)", "linear()", "normalize(poly(degree=2, coef0=1))", "laplacian(gamma=0.2)",
                             "rbf(gamma=1)*linear() + 2"}) {
        const kernel k = kernel::parse(text);
        const auto all = [](const gram<double>& K) {
            matrix<double> out(K.rows(), K.cols());
            K.fill(out.view());
            return out;
        };
        const matrix<double> near = all(cpu_kernel_gram<double>(k, spread(x, 7))),
                             wide = all(cpu_kernel_gram<double>(k, spread(x, far)));
        const matrix<double> near_pair = all(cpu_kernel_gram<double>(k, spread(x, 7), spread(z, 7))),
                             wide_pair = all(cpu_kernel_gram<double>(k, spread(x, far), spread(z, far)));
        for (index i = 0; i < x.rows(); ++i) {
            for (index j = 0; j < x.rows(); ++j)
                EXPECT_NEAR(wide(i, j), near(i, j), 1e-13 * (1 + std::abs(near(i, j)))) << text;
            for (index j = 0; j < z.rows(); ++j)
                EXPECT_NEAR(wide_pair(i, j), near_pair(i, j), 1e-13 * (1 + std::abs(near_pair(i, j)))) << text;
        }
    }
}

TEST(gram_interface, the_example_of_the_header_works) {
    matrix<double> want(100, 100);
    for (index i = 0; i < 100; ++i)
        for (index j = 0; j < 100; ++j) want(i, j) = 1.0 / static_cast<double>(i + j + 1);
    expect_gram_contract(hilbert(), want, 0);
}

TYPED_TEST(gram_kinds, computed_from_a_kernel) {
    using T = TypeParam;
    generator random(2);
    for (const char* name : {"rbf", "poly", "cosine"}) {
        const kernel_case s = kernel_cases_of(name)[0];
        const objects x = random_vectors(random, 230, {}), z = random_vectors(random, 120, {});
        matrix<double> one(230, 230), two(230, 120);
        double tolerance = 0;
        for (index i = 0; i < 230; ++i) {
            for (index j = 0; j < 230; ++j)
                one(i, j) = static_cast<double>(s.f(x[i], x[j]).value),
                       tolerance = std::max(tolerance, static_cast<double>(s.f(x[i], x[j]).error));
            for (index j = 0; j < 120; ++j)
                two(i, j) = static_cast<double>(s.f(x[i], z[j]).value),
                       tolerance = std::max(tolerance, static_cast<double>(s.f(x[i], z[j]).error));
        }
        tolerance = (tolerance + 1) * 4 * std::numeric_limits<T>::epsilon();
        for (const std::size_t kept : {std::size_t{0}, std::size_t{1} << 20}) {
            expect_gram_contract(cpu_kernel_gram<T>(s.k, vectors_of<T>(x, storage::dense), kept), one, tolerance);
            expect_gram_contract(
                cpu_kernel_gram<T>(s.k, vectors_of<T>(x, storage::sparse), vectors_of<T>(z, storage::dense), kept), two,
                tolerance);
        }
    }
}

// Large enough for several tiles, with so many coordinates that one triangle is mirrored.
TYPED_TEST(gram_kinds, large_squares_are_written_to_their_rows_alone) {
    using T = TypeParam;
    constexpr index n = 1100, d = 40;
    const matrix<T> x = random_matrix<T>(n, d);
    matrix<double> want(n, n);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j) {
            double sum = 0;
            for (index a = 0; a < d; ++a) sum += static_cast<double>(x(i, a)) * static_cast<double>(x(j, a));
            want(i, j) = sum;
        }
    const cpu_kernel_gram<T> K(linear{}, dense<T>(x));
    const cpu_kernel_gram<double> exact(linear{}, dense<T>(x));
    const shifted_gram<T> same(exact);
    const subset<T> all(K, [] {
        std::vector<index> list(n);
        std::iota(list.begin(), list.end(), index{0});
        return list;
    }());
    const row_cache<T> cached(K, 1 << 20);
    const stored_rows<T> kept(K, 1 << 20);
    const with_ridge<T> ridged(K, 0);
    std::vector<index> in_order(n), exchanged, mixed, few_elsewhere;
    std::iota(in_order.begin(), in_order.end(), index{0});
    few_elsewhere = exchanged = mixed = in_order;
    for (const index i : {20, 301, 777}) std::swap(exchanged[i], exchanged[i + 1]);
    for (const index i : {10, 37, 333, 1001}) few_elsewhere[i] += n;
    std::shuffle(mixed.begin(), mixed.end(), std::mt19937(1));
    for (const gram<T>* k : std::initializer_list<const gram<T>*>{&K, &same, &all, &cached, &kept, &ridged})
        for (const auto& place : {in_order, few_elsewhere, exchanged, mixed}) {
            constexpr T untouched = -4321;
            matrix<T> room(2 * n, n + 16);
            std::fill_n(room.data(), room.rows() * room.cols(), untouched);
            std::vector<T*> rows;
            std::vector<bool> used(2 * n);
            for (const index at : place) rows.push_back(room.row(at)), used[at] = true;
            k->symmetric_block(row_set(0, n), row_pointers<T>(rows.data()));
            index wrong = 0, outside = 0;
            for (index i = 0; i < n; ++i)
                for (index j = 0; j < n; ++j)
                    wrong += !(std::abs(static_cast<double>(rows[i][j]) - want(i, j)) < d * rounding<T>);
            for (index i = 0; i < room.rows(); ++i)
                for (index j = used[i] ? n : 0; j < room.cols(); ++j) outside += room(i, j) != untouched;
            EXPECT_EQ(wrong, 0);
            EXPECT_EQ(outside, 0);
        }
}

TYPED_TEST(gram_kinds, precomputed) {
    using T = TypeParam;
    const matrix<T> square = random_matrix<T>(50, 50), flat = random_matrix<T>(20, 70);
    expect_gram_contract(precomputed<T>(square), in_double(square), 0);
    expect_gram_contract(precomputed<T>(square.view()), in_double(square), 0);
    expect_gram_contract(precomputed<T>(flat), in_double(flat), 0);
    expect_gram_contract(precomputed<T>(matrix<T>()), matrix<double>(), 0);
    // Borrowed with a stride.
    matrix<double> part(10, 20);
    for (index i = 0; i < 10; ++i)
        for (index j = 0; j < 20; ++j) part(i, j) = square(i + 5, j + 7);
    expect_gram_contract(precomputed<T>(square.view().block(5, 7, 10, 20)), part, 0);
}

TYPED_TEST(gram_kinds, kept_rows) {
    using T = TypeParam;
    const matrix<T> square = random_kernel_matrix<T>(40), flat = random_matrix<T>(30, 50);
    const precomputed<T> one(square), two(flat);
    for (const std::size_t rows : {0, 1, 7, 40, 1000}) {
        const stored_rows<T> a(one, rows * 40 * sizeof(T)), b(two, rows * 50 * sizeof(T));
        expect_gram_contract(a, in_double(square), 0);
        expect_gram_contract(b, in_double(flat), 0);
        EXPECT_EQ(a.stored().rows, std::min<index>(40, static_cast<index>(rows)));
    }
}

TYPED_TEST(gram_kinds, row_cache) {
    using T = TypeParam;
    const matrix<T> square = random_matrix<T>(40, 40), flat = random_matrix<T>(30, 50);
    const precomputed<T> one(square), two(flat);
    for (const std::size_t rows : {0, 1, 2, 7, 40, 1000}) {
        const row_cache<T> a(one, rows * 40 * sizeof(T)), b(two, rows * 50 * sizeof(T));
        expect_gram_contract(a, in_double(square), 0);
        expect_gram_contract(b, in_double(flat), 0);
        EXPECT_LE(a.bytes(), std::max<std::size_t>(rows, 1) * 40 * sizeof(T));
    }
    const precomputed<T> narrow(matrix<T>(5, 0));
    expect_gram_contract(row_cache<T>(narrow, 100), matrix<double>(5, 0), 0);
}

TYPED_TEST(gram_kinds, ridge_adds_to_the_diagonal) {
    using T = TypeParam;
    const precomputed<T> k(random_kernel_matrix<T>(45));
    matrix<double> want = in_double(random_kernel_matrix<T>(45));
    for (index i = 0; i < 45; ++i) want(i, i) += 0.75;
    expect_gram_contract(with_ridge<T>(k, 0.75), want, rounding<T>);
    const precomputed<T> flat(random_matrix<T>(3, 4));
    expect_error(errc::invalid_argument, "a ridge needs as many rows as columns, got a matrix of 3 rows and 4 columns",
                 [&] { with_ridge<T>(flat, 1); });
}

TYPED_TEST(gram_kinds, subset_takes_any_rows_and_columns) {
    using T = TypeParam;
    const matrix<T> k = random_matrix<T>(30, 40);
    const precomputed<T> whole(k);
    const std::vector<index> rows{3, 3, 29, 0, 17}, cols{39, 0, 1, 1, 1, 20, 5};
    matrix<double> want(5, 7);
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 7; ++j) want(i, j) = k(rows[i], cols[j]);
    expect_gram_contract(subset<T>(whole, rows, cols), want, 0);
    matrix<double> both(5, 5);
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j) both(i, j) = k(rows[i], rows[j]);
    expect_gram_contract(subset<T>(whole, rows), both, 0);
    expect_gram_contract(subset<T>(whole, {}, cols), matrix<double>(0, 7), 0);
    // Symmetric, although its rows are not its columns: the entries depend on i + j.
    matrix<T> hankel(9, 9);
    for (index i = 0; i < 81; ++i) hankel.data()[i] = k(0, i / 9 + i % 9);
    matrix<double> later(4, 4);
    for (index i = 0; i < 16; ++i) later.data()[i] = k(0, i / 4 + i % 4 + 2);
    expect_gram_contract(subset<T>(precomputed<T>(hankel), {0, 1, 2, 3}, {2, 3, 4, 5}), later, 0);
}

TYPED_TEST(gram_kinds, mirrored_repeats_it_four_times) {
    using T = TypeParam;
    const matrix<T> k = random_matrix<T>(21, 13);
    const precomputed<T> whole(k), square(random_kernel_matrix<T>(9)), none((matrix<T>()));
    matrix<double> want(42, 26), twice(18, 18);
    for (index i = 0; i < 42; ++i)
        for (index j = 0; j < 26; ++j) want(i, j) = k(i % 21, j % 13);
    for (index i = 0; i < 18; ++i)
        for (index j = 0; j < 18; ++j) twice(i, j) = random_kernel_matrix<T>(9)(i % 9, j % 9);
    expect_gram_contract(duplicated_gram<T>(whole), want, 0);
    expect_gram_contract(duplicated_gram<T>(square), twice, 0);
    expect_gram_contract(duplicated_gram<T>(none), matrix<double>(), 0);
}

TYPED_TEST(gram_kinds, centred_is_hkh) {
    using T = TypeParam;
    const index n = 37;
    const matrix<T> k = random_kernel_matrix<T>(n);
    const precomputed<T> whole(k);
    const real_matrix dense = in_double(k);
    const real_matrix h = real_matrix::identity(n) - real_matrix::constant(n, n, 1.0 / n), want = h * dense * h;
    const centred<T> c(whole);
    expect_gram_contract(c, want, rounding<T>);
    EXPECT_NEAR(c.total(), dense.mean(), rounding<T>);
    const std::vector<double> means = dense.row_means();
    for (index i = 0; i < n; ++i) EXPECT_NEAR(c.means()[i], means[static_cast<std::size_t>(i)], rounding<T>);
    const precomputed<T> flat(random_matrix<T>(3, 4));
    expect_error(errc::invalid_argument, "centring needs as many rows as columns, got a matrix of 3 rows and 4 columns",
                 [&] { centred<T>{flat}; });
}

TYPED_TEST(gram_kinds, normalised_has_ones_on_the_diagonal) {
    using T = TypeParam;
    const index n = 33;
    matrix<T> k = random_kernel_matrix<T>(n);
    for (index i = 0; i < n; ++i) k(i, 4) = k(4, i) = 0;  // an object without features
    const precomputed<T> whole(k);
    matrix<double> want(n, n);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            want(i, j) = i == 4 || j == 4 ? 0 : k(i, j) / std::sqrt(static_cast<double>(k(i, i)) * k(j, j));
    expect_gram_contract(normalised<T>(whole), want, rounding<T>);
    const precomputed<T> flat(random_matrix<T>(3, 4));
    expect_error(errc::invalid_argument, "needs as many rows as columns", [&] { normalised<T>{flat}; });
}

TYPED_TEST(gram_kinds, stack_on_each_other) {
    using T = TypeParam;
    const index n = 24;
    const matrix<T> k = random_kernel_matrix<T>(n);
    const precomputed<T> base(k);
    const with_ridge<T> a(base, 0.5);
    const row_cache<T> b(a, 5 * n * sizeof(T));
    const normalised<T> c(b);
    const subset<T> d(c, {2, 3, 5, 7, 11, 13, 2});
    const duplicated_gram<T> e(d);
    const std::vector<index> which{2, 3, 5, 7, 11, 13, 2};
    matrix<double> want(14, 14);
    const auto at = [&](index i, index j) { return static_cast<double>(k(i, j)) + (i == j ? 0.5 : 0); };
    for (std::size_t i = 0; i < 14; ++i)
        for (std::size_t j = 0; j < 14; ++j) {
            const index r = which[i % 7], s = which[j % 7];
            want(i, j) = at(r, s) / std::sqrt(at(r, r) * at(s, s));
        }
    expect_gram_contract(e, want, rounding<T>);
}

TYPED_TEST(gram_kinds, adaptors_keep_what_they_do_not_change) {
    using T = TypeParam;
    const dataset x = dense<double>(random_matrix<double>(30, 4));
    const cpu_kernel_gram<T> K(kernel(linear{}), x);
    ASSERT_TRUE(K.is_psd());
    ASSERT_EQ(K.features(10).cols(), 4);
    const with_ridge<T> ridged(K, 0.5);
    const centred<T> middle(K);
    const normalised<T> unit(K);
    const subset<T> some(K, {3, 1, 2, 3});
    const duplicated_gram<T> twice(K);
    const stored_rows<T> kept(K, 10 * 30 * sizeof(T));
    const row_cache<T> cached(K, 10 * 30 * sizeof(T));
    for (const gram<T>* each :
         {static_cast<const gram<T>*>(&ridged), static_cast<const gram<T>*>(&middle),
          static_cast<const gram<T>*>(&unit), static_cast<const gram<T>*>(&some), static_cast<const gram<T>*>(&twice),
          static_cast<const gram<T>*>(&kept), static_cast<const gram<T>*>(&cached)}) {
        EXPECT_TRUE(each->is_psd());
        EXPECT_GE(each->cycles_per_element(), K.cycles_per_element());
    }
    for (const gram<T>* each : {static_cast<const gram<T>*>(&some), static_cast<const gram<T>*>(&twice),
                                static_cast<const gram<T>*>(&kept), static_cast<const gram<T>*>(&cached)}) {
        const matrix<double> phi = each->features(10);
        ASSERT_EQ(phi.rows(), each->rows());
        std::vector<T> self(static_cast<std::size_t>(each->rows()));
        each->diagonal(self);
        for (index i = 0; i < phi.rows(); ++i) {
            double norm = 0;
            for (index a = 0; a < phi.cols(); ++a) norm += phi(i, a) * phi(i, a);
            EXPECT_NEAR(norm, self[static_cast<std::size_t>(i)], 1e-5 * (1 + norm));
        }
    }
}

TEST(lowered, is_the_matrix_in_float_less_what_is_common) {
    matrix<double> k = random_kernel_matrix<double>(150);  // more than one tile
    for (index i = 0; i < 150 * 150; ++i) k.data()[i] = 1 + 1e-6 * k.data()[i];
    const precomputed<double> whole(k);
    expect_gram_contract(float_gram(whole), k, 1e-7);
    matrix<double> less = k;
    for (index i = 0; i < 150 * 150; ++i) less.data()[i] -= 1;
    expect_gram_contract(shifted_gram<float>(whole, 1), less, 1e-12);
    expect_gram_contract(shifted_gram<double>(whole, 1), less, 0);
}

// multiply() computes K in tiles: more rows than a row tile, more columns than a column tile.
TEST(gram_interface, multiplies_large_matrices) {
    const matrix<float> k = random_matrix<float>(400, 9000);
    const precomputed<float> whole(k);
    for (const index columns : {1, 2}) {
        const matrix<double> v = random_matrix<double>(9000, columns, 3);
        matrix<double> out(400, columns);
        whole.multiply(v.view(), out.view());
        for (index i = 0; i < 400; i += 7)
            for (index s = 0; s < columns; ++s) {
                long double sum = 0;
                for (index j = 0; j < 9000; ++j) sum += static_cast<long double>(k(i, j)) * v(j, s);
                ASSERT_NEAR(out(i, s), sum, 1e-12);
            }
    }
}

// A matrix whose blocks are computed by multiplication with another matrix.
TEST(gram_interface, multiplies_within_a_block) {
    class squared final : public gram<double> {
    public:
        explicit squared(const gram<double>& k) : k_(k) {}
        index rows() const override { return k_.rows(); }
        index cols() const override { return k_.cols(); }
        void block(const row_set& r, const row_set& c, row_pointers<double> out) const override {
            matrix<double> unit(k_.rows(), c.size()), once(k_.rows(), c.size()), twice(k_.rows(), c.size());
            for (index j = 0; j < c.size(); ++j) unit(c[j], j) = 1;
            k_.multiply(unit.view(), once.view());
            k_.multiply(once.view(), twice.view());
            for (index i = 0; i < r.size(); ++i)
                for (index j = 0; j < c.size(); ++j) out[i][j] = twice(r[i], j);
        }

    private:
        const gram<double>& k_;
    };
    const matrix<double> k = random_kernel_matrix<double>(60);
    const precomputed<double> whole(k);
    matrix<double> want(60, 60);
    for (index i = 0; i < 60; ++i)
        for (index j = 0; j < 60; ++j)
            for (index a = 0; a < 60; ++a) want(i, j) += k(i, a) * k(a, j);
    expect_gram_contract(squared(whole), want, 1e-12);
}

}  // namespace
}  // namespace mercer::testing
