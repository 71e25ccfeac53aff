// Rows that are prepared once must give results bit-identical to rows that are prepared for each call.
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "contracts/errors.h"
#include "gram/random_gram.h"
#include "mercer/data/strings.h"
#include "mercer/gram/make_gram.h"

namespace mercer::testing {
namespace {

matrix<double> all(const gram<double>& K) {
    matrix<double> out(K.rows(), K.cols());
    K.fill(out.view());
    return out;
}

// A random matrix with a fraction `part` of nonzero entries, shifted by an offset.
matrix<double> drawn(index rows, index cols, std::uint64_t seed, double part, double offset, bool whole = false) {
    generator random(seed);
    matrix<double> out(rows, cols);
    for (index i = 0; i < rows * cols; ++i) {
        const double value = uniform(random, -1, 1);
        if (uniform(random, 0, 1) < part) out.data()[i] = offset + (whole ? std::round(3 * value) : value);
    }
    return out;
}

dataset as_sparse(const matrix<double>& x, index dims) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    for (index i = 0; i < x.rows(); ++i) {
        for (index a = 0; a < x.cols(); ++a)
            if (x(i, a) != 0) col.push_back(static_cast<std::int32_t>(a)), val.push_back(x(i, a));
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<double>(std::move(start), std::move(col), std::move(val), dims);
}

const char* const kernels[] = {"rbf(gamma=0.3)",
                               "rbf(gamma=40)",
                               "linear()",
                               "poly(degree=3, gamma=0.5, coef0=1)",
                               "laplacian(gamma=0.2)",
                               "chi2(gamma=0.5)",
                               "intersection()",
                               "matern(nu=1.5)",
                               "rational_quadratic()",
                               "normalize(poly(degree=2, coef0=1))",
                               "cosine()",
                               "0.5*rbf(gamma=0.1) + poly(degree=2)*linear()",
                               "rbf(gamma=1) + rbf(gamma=0.01) + 2"};

void expect_same_bits(const char* text, const dataset& z, const std::vector<dataset>& requests, const char* what) {
    const kernel k = kernel::parse(text);
    const prepared_support ready;
    ready.enable();
    for (const dataset& x : requests) {
        const matrix<double> got = all(*ready.gram_of(k, x, z, {std::size_t{64} << 20, 0, false})),
                             want = all(*make_gram<double>(k, x, z, {std::size_t{64} << 20, 0, false}));
        ASSERT_EQ(got.rows(), want.rows());
        ASSERT_EQ(got.cols(), want.cols());
        for (index i = 0; i < got.rows(); ++i)
            for (index j = 0; j < got.cols(); ++j)
                ASSERT_EQ(got(i, j), want(i, j))
                    << text << " on " << what << ", " << i << " of " << x.size() << ", " << j;
    }
}

TEST(ready_rows, give_the_bits_of_rows_made_for_the_call) {
    struct shape {
        const char* what;
        index dims;
        double part, offset;
        bool whole;
    };
    for (const shape s : {shape{"dense", 13, 1, 1.5, false}, shape{"far from the origin", 7, 1, 1e6, false},
                          shape{"mostly zeros", 40, 0.1, 2, false}, shape{"whole numbers", 9, 1, 50, true}}) {
        const matrix<double> z = drawn(300, s.dims, 1, s.part, s.offset, s.whole);
        std::vector<matrix<double>> rows;
        for (const index n : {1, 3, 17, 130})
            rows.push_back(drawn(n, s.dims, 10 + static_cast<std::uint64_t>(n), s.part, s.offset, s.whole));
        matrix<double> twins(5, s.dims);  // equals rows of z: distances of exactly 0
        for (index i = 0; i < 5; ++i) std::copy_n(z.row(60 * i), s.dims, twins.row(i));
        rows.push_back(twins);
        std::vector<dataset> dense_rows, sparse_rows;
        for (const auto& each : rows)
            dense_rows.emplace_back(dense<double>(each)), sparse_rows.push_back(as_sparse(each, s.dims));
        for (const char* text : kernels) {
            expect_same_bits(text, dense<double>(z), dense_rows, s.what);
            if (s.part < 1) expect_same_bits(text, as_sparse(z, s.dims), sparse_rows, "sparse");
        }
    }
}

TEST(ready_rows, sparse_rows_of_many_columns_and_of_another_number_of_them) {
    const index wide = 6000;
    matrix<double> z(200, wide), x(7, wide);
    generator random(3);
    for (matrix<double>* each : {&z, &x})
        for (index i = 0; i < each->rows(); ++i)
            for (int e = 0; e < 40; ++e)
                (*each)(i, static_cast<index>(uniform(random, 0, wide - 1))) = uniform(random, 0, 1);
    for (const char* text : {"rbf(gamma=0.3)", "linear()", "cosine()"}) {
        expect_same_bits(text, as_sparse(z, wide), {as_sparse(x, wide)}, "many columns");
        expect_same_bits(text, as_sparse(z, wide), {as_sparse(x, wide + 500)}, "more columns");
        expect_same_bits(text, as_sparse(z, wide + 500), {as_sparse(x, wide)}, "fewer columns");
    }
}

TEST(ready_rows, what_cannot_be_made_ready_is_computed_as_ever) {
    const strings z(std::vector<std::string>{"abab", "ba", "bbb"}), x(std::vector<std::string>{"ab"});
    expect_same_bits("spectrum(k=2)", z, {dataset(x)}, "strings");
}

TEST(ready_rows, asked_by_many_at_once) {
    const dataset z = dense<double>(drawn(2000, 20, 1, 1, 0.5));
    const kernel k = kernel::parse("rbf(gamma=0.1)");
    const prepared_support ready;
    ready.enable();
    std::vector<matrix<double>> got(8);
    std::vector<std::thread> clients;
    for (std::size_t c = 0; c < got.size(); ++c)
        clients.emplace_back(
            [&, c] { got[c] = all(*ready.gram_of(k, dense<double>(drawn(2, 20, 100 + c, 1, 0.5)), z, {})); });
    for (auto& each : clients) each.join();
    for (std::size_t c = 0; c < got.size(); ++c) {
        const matrix<double> want = all(*make_gram<double>(k, dense<double>(drawn(2, 20, 100 + c, 1, 0.5)), z));
        for (index i = 0; i < want.rows() * want.cols(); ++i) ASSERT_EQ(got[c].data()[i], want.data()[i]);
    }
}

TEST(ready_rows, copies_keep_nothing_and_wrong_vectors_are_refused) {
    const prepared_support ready;
    EXPECT_FALSE(ready.is_enabled());
    ready.enable();
    EXPECT_TRUE(ready.is_enabled());
    const prepared_support copy(ready);
    EXPECT_FALSE(copy.is_enabled());
    const dataset z = dense<double>(drawn(20, 4, 1, 1, 0.5)), x = dense<double>(drawn(2, 5, 1, 1, 0.5));
    EXPECT_THROW((void)ready.gram_of(kernel::parse("rbf()"), x, z, {}), error);
    matrix<double> bad = drawn(2, 4, 1, 1, 0.5);
    bad(1, 2) = std::numeric_limits<double>::infinity();
    EXPECT_THROW((void)ready.gram_of(kernel::parse("rbf()"), dense<double>(bad), z, {}), error);
}

}  // namespace
}  // namespace mercer::testing
