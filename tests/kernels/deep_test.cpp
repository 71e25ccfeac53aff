// Dense vectors of very many coordinates are worked on slice by slice: the same bits as from whole rows, whatever the
// statistic.
#include <limits>

#include "contracts/kernel_contract.h"
#include "mercer/base/parallel.h"

namespace mercer::testing {
namespace {

constexpr index always_whole = std::numeric_limits<index>::max();

evaluator_memory deeper_than(index whole, std::size_t packed = 0, std::size_t copy = 0) {
    return {packed, copy, false, whole};
}

const std::vector<std::string>& expressions() {
    static const std::vector<std::string> all{"linear()",
                                              "rbf(gamma=0.01)",
                                              "rbf(gamma=20)",
                                              "matern(nu=1.5, length_scale=3)",
                                              "poly(degree=2, coef0=1)",
                                              "laplacian(gamma=0.05)",
                                              "chi2(gamma=0.1)",
                                              "intersection()",
                                              "all_subsets()",
                                              "normalize(poly(degree=2, coef0=1))",
                                              "0.5*rbf(gamma=0.1) + laplacian(gamma=0.1)*columns(linear(), [0, 3])"};
    return all;
}

// Blocks, squares and diagonals of one evaluator against another's.
template <class T>
void expect_same(const evaluator<T>& got, const evaluator<T>& want, const std::string& what) {
    EXPECT_TRUE(same_bits(block_of(got), block_of(want))) << what << ": block";
    const std::vector<index> rows{3, 0, 17, 16, 5}, cols{7, 7, 1, 20, 2, 11};
    const selection some{std::span<const index>(rows)}, others{std::span<const index>(cols)};
    EXPECT_TRUE(same_bits(block_of(got, some, others), block_of(want, some, others))) << what << ": a selection";
    EXPECT_TRUE(
        same_bits(block_of(got, some, selection(0, got.cols())), block_of(want, some, selection(0, got.cols()))))
        << what << ": some rows";
    if (!got.same()) return;
    matrix<T> a(got.rows(), got.rows()), b(got.rows(), got.rows());
    got.all(a.view()), want.all(b.view());
    EXPECT_TRUE(same_bits(a, b)) << what << ": all";
    std::vector<T> d(static_cast<std::size_t>(got.rows())), e(d.size());
    got.diagonal(d), want.diagonal(e);
    EXPECT_EQ(d, e) << what << ": diagonal";
}

template <class T>
void expect_same_for(const std::string& text, const dataset& x, const dataset& z, const std::string& what) {
    const kernel k = kernel::parse(text);
    const std::size_t much = std::size_t{1} << 30;
    for (const index whole : {1, 16, 40}) {
        const std::string how = text + ", " + what + ", slices of " + std::to_string(whole);
        expect_same<T>({k, x, z, deeper_than(whole)}, {k, x, z, deeper_than(always_whole)}, how);
        expect_same<T>({k, x, z, deeper_than(whole, much)}, {k, x, z, deeper_than(always_whole)},
                       how + ", kept panels");
        expect_same<T>({k, x, z, deeper_than(whole, 0, much)}, {k, x, z, deeper_than(always_whole, 0, much)},
                       how + ", a copy");
        expect_same<T>(evaluator<T>(k, x, deeper_than(whole)), evaluator<T>(k, x, deeper_than(always_whole)),
                       how + ", one data set");
        if (::testing::Test::HasFailure()) return;
    }
}

class deep_vectors : public ::testing::TestWithParam<std::string> {};

TEST_P(deep_vectors, is_that_of_whole_rows) {
    // Near the origin and far from it, where distances want a shift, differences and low parts; coordinates of float
    // and of double.
    for (const double offset : {0.0, 300.0})
        for (const bool single : {true, false})
            for (const index dims : {41, 131}) {
                generator random(static_cast<std::uint64_t>(dims));
                const vector_style style{.dims = dims, .non_negative = true, .offset = offset, .single = single};
                const objects x = random_vectors(random, 75, style), z = random_vectors(random, 150, style);
                const std::string what = std::to_string(dims) + " coordinates from " + std::to_string(offset);
                expect_same_for<double>(GetParam(), vectors_of<double>(x, storage::dense),
                                        vectors_of<double>(z, storage::dense), what + ", double");
                expect_same_for<float>(GetParam(), vectors_of<double>(x, storage::dense),
                                       vectors_of<double>(z, storage::dense), what + ", float of double");
                expect_same_for<float>(GetParam(), vectors_of<float>(x, storage::dense),
                                       vectors_of<float>(z, storage::dense), what + ", float");
                expect_same_for<double>(GetParam(), vectors_of<float>(x, storage::sparse),
                                        vectors_of<double>(z, storage::sparse), what + ", sparse");
                if (HasFailure()) return;
            }
}

INSTANTIATE_TEST_SUITE_P(kernel_contract, deep_vectors, ::testing::ValuesIn(expressions()),
                         [](const auto& info) { return std::to_string(info.index); });

// With the bound as it is.
TEST(kernel_contract_deep, holds_on_either_side_of_the_bound) {
    for (const index dims : {16383, 16384, 16385, 18001})
        for (const double offset : {0.0, 10.0}) {
            generator random(5);
            const objects some = random_vectors(random, 30, {.dims = dims, .offset = offset});
            const dataset x = vectors_of<float>(some, storage::dense);
            for (const char* text : {"rbf(gamma=0.0001)", "rbf(gamma=1)", "laplacian(gamma=0.001)"}) {
                const kernel k = kernel::parse(text);
                const std::string what = std::string(text) + " of " + std::to_string(dims);
                expect_same<float>(evaluator<float>(k, x), evaluator<float>(k, x, deeper_than(always_whole)),
                                   what + ", float");
                expect_same<double>(evaluator<double>(k, x), evaluator<double>(k, x, deeper_than(always_whole)),
                                    what + ", double");
            }
        }
}

TEST(kernel_contract_deep, does_not_depend_on_threads) {
    generator random(9);
    const dataset x = vectors_of<float>(random_vectors(random, 200, {.dims = 300}), storage::dense);
    const evaluator<float> e(kernel::parse("rbf(gamma=0.01)"), x, deeper_than(64));
    const matrix<float> many = block_of(e);
    const thread_limit one(1);
    EXPECT_TRUE(same_bits(block_of(e), many));
}

}  // namespace
}  // namespace mercer::testing
