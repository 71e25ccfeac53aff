// User-defined kernels, and explicit feature maps compared with their kernels.
#include <atomic>
#include <cmath>
#include <numbers>

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"

namespace mercer::testing {
namespace {

using point = std::span<const double>;
using features = std::vector<double>;
const double root2 = std::numbers::sqrt2;

void expect_same_kernel(const kernel& a, const kernel& b, index dims) {
    generator random(9);
    const objects x = random_vectors(random, 30, {.dims = dims, .single = false}),
                  z = random_vectors(random, 20, {.dims = dims, .single = false});
    const matrix<double> k =
        block_of(evaluator<double>(a, vectors_of<double>(x, storage::dense), vectors_of<double>(z, storage::dense)));
    const matrix<double> l =
        block_of(evaluator<double>(b, vectors_of<double>(x, storage::dense), vectors_of<double>(z, storage::dense)));
    for (index i = 0; i < k.rows() * k.cols(); ++i)
        ASSERT_NEAR(k.data()[i], l.data()[i], 1e-12 * std::max(1.0, std::abs(l.data()[i])))
            << a.text() << " and " << b.text();
}

TEST(feature_map, of_squares_in_the_plane) {
    const kernel map = from_feature_map("squares", [](point x) {
        return features{x[0] * x[0], x[1] * x[1], root2 * x[0] * x[1]};
    });
    expect_same_kernel(map, kernel::parse("poly(degree=2)"), 2);
    expect_same_kernel(map, kernel::parse("linear()^2"), 2);
    EXPECT_TRUE(map.proof().valid);
}

TEST(feature_map, of_the_inhomogeneous_square) {
    const kernel map = from_feature_map("inhomogeneous", [](point x) {
        return features{1, x[0] * x[0], x[1] * x[1], root2 * x[0], root2 * x[1], root2 * x[0] * x[1]};
    });
    expect_same_kernel(map, kernel::parse("poly(degree=2, coef0=1)"), 2);
    expect_same_kernel(map, kernel::parse("(linear() + 1)^2"), 2);
    expect_same_kernel(map, kernel::parse("polynomial_of(linear(), [1, 2, 1])"), 2);
}

// φ = (1, x₁, x₂, x₁², x₂², x₁x₂) without the factors √2 is the feature map of another kernel.
TEST(feature_map, without_the_roots_is_another_kernel) {
    const kernel map = from_feature_map(
        "plain", [](point x) { return features{1, x[0], x[1], x[0] * x[0], x[1] * x[1], x[0] * x[1]}; });
    expect_same_kernel(map,
                       from_function("expanded",
                                     [](point x, point z) {
                                         return 1 + x[0] * z[0] + x[1] * z[1] + x[0] * x[0] * z[0] * z[0] +
                                                x[1] * x[1] * z[1] * z[1] + x[0] * x[1] * z[0] * z[1];
                                     }),
                       2);
    const dataset x = vectors_of<double>({{{1, 2}, "", {}}}, storage::dense);
    EXPECT_GT(std::abs(pair_value(map, x, x) - pair_value(kernel::parse("poly(degree=2, coef0=1)"), x, x)), 1);
}

TEST(feature_map, of_all_subsets) {
    const kernel map = from_feature_map("subsets", [](point x) {
        features all{1};
        for (const double coordinate : x) {
            const std::size_t before = all.size();
            for (std::size_t i = 0; i < before; ++i) all.push_back(all[i] * coordinate);
        }
        return all;
    });
    expect_same_kernel(map, kernel::parse("all_subsets()"), 4);
}

// (xᵀz)³ in 2-D: monomials with the root of their multinomial coefficient.
TEST(feature_map, of_cubes) {
    const double root3 = std::sqrt(3.0);
    const kernel map = from_feature_map("cubes", [=](point x) {
        return features{x[0] * x[0] * x[0], root3 * x[0] * x[0] * x[1], root3 * x[0] * x[1] * x[1], x[1] * x[1] * x[1]};
    });
    expect_same_kernel(map, kernel::parse("poly(degree=3)"), 2);
}

TEST(feature_map, of_the_bilinear_form) {
    // A = RᵀR with R = [1 2; 0 1]
    const kernel map = from_feature_map("R", [](point x) { return features{x[0] + 2 * x[1], x[1]}; });
    expect_same_kernel(map, kernel::parse("bilinear([[1, 2], [2, 5]])"), 2);
}

// exp(-(x-z)²) = e^(-x²) e^(-z²) Σ 2^k x^k z^k / k!, cut off where the terms are below rounding.
TEST(feature_map, of_the_gaussian_in_one_dimension) {
    const kernel map = from_feature_map("taylor", [](point x) {
        features all;
        double term = std::exp(-x[0] * x[0]);
        for (int k = 0; k < 80; ++k) {
            all.push_back(term);
            term *= std::sqrt(2.0 / (k + 1)) * x[0];
        }
        return all;
    });
    expect_same_kernel(map, kernel::parse("rbf(gamma=1)"), 1);
}

TEST(feature_map, two_maps_of_one_name_are_two_maps) {
    const kernel a = from_feature_map("phi", [](point x) { return features{x[0]}; }),
                 b = from_feature_map("phi", [](point x) { return features{10 * x[0]}; });
    const dataset one = vectors_of<double>({{{1}, "", {}}}, storage::dense);
    EXPECT_EQ(pair_value(a + b, one, one), 101);
}

TEST(feature_map, must_give_as_many_numbers_for_every_object) {
    const kernel map = from_feature_map("ragged", [](point x) { return features(static_cast<std::size_t>(x[0])); });
    expect_error(errc::invalid_argument, "the map returns 2 features for object 1, but 3 for object 0", [&] {
        evaluator<double>(map, vectors_of<double>({{{3}, "", {}}, {{2}, "", {}}}, storage::dense));
    });
}

TEST(user_kernel, is_evaluated_like_any_other) {
    const kernel_case linear = kernel_cases_of("linear")[0];
    const kernel_case mine{from_function("mine",
                                         [](point x, point z) {
                                             double sum = 0;
                                             for (std::size_t a = 0; a < x.size(); ++a) sum += x[a] * z[a];
                                             return sum;
                                         }),
                           linear.f};
    generator random(3);
    const objects x = random_vectors(random, 50, {}), z = random_vectors(random, 300, {});
    for (const auto& s : {mine, sum(mine, kernel_cases_of("rbf")[0]), product(mine, mine), normalised_of(mine),
                          on_columns(mine, {1, 3})}) {
        expect_definition(s, x, z);
        expect_diagonal<double>(s, x);
        expect_symmetry<double>(s, x);
        expect_selections<double>(s, x, z, random);
        expect_same_for_threads<float>(s, x);
    }
}

// A function need not be symmetric: it is called for each pair (x, z) in this order.
TEST(user_kernel, may_be_asymmetric) {
    const kernel k = from_function("minus", [](point x, point z) { return x[0] - z[0]; });
    const dataset x = vectors_of<double>({{{1}, "", {}}, {{4}, "", {}}}, storage::dense);
    matrix<double> all(2, 2);
    evaluator<double>(k, x).fill(all.view());
    EXPECT_EQ(all(0, 1), -3);
    EXPECT_EQ(all(1, 0), 3);
}

// A user's function may evaluate kernels while a tile is being computed.
TEST(user_kernel, may_use_kernels_itself) {
    const kernel inner = kernel::parse("columns(rbf(0.5), [0, 1])*linear() + 1");
    const kernel k = from_block_function(
        "nested",
        [inner](const dataset& x, const row_set& rows, const dataset& z, const row_set& cols, matrix_view<double> out) {
            evaluator<double>(inner, x, z).block(rows, cols, out);
        },
        object_kind::vectors);
    generator random(8);
    const dataset x = vectors_of<double>(random_vectors(random, 200, {}), storage::dense);
    // Before and after another operand, whose packed rows must remain valid.
    for (const auto& [got, want] : {std::pair(k + kernel::parse("rbf(2)"), inner + kernel::parse("rbf(2)")),
                                    std::pair(kernel::parse("rbf(2)") + k, kernel::parse("rbf(2)") + inner)}) {
        const matrix<double> nested = block_of(evaluator<double>(got, x)), plain = block_of(evaluator<double>(want, x));
        for (index i = 0; i < 200 * 200; ++i) ASSERT_NEAR(nested.data()[i], plain.data()[i], 1e-12);
    }
}

// A call may be expensive: one call for a whole matrix, a few if it is computed tile by tile, a few for a diagonal.
TEST(user_kernel, is_asked_for_large_blocks) {
    std::atomic<index> calls = 0, pairs = 0;
    const kernel k = from_block_function(
        "counted",
        [&](const dataset& x, const row_set& rows, const dataset& z, const row_set& cols, matrix_view<double> out) {
            ++calls, pairs += rows.size() * cols.size();
            evaluator<double>(kernel::parse("rbf(0.1)"), x, z).block(rows, cols, out);
        },
        object_kind::vectors);
    generator random(8);
    const index n = 600;
    const dataset x = vectors_of<double>(random_vectors(random, n, {}), storage::dense);
    for (const kernel& some : {k, k + kernel::parse("linear()"), normalise(k)}) {
        const evaluator<double> e(some, x);
        calls = pairs = 0;
        const matrix<double> all = block_of(e);
        EXPECT_EQ(calls, 1);
        EXPECT_EQ(pairs, n * n);
        calls = pairs = 0;
        const evaluator<double> again(some, x);
        const index before = calls;
        matrix<double> tile(20, 30);
        for (index r = 0; r + 20 <= n; r += 20)
            for (index c = 0; c + 30 <= n; c += 30) {
                again.block(row_set(r, 20), row_set(c, 30), tile.view());
                for (index i = 0; i < 20; ++i)
                    for (index j = 0; j < 30; ++j) ASSERT_EQ(tile(i, j), all(r + i, c + j));
            }
        EXPECT_EQ(calls - before, 1);
        calls = 0;
        std::vector<double> diagonal(n);
        again.diagonal(diagonal);
        EXPECT_LE(calls, n / 20);
        for (index i = 0; i < n; ++i) ASSERT_EQ(diagonal[static_cast<std::size_t>(i)], all(i, i));
    }
}

TEST(user_kernel, may_throw) {
    std::atomic<bool> broken = true;
    const kernel k = from_function("broken", [&broken](point x, point z) -> double {
        if (broken) throw std::runtime_error("not today");
        return x[0] * z[0];
    });
    generator random(8);
    // Together with a wide sparse statistic, whose column table must not remain partly filled.
    const objects some = random_vectors(random, 70, {.dims = 5000, .density = 0.01});
    const dataset x = vectors_of<double>(some, storage::sparse);
    const evaluator<double> e(k + kernel::parse("linear()"), x);
    matrix<double> out(70, 70);
    EXPECT_THROW(e.block(row_set(0, 70), row_set(0, 70), out.view()), std::runtime_error);
    broken = false;
    e.block(row_set(0, 70), row_set(0, 70), out.view());
    for (index i = 0; i < 70; ++i)
        EXPECT_NEAR(out(i, 3),
                    static_cast<double>(dot_of(some[i], some[3]).value) + some[i].vector[0] * some[3].vector[0], 1e-12);
}

TEST(conjugation, weighs_both_sides) {
    const kernel k = conjugate(
        "first",
        [](const dataset& x) {
            const dense<double> rows = as_dense<double>(x);
            std::vector<double> h;
            for (index i = 0; i < rows.size(); ++i) h.push_back(rows.row(i)[0]);
            return h;
        },
        kernel::parse("rbf()"));
    const kernel_case rbf = kernel_cases_of("rbf")[0];
    const kernel_case s{k, [f = rbf.f](const object& x, const object& z) {
                            const approx v = f(x, z);
                            return rounded({v.value * x.vector[0] * z.vector[0],
                                            3 * (v.error + v.value) * std::abs(x.vector[0] * z.vector[0])});
                        }};
    generator random(2);
    const objects x = random_vectors(random, 20, {}), z = random_vectors(random, 30, {});
    expect_definition(s, x, z);
    expect_diagonal<double>(s, x);
    expect_definition(on_columns(s, {2, 0}), x, z);
    expect_positive_semidefinite(s, x);
}

TEST(conjugation, needs_one_number_an_object) {
    const kernel k = conjugate(
        "short", [](const dataset&) { return std::vector<double>{1}; }, kernel::parse("rbf()"));
    expect_error(errc::invalid_argument, "one number for each of 2 objects, got 1", [&] {
        evaluator<double>(k, vectors_of<double>({{{3}, "", {}}, {{2}, "", {}}}, storage::dense));
    });
}

}  // namespace
}  // namespace mercer::testing
