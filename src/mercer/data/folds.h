// Which examples are decided together by a model that has not seen them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// A whole number drawn uniformly from 0 … n-1.
using random_below = std::function<index(index n)>;
random_below make_random_below(std::uint64_t seed);

// Which examples are decided together: part i is order[start[i]] … order[start[i+1] - 1].
struct fold_plan {
    std::vector<index> order;
    std::vector<index> start;

    int folds() const { return static_cast<int>(start.size()) - 1; }
    std::span<const index> held_out(int fold) const {
        return std::span(order).subspan(from(fold), from(fold + 1) - from(fold));
    }
    std::vector<index> training(int fold) const;  // the others, in order

private:
    std::size_t from(int fold) const { return static_cast<std::size_t>(start[static_cast<std::size_t>(fold)]); }
};

// 2 <= folds <= n. plain: a random order cut into parts of n/folds. stratified: each class is, so that all parts have
// its share; classes in the order in which they first appear (+1 before -1), as LIBSVM: with the same random numbers
// the parts are its own.
fold_plan plain_folds(index n, int folds, const random_below& random);
fold_plan stratified_folds(std::span<const double> y, int folds, const random_below& random);
// Examples of one group stay together: whole groups are dealt, the largest first, each to the part that has least so
// far. 2 <= folds <= groups.
fold_plan grouped_folds(std::span<const std::int64_t> group, int folds, const random_below& random);
// Examples in order of time: n/folds at a time, in their order. Part i is to be decided by those before it.
fold_plan time_folds(index n, int folds);
// The examples of positive weight, which alone should be dealt to parts: all where no weights are given; in the order
// of their ranks where these are.
std::vector<index> weighted_examples(index n, std::span<const double> weight, std::span<const index> rank = {});
// Parts of 0 … which.size()-1 as parts of the examples `which`.
fold_plan of_examples(fold_plan plan, std::span<const index> which);

}  // namespace mercer
