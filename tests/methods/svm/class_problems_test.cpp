#include <gtest/gtest.h>

#include <vector>

#include "mercer/methods/svm/svm_model.h"

namespace mercer {
namespace {

TEST(class_problems, pairs_come_in_libsvms_order_and_each_side_finds_its_rows) {
    for (index k = 2; k < 9; ++k) {
        const class_problems pairs(k, multiclass::one_vs_one);
        index p = 0;
        for (index a = 0; a < k; ++a)
            for (index b = a + 1; b < k; ++b, ++p) {
                EXPECT_EQ(pairs.problem_of(a, b), p);
                EXPECT_EQ(pairs[p].first, a);
                EXPECT_EQ(pairs[p].second, b);
                // LIBSVM's svm.cpp: sv_coef[j-1] of class i's vectors and sv_coef[i] of class j's belong to the pair i
                // < j.
                EXPECT_EQ(pairs.problem_of_row(a, b - 1), p);
                EXPECT_EQ(pairs.problem_of_row(b, a), p);
            }
        EXPECT_EQ(pairs.count(), p);
        EXPECT_EQ(pairs.coefficient_rows(), k - 1);
        index visited = 0;
        pairs.for_each([&](index problem, index a, index b) {
            EXPECT_EQ(problem, visited++);
            EXPECT_EQ(pairs.problem_of(a, b), problem);
        });
        EXPECT_EQ(visited, p);
    }
}

TEST(class_problems, the_classes_of_a_pair_are_found_among_millions) {
    for (const index k : {3, 257, 5000, 100000}) {
        const class_problems pairs(k, multiclass::one_vs_one);
        for (const index a : {index{0}, index{1}, k / 3, k / 2, k - 3, k - 2})
            for (const index b : {a + 1, (a + k) / 2, k - 1}) {
                if (a < 0 || b <= a) continue;
                EXPECT_EQ(pairs[pairs.problem_of(a, b)].first, a) << k;
                EXPECT_EQ(pairs[pairs.problem_of(a, b)].second, b) << k;
            }
    }
}

TEST(class_problems, each_class_stands_against_the_rest_where_there_are_more_than_two) {
    const class_problems rest(4, multiclass::one_vs_rest), two(2, multiclass::one_vs_rest),
        none(0, multiclass::one_vs_one);
    EXPECT_TRUE(rest.is_one_vs_rest());
    EXPECT_EQ(rest.count(), 4);
    EXPECT_EQ(rest.coefficient_rows(), 4);
    std::vector<index> first, second;
    rest.for_each([&](index p, index a, index b) {
        first.push_back(a), second.push_back(b);
        EXPECT_EQ(rest.problem_of_row(2, p), p);
    });
    EXPECT_EQ(first, (std::vector<index>{0, 1, 2, 3}));
    EXPECT_EQ(second, (std::vector<index>{-1, -1, -1, -1}));
    EXPECT_EQ(rest[3].first, 3);
    EXPECT_EQ(rest[3].second, -1);
    EXPECT_FALSE(two.is_one_vs_rest());
    EXPECT_EQ(two.count(), 1);
    EXPECT_EQ(two.problem_of_row(1, 0), 0);
    EXPECT_EQ(none.count(), 1);
    EXPECT_EQ(none.coefficient_rows(), 1);
}

}  // namespace
}  // namespace mercer
