// Where k-means on many rows begins: the means of k-means on a sample of them, whose features are in memory. Seeded as
// k-means++ (Arthur & Vassilvitskii 2007, the best of several candidates each time), several restarts, of which the
// best is kept. The library's own use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/methods/fit_control.h"
#include "mercer/methods/nystroem/lloyd.h"

namespace mercer {

struct kmeans_start_options {
    index clusters = 1, n_init = 1;
    double tol = 0;
    index max_rounds = 300;
    std::uint64_t seed = 0;
    progress_callback progress{};
};

struct kmeans_start {
    matrix<double> means;  // clusters × features; fewer where fewer rows differ
    index runs = 0;
};

// x: one row of features a row of the sample, weights above 0.
kmeans_start start_kmeans(matrix_view<const double> x, std::span<const double> weight,
                          const kmeans_start_options& options);

// Number of rows in the sample: all rows, or enough that a cluster of 1 % of the rows is not missed.
index rows_to_start_from(index n, index clusters, index features);

}  // namespace mercer
