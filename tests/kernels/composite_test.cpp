// Runs the contract on random expression trees.
#include <gtest/gtest.h>

#include <set>

#include "contracts/kernel_contract.h"
#include "contracts/property.h"
#include "mercer/data/all_kinds.h"
#include "mercer/kernels/evaluation/pair_evaluation.h"

namespace mercer::testing {
namespace {

constexpr index dims = 5;

// Without the sigmoid, whose k(x, x) may be negative, which normalize refuses.
kernel_case leaf_on(object_kind where) {
    static const std::vector<std::string> vectors{
        "linear", "poly",         "rbf",    "anisotropic",        "cosine",  "all_subsets", "laplacian",
        "chi2",   "intersection", "matern", "rational_quadratic", "periodic"};
    static const std::vector<std::string> sets{"set_intersection", "set_power", "set_exp", "jaccard"};
    static const std::vector<std::string> strings{"spectrum"};
    const auto all = kernel_cases_of(arbitrary::one_of(where == object_kind::vectors ? vectors
                                                       : where == sets::kind         ? sets
                                                                                     : strings));
    return all[arbitrary::integer(std::size_t{0}, all.size())];
}

kernel_case tree_on(object_kind where, int height);

// An operand of powers and exponentials: normalised, so that nested powers remain within range.
kernel_case tame(object_kind where, int height) {
    return scaled(arbitrary::one_of<double>({0.5, 1, 2}), normalised_of(tree_on(where, height)));
}

kernel_case tree_on(object_kind where, int height) {
    if (height == 0) return leaf_on(where);
    switch (arbitrary::integer(0, where == object_kind::vectors ? 9 : 8)) {
        case 0: return leaf_on(where);
        case 1: return scaled(arbitrary::one_of<double>({0.5, 3, 1e-3, 0, 0.1}), tree_on(where, height - 1));
        case 2: return sum(tree_on(where, height - 1), tree_on(where, height - 1));
        case 3: return product(tame(where, height - 1), tree_on(where, height - 1));
        case 4: return power(tame(where, height - 1), arbitrary::one_of<double>({0, 1, 2, 3}));
        case 5:
            return polynomial_in(tame(where, height - 1),
                                 arbitrary::one_of<std::vector<double>>({{1}, {0, 1}, {0.5, 0, 2}, {1, 2, 3, 4}}));
        case 6: return exponential(tame(where, height - 1));
        case 7: return normalised_of(tree_on(where, height - 1));
        default: {
            // A leaf with a matrix parameter needs all coordinates, so only leaves without one are projected.
            const auto inner = kernel_cases_of(
                arbitrary::one_of<std::string>({"linear", "poly", "rbf", "laplacian", "periodic", "chi2", "matern"}));
            return on_columns(inner[arbitrary::integer(std::size_t{0}, inner.size())],
                              arbitrary::one_of<std::vector<index>>({{0}, {4, 1}, {2, 2, 3}, {0, 1, 2, 3, 4}}));
        }
    }
}

template <class Check>
void on_random_trees(Check check) {
    const object_kind where =
        arbitrary::one_of<object_kind>({object_kind::vectors, object_kind::vectors, sets::kind, strings::kind});
    const kernel_case s = tree_on(where, arbitrary::integer(1, 4));
    generator random(arbitrary::any<std::uint32_t>());
    arbitrary::note(s.k.text());
    check(s, random);
    MUST_HOLD(!::testing::Test::HasFailure());
}

PROPERTY(composite, follows_its_definition) {
    on_random_trees([](const kernel_case& s, generator& random) {
        const objects x = objects_for(s, random, 15, {.dims = dims, .density = 0.8}),
                      z = objects_for(s, random, 20, {.dims = dims, .density = 0.8});
        expect_definition(s, x, z);
    });
}

PROPERTY(composite, keeps_the_contract) {
    on_random_trees([](const kernel_case& s, generator& random) {
        const objects x = objects_for(s, random, 70, {.dims = dims}), z = objects_for(s, random, 40, {.dims = dims});
        expect_symmetry<double>(s, x);
        expect_symmetry<float>(s, x);
        expect_same_for_threads<float>(s, x);
        expect_twins<double>(s, z);
        expect_selections<double>(s, x, z, random);
    });
}

PROPERTY(composite, is_positive_semidefinite_where_proven) {
    on_random_trees([](const kernel_case& s, generator& random) {
        const objects x = objects_for(s, random, 40, {.dims = dims});
        expect_positive_semidefinite(s, x);
    });
}

PROPERTY(composite, reads_back_from_its_text) {
    on_random_trees([](const kernel_case& s, generator& random) {
        const objects x = objects_for(s, random, 10, {.dims = dims});
        expect_text_round_trip(s, x);
    });
}

// A node inside of projections and normalisations receives the projected objects, not the data.
TEST(composite, normalises_what_it_projects) {
    generator random(1);
    const kernel_case linear = kernel_cases_of("linear")[0], rbf = kernel_cases_of("rbf")[0],
                      poly = kernel_cases_of("poly")[1];
    const kernel_case inner = sum(on_columns(linear, {0, 1}), product(rbf, on_columns(poly, {1})));
    for (const auto& s : {normalised_of(inner), on_columns(normalised_of(inner), {3, 0, 4}),
                          exponential(on_columns(normalised_of(linear), {2})),
                          normalised_of(on_columns(exponential(linear), {2, 4}))}) {
        const objects x = random_vectors(random, 23, {.dims = dims}), z = random_vectors(random, 31, {.dims = dims});
        expect_definition(s, x, z);
        expect_diagonal<double>(s, x);
        expect_text_round_trip(s, x);
    }
}

// Collects the plans whose diagonals a plan needs, at any depth.
void collect_parts(const plan& code, std::set<const plan*>& parts) {
    for (const instruction& step : code.code)
        if (step.self && parts.insert(step.self.get()).second) collect_parts(*step.self, parts);
}

// normalize((normalize((rbf)^2 + 1))^2 + 1) …: every level has its own diagonal, which the levels above share.
TEST(composite, computes_each_diagonal_of_nested_normalisations_once) {
    generator random(5);
    const dataset data = vectors_of<double>(random_vectors(random, 9, {.dims = dims}), storage::dense);
    const kernel inner = kernel::parse("rbf(gamma=0.5)");
    kernel powers = inner, exponentials = normalise(inner + kernel::parse("linear()")), products = inner;
    matrix<double> want = block_of(evaluator<double>(inner, data));
    constexpr int depth = 50;
    for (int level = 0; level < depth; ++level) {
        powers = normalise(pow(powers, 2) + 1.0);
        exponentials = normalise(exp(exponentials));
        products = normalise(products * kernel::parse("rbf(gamma=0.01)"));
        for (index i = 0; i < want.rows(); ++i)
            for (index j = 0; j < want.cols(); ++j) want(i, j) = (want(i, j) * want(i, j) + 1) / 2;
    }
    for (const kernel& k : {powers, exponentials, products}) {
        std::set<const plan*> parts;
        collect_parts(*k.compile(), parts);
        EXPECT_LE(parts.size(), depth + 1U);
        const matrix<double> got = block_of(evaluator<double>(k, data));
        for (index i = 0; i < got.rows(); ++i) EXPECT_NEAR(got(i, i), 1, 1e-12);
    }
    const matrix<double> got = block_of(evaluator<double>(powers, data));
    const certified_kernel<double> truth(powers, data);
    for (index i = 0; i < got.rows(); ++i)
        for (index j = 0; j < got.cols(); ++j) {
            EXPECT_NEAR(got(i, j), want(i, j), 1e-12);
            EXPECT_NEAR(truth(i, j).value, want(i, j), 1e-12);
        }
}

// Distances of shifted data and plain dot products of the same data in one expression.
TEST(composite, shares_a_dot_product_without_losing_the_shift) {
    generator random(2);
    const objects x = random_vectors(random, 40, {.dims = 3, .offset = 10000});
    const dataset data = vectors_of<float>(x, storage::dense);
    const matrix<float> both = block_of(evaluator<float>(kernel::parse("rbf(0.5) + 1e-9*linear()"), data)),
                        alone = block_of(evaluator<float>(kernel::parse("rbf(0.5)"), data));
    for (index i = 0; i < 40; ++i)
        for (index j = 0; j < 40; ++j) {
            long double distance = 0, dot = 0;
            for (std::size_t a = 0; a < 3; ++a)
                distance += std::pow(static_cast<long double>(x[i].vector[a]) - x[j].vector[a], 2),
                    dot += static_cast<long double>(x[i].vector[a]) * x[j].vector[a];
            const auto want = static_cast<float>(std::exp(-0.5L * distance));
            ASSERT_NEAR(alone(i, j), want, 1e-5f);
            ASSERT_NEAR(both(i, j), want + static_cast<float>(1e-9L * dot), 1e-5f);
        }
}

}  // namespace
}  // namespace mercer::testing
