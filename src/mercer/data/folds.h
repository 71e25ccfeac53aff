// Folds of cross-validation: each fold is held out once and predicted by a model that is trained without it.
//
// Example:
//
//     const std::vector<double> y = {0, 0, 0, 0, 1, 1, 1, 1};
//     const fold_plan plan = stratified_folds(y, 4, make_random_below(1));
//     for (int fold = 0; fold < plan.folds(); ++fold)
//         assert(plan.held_out(fold).size() == 2 && plan.training(fold).size() == 6);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// A function that returns a random whole number, uniform on 0 … n-1.
using random_below = std::function<index(index n)>;
// Returns a deterministic source of random numbers: equal seeds give equal numbers on every machine.
random_below make_random_below(std::uint64_t seed);

// The folds of n examples. Fold i holds out the examples with the numbers order[start[i]] … order[start[i+1] - 1]. The
// plan of a function below contains every example once.
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

// All functions throw errc::invalid_argument unless 2 <= folds <= n (grouped_folds: at most the number of groups).

// A random permutation of the examples, divided into folds of n/folds examples (rounded).
fold_plan plain_folds(index n, int folds, const random_below& random);
// `y` contains one class label per example. Each class is permuted and divided, so that every fold has the same share
// of each class, up to one example. Classes are processed in the order in which they first appear (+1 before -1), as in
// LIBSVM, so the same random numbers give the folds of LIBSVM.
fold_plan stratified_folds(std::span<const double> y, int folds, const random_below& random);
// `group` contains one group number per example. All examples of a group are in one fold. Groups, from the largest to
// the smallest, in random order among equal sizes, are each added to the fold that has the fewest examples so far.
fold_plan grouped_folds(std::span<const std::int64_t> group, int folds, const random_below& random);
// For examples in order of time: fold i holds out the i-th of `folds` chunks of about n/folds consecutive examples. A
// model that must not know the future is trained only on the examples before the held-out examples, order[0] …
// order[start[i] - 1]; training(i) also contains the later examples.
fold_plan time_folds(index n, int folds);
// Returns the numbers of the examples of positive weight (all n examples if `weight` is empty). Their order is that of
// rank[i], the position of example i in an order of all examples; ascending if `rank` is empty. Examples of weight 0
// should not be in folds.
std::vector<index> select_weighted_examples(index n, std::span<const double> weight, std::span<const index> rank = {});
// Replaces each number i of a plan for 0 … which.size()-1 by which[i].
fold_plan map_to_examples(fold_plan plan, std::span<const index> which);

}  // namespace mercer
