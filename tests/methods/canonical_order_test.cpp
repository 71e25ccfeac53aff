#include "mercer/methods/canonical_order.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "contracts/objects.h"
#include "mercer/data/all_kinds.h"
#include "mercer/kernels/sets/set_kernels.h"
#include "mercer/kernels/strings/spectrum.h"
#include "mercer/methods/svm/fit_svm.h"
#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;

std::vector<index> shuffled(index n, unsigned seed) {
    std::vector<index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), index{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    return order;
}

std::vector<double> pick(const std::vector<double>& from, const std::vector<index>& which) {
    std::vector<double> out;
    for (const index i : which) out.push_back(from[static_cast<std::size_t>(i)]);
    return out;
}

TEST(example_order, goes_by_object_then_target_then_weight) {
    const dataset x = dense<double>(plain_matrix({{2, 0}, {1, 5}, {1, 4}, {1, 4}, {1, 4}}));
    const std::vector<double> y{0, 0, 1, 0, 1}, weight{1, 1, 2, 9, 1};
    EXPECT_EQ(canonical_ranks(x, y, weight), (std::vector<index>{4, 3, 2, 0, 1}));
    EXPECT_EQ(canonical_ranks(x, {}, {}), (std::vector<index>{4, 3, 0, 1, 2}));
}

TEST(example_order, does_not_see_how_vectors_are_stored) {
    const std::vector<index> expected{1, 3, 2, 6, 0, 5, 4};
    const dataset x =
        dense<double>(plain_matrix({{0, -1, 0}, {0, 0, 0}, {0, 0, -2}, {0, 3, 0}, {-1, 0, 9}, {0, 0, 4}, {0, 0, 0}}));
    EXPECT_EQ(canonical_ranks(x, {}, {}), expected);
    // The last row stores a zero.
    const dataset same = sparse<double>({0, 1, 1, 2, 3, 5, 6, 7}, {1, 2, 1, 0, 2, 2, 1}, {-1, -2, 3, -1, 9, 4, 0}, 3);
    EXPECT_EQ(canonical_ranks(same, {}, {}), expected);
    const dataset heart = sample("heart_scale.svm").x;
    ASSERT_TRUE(heart.is_sparse());
    EXPECT_EQ(canonical_ranks(heart, {}, {}), canonical_ranks(as_dense<double>(heart), {}, {}));
}

// The example at each rank is the same for every permutation of the data.
TEST(example_order, follows_the_examples) {
    mercer::testing::generator random(5);
    std::vector<std::string> words;
    std::vector<std::vector<std::int64_t>> items;
    for (const auto& each : mercer::testing::random_strings(random, 60)) words.push_back(each.string);
    for (const auto& each : mercer::testing::random_sets(random, 60)) items.push_back(each.set);
    const table vectors = sample("heart_scale.svm");
    for (const dataset& x :
         {dataset(strings(words)), dataset(sets(items)), vectors.x, dataset(as_dense<float>(vectors.x))}) {
        const std::vector<index> rank = canonical_ranks(x, {}, {}), order = shuffled(x.size(), 1);
        const std::vector<index> moved = canonical_ranks(gather(x, std::span<const index>(order)), {}, {});
        // The ranks agree up to equal examples, whose kernel values are equal too.
        std::vector<index> at(rank.size()), at_moved(rank.size());
        for (std::size_t i = 0; i < rank.size(); ++i)
            at[rank[i]] = static_cast<index>(i), at_moved[moved[i]] = order[i];
        const dataset a = gather(x, std::span<const index>(at)), b = gather(x, std::span<const index>(at_moved));
        const kernel k = x.kind() == strings::kind ? kernel(spectrum{1})
                         : x.kind() == sets::kind  ? kernel(jaccard{})
                                                   : kernel(gaussian{0.1});
        matrix<double> K(a.size(), a.size()), L(a.size(), a.size());
        evaluator<double>(k, a).fill(K.view());
        evaluator<double>(k, b).fill(L.view());
        expect_same_numbers(K, L);
    }
}

TEST(example_order, a_fit_in_any_order_is_the_same) {
    for (const auto task :
         {svm_task::c_svc, svm_task::nu_svc, svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr}) {
        const table data = sample("heart_scale.svm");
        svm_options options;
        options.task = task;
        options.canonical_order = true;
        const svm_model model = fit_svm(gaussian{0.1}, data.x, data.y, options);
        const matrix<double> f = decide(model, data.x, arithmetic::exact);
        for (const unsigned seed : {1u, 2u}) {
            const std::vector<index> order = shuffled(data.x.size(), seed);
            const svm_model other =
                fit_svm(gaussian{0.1}, gather(data.x, std::span<const index>(order)), pick(data.y, order), options);
            const matrix<double> g = decide(other, data.x, arithmetic::exact);
            for (index i = 0; i < f.rows(); ++i) ASSERT_NEAR(f(i, 0), g(i, 0), 1e-9) << name(task);
            std::vector<index> support;
            for (const index row : other.support_rows) support.push_back(order[static_cast<std::size_t>(row)]);
            std::sort(support.begin(), support.end());
            std::vector<index> expected = model.support_rows;
            std::sort(expected.begin(), expected.end());
            EXPECT_EQ(support, expected);
            EXPECT_EQ(model.reports[0].steps, other.reports[0].steps);
        }
    }
}

TEST(example_order, support_vectors_stand_in_the_order_of_the_data) {
    const table data = sample("wine.svm");
    svm_options options;
    options.canonical_order = true;
    const svm_model model = fit_svm(gaussian{1e-3}, data.x, data.y, options);
    index first = 0;
    for (const index count : model.class_support) {
        EXPECT_TRUE(std::is_sorted(model.support_rows.begin() + first, model.support_rows.begin() + first + count));
        first += count;
    }
}

// An example of weight zero has no effect: the coefficients of the others are bit-identical.
TEST(example_order, weight_zero_is_absence) {
    for (const auto task :
         {svm_task::c_svc, svm_task::nu_svc, svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr}) {
        const table data = sample("heart_scale.svm");
        svm_options options;
        options.task = task;
        std::vector<index> used;
        for (index i = 0; i < data.x.size(); ++i) {
            options.sample_weight.push_back(i % 3 == 0 ? 0 : 1 + 0.1 * static_cast<double>(i % 5));
            if (i % 3 != 0) used.push_back(i);
        }
        const svm_model model = fit_svm(gaussian{0.1}, data.x, data.y, options);
        svm_options rest = options;
        rest.sample_weight = pick(options.sample_weight, used);
        const svm_model other =
            fit_svm(gaussian{0.1}, gather(data.x, std::span<const index>(used)), pick(data.y, used), rest);
        expect_same_numbers(model.coef, other.coef);
        EXPECT_EQ(model.offset, other.offset);
        EXPECT_EQ(model.training_size, data.x.size());
        for (std::size_t s = 0; s < model.support_rows.size(); ++s)
            EXPECT_EQ(model.support_rows[s], used[static_cast<std::size_t>(other.support_rows[s])]);
    }
}

}  // namespace
}  // namespace mercer
