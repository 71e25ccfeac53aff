// Folds of cross-validation: each fold is held out once and predicted by a model that is trained without it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// A function that returns a random whole number, uniform on 0 … n-1.
using random_below = std::function<index(index n)>;
random_below make_random_below(std::uint64_t seed);

// Fold i holds out the examples order[start[i]] … order[start[i+1] - 1].
struct fold_plan {
    std::vector<index> order;
    std::vector<index> start;

    int folds() const { return static_cast<int>(start.size()) - 1; }
    std::span<const index> held_out(int fold) const {
        return std::span(order).subspan(from(fold), from(fold + 1) - from(fold));
    }
    std::vector<index> training(int fold) const;  // the examples that are not held out, in the order of `order`

private:
    std::size_t from(int fold) const { return static_cast<std::size_t>(start[static_cast<std::size_t>(fold)]); }
};

// All functions throw errc::invalid_argument unless 2 <= folds <= n (grouped_folds: <= number of groups).

// A random permutation of the examples, divided into folds of n/folds examples (rounded).
fold_plan plain_folds(index n, int folds, const random_below& random);
// Each class is permuted and divided, so that every fold has the same share of each class. Classes are processed in the
// order in which they first appear (+1 before -1), as in LIBSVM, so the same random numbers give the folds of LIBSVM.
fold_plan stratified_folds(std::span<const double> y, int folds, const random_below& random);
// All examples of a group are in one fold. Groups, from the largest to the smallest, in random order among equal sizes,
// are each added to the fold that has the fewest examples so far.
fold_plan grouped_folds(std::span<const std::int64_t> group, int folds, const random_below& random);
// For examples in order of time: fold i holds out the i-th n/folds examples. Its model is trained on earlier ones.
fold_plan time_folds(index n, int folds);
// The examples of positive weight (all if `weight` is empty), ordered by their ranks if these are given. Examples of
// weight 0 should not be in folds.
std::vector<index> select_weighted_examples(index n, std::span<const double> weight, std::span<const index> rank = {});
// Replaces each number i of a plan for 0 … which.size()-1 by which[i].
fold_plan map_to_examples(fold_plan plan, std::span<const index> which);

}  // namespace mercer
