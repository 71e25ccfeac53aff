#include "mercer/base/reproducible_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <random>

#include "contracts/thread_group.h"

namespace mercer {
namespace {

using mercer::testing::run_as_ranks;

std::vector<double> some_leaf(index leaf) {
    std::mt19937_64 random(static_cast<std::uint64_t>(leaf));
    std::normal_distribution<double> normal;
    return {normal(random), 1e10 * normal(random), 1e-10 * normal(random)};
}

// From the definition: a binary tree over a power of two of leaves, without the leaves that do not exist.
std::vector<double> by_halves(index first, index count, index leaves) {
    if (count == 1) return some_leaf(first);
    const index half = count / 2;
    std::vector<double> left = by_halves(first, half, leaves);
    if (first + half >= leaves) return left;
    const std::vector<double> right = by_halves(first + half, half, leaves);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
    return left;
}

TEST(tree_sums, are_sums_by_halves_in_whatever_order_leaves_come) {
    std::mt19937_64 random(1);
    for (const index leaves : {1, 2, 3, 7, 8, 21, 64, 100}) {
        index whole = 1;
        while (whole < leaves) whole *= 2;
        const std::vector<double> want = by_halves(0, whole, leaves);
        std::vector<index> order(static_cast<std::size_t>(leaves));
        for (index i = 0; i < leaves; ++i) order[static_cast<std::size_t>(i)] = i;
        for (int again = 0; again < 5; ++again) {
            pairwise_sums sums(3);
            for (const index leaf : order) sums.add(leaf, some_leaf(leaf));
            EXPECT_EQ(sums.total(nullptr), want) << leaves;
            std::ranges::shuffle(order, random);
        }
    }
}

TEST(tree_sums, have_the_same_bits_for_any_number_of_processes) {
    for (const index leaves : {1, 5, 37, 128}) {
        pairwise_sums alone(3);
        for (index leaf = 0; leaf < leaves; ++leaf) alone.add(leaf, some_leaf(leaf));
        const std::vector<double> want = alone.total(nullptr);
        for (const int processes : {1, 2, 3, 4, 7, 8})
            run_as_ranks(processes, [&](const communicator& group) {
                pairwise_sums sums(3);
                for (index leaf = leaves * group.rank() / processes; leaf < leaves * (group.rank() + 1) / processes;
                     ++leaf)
                    sums.add(leaf, some_leaf(leaf));
                EXPECT_EQ(sums.total(&group), want) << leaves << " " << processes;
            });
    }
}

TEST(order_free_sum, is_exact_in_whatever_order) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> uniform(-4, 4);
    std::vector<double> numbers;
    for (int i = 0; i < 20000; ++i) numbers.push_back(uniform(random) * (i % 3 == 0 ? 1e-6 : 1));
    const auto sum = [&] {
        exact_sum out;
        for (const double each : numbers) out.add(each);
        return out.value();
    };
    const double want = sum();
    long double exact = 0;
    for (const double each : numbers) exact += each;
    EXPECT_NEAR(want, static_cast<double>(exact), 1e-12);
    for (int again = 0; again < 5; ++again) {
        std::ranges::shuffle(numbers, random);
        EXPECT_EQ(sum(), want);
    }
}

}  // namespace
}  // namespace mercer
