// Dense vectors with very many coordinates are processed in chunks of coordinates: results are bit-identical to whole
// rows, for every statistic.
#include <limits>

#include "contracts/kernel_contract.h"
#include "mercer/base/threads.h"

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

// Blocks, squares and diagonals of an evaluator.
template <class T>
struct answers {
    explicit answers(const evaluator<T>& of) : whole(block_of(of)) {
        const std::vector<index> rows{3, 0, 17, 16, 5}, cols{7, 7, 1, 20, 2, 11};
        const row_set some{std::span<const index>(rows)}, others{std::span<const index>(cols)};
        selected = block_of(of, some, others);
        some_rows = block_of(of, some, row_set(0, of.cols()));
        if (!of.has_same_data()) return;
        square = matrix<T>(of.rows(), of.rows());
        of.fill(square.view());
        diagonal.resize(static_cast<std::size_t>(of.rows()));
        of.diagonal(diagonal);
    }

    matrix<T> whole, selected, some_rows, square;
    std::vector<T> diagonal;
};

template <class T>
void expect_same(const evaluator<T>& of, const answers<T>& want, const std::string& what) {
    const answers<T> got(of);
    EXPECT_TRUE(same_bits(got.whole, want.whole)) << what << ": block";
    EXPECT_TRUE(same_bits(got.selected, want.selected)) << what << ": a selection";
    EXPECT_TRUE(same_bits(got.some_rows, want.some_rows)) << what << ": some rows";
    EXPECT_TRUE(same_bits(got.square, want.square)) << what << ": all";
    EXPECT_EQ(got.diagonal, want.diagonal) << what << ": diagonal";
}

template <class T>
void expect_same_for(const std::string& text, const dataset& x, const dataset& z, const std::string& what) {
    const kernel k = kernel::parse(text);
    const std::size_t much = std::size_t{1} << 30;
    const answers<T> plain(evaluator<T>(k, x, z, deeper_than(always_whole))),
        copied(evaluator<T>(k, x, z, deeper_than(always_whole, 0, much))),
        one(evaluator<T>(k, x, deeper_than(always_whole)));
    for (const index whole : {1, 16, 40}) {
        const std::string how = text + ", " + what + ", slices of " + std::to_string(whole);
        expect_same<T>({k, x, z, deeper_than(whole)}, plain, how);
        expect_same<T>({k, x, z, deeper_than(whole, much)}, plain, how + ", kept panels");
        expect_same<T>({k, x, z, deeper_than(whole, 0, much)}, copied, how + ", a copy");
        expect_same(evaluator<T>(k, x, deeper_than(whole)), one, how + ", one data set");
        if (::testing::Test::HasFailure()) return;
    }
}

class deep_vectors : public ::testing::TestWithParam<std::string> {};

TEST_P(deep_vectors, is_that_of_whole_rows) {
    // Near the origin and far from it, where distances need a shift, differences and low parts; coordinates of float
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

// With the default threshold.
TEST(kernel_contract_deep, holds_on_either_side_of_the_bound) {
    for (const index dims : {16383, 16384, 16385, 18001})
        for (const double offset : {0.0, 10.0}) {
            generator random(5);
            const objects some = random_vectors(random, 30, {.dims = dims, .offset = offset});
            const dataset x = vectors_of<float>(some, storage::dense);
            for (const char* text : {"rbf(gamma=0.0001)", "rbf(gamma=1)", "laplacian(gamma=0.001)"}) {
                const kernel k = kernel::parse(text);
                const std::string what = std::string(text) + " of " + std::to_string(dims);
                expect_same(evaluator<float>(k, x), answers(evaluator<float>(k, x, deeper_than(always_whole))),
                            what + ", float");
                expect_same(evaluator<double>(k, x), answers(evaluator<double>(k, x, deeper_than(always_whole))),
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
