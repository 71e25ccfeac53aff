#include "mercer/methods/nystroem/kmeans_start.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/gram/precomputed.h"

namespace mercer {
namespace {

// ‖xᵢ - x_c‖² of all rows.
std::vector<double> squared_distances_to(matrix_view<const double> x, index c) {
    std::vector<double> out(static_cast<std::size_t>(x.rows));
    parallel_runs(x.rows, 256, [&](index first, index end) {
        const double* to = x.row(c);
        for (index i = first; i < end; ++i) {
            const double* row = x.row(i);
            double sum = 0;
            for (index j = 0; j < x.cols; ++j) sum += (row[j] - to[j]) * (row[j] - to[j]);
            out[static_cast<std::size_t>(i)] = sum;
        }
    });
    return out;
}

// Rows far apart; fewer than k where no others differ from them.
std::vector<index> far_rows(matrix_view<const double> x, std::span<const double> weight, index k, seeded& random) {
    std::vector<double> nearest(weight.size(), std::numeric_limits<double>::infinity());
    std::vector<double> share(weight.begin(), weight.end());
    const index trials = 2 + static_cast<index>(std::log(static_cast<double>(k)));
    std::vector<index> out;
    while (std::ssize(out) < k) {
        double sum = 0, least = std::numeric_limits<double>::infinity();
        for (const double each : share) sum += each;
        if (!(sum > 0)) break;
        index best = 0;
        std::vector<double> best_nearest;
        for (index t = 0; t < (out.empty() ? 1 : trials); ++t) {
            const index tried = random.drawn(share, sum);
            std::vector<double> d = squared_distances_to(x, tried);
            double left = 0;
            for (std::size_t i = 0; i < d.size(); ++i) left += weight[i] * (d[i] = std::min(d[i], nearest[i]));
            if (left < least) least = left, best = tried, best_nearest = std::move(d);
        }
        out.push_back(best);
        nearest = std::move(best_nearest);
        for (std::size_t i = 0; i < share.size(); ++i) share[i] = weight[i] * nearest[i];
    }
    return out;
}

}  // namespace

kmeans_start start_kmeans(matrix_view<const double> x, std::span<const double> weight, const kmeans_start_options& o) {
    std::vector<double> self(static_cast<std::size_t>(x.rows));
    for (index i = 0; i < x.rows; ++i)
        for (index j = 0; j < x.cols; ++j) self[static_cast<std::size_t>(i)] += x(i, j) * x(i, j);
    const precomputed<double> features(x);
    const one_batch<double> rows(features);
    kmeans_start out;
    seeded random(o.seed);
    double least = std::numeric_limits<double>::infinity();
    bool stop = false;
    for (index r = 0; r < o.n_init && !stop; ++r) {
        const std::vector<index> seeds = far_rows(x, weight, o.clusters, random);
        matrix<double> means(std::ssize(seeds), x.cols);
        for (index c = 0; c < means.rows(); ++c)
            std::copy_n(x.row(seeds[static_cast<std::size_t>(c)]), x.cols, means.row(c));
        lloyd_options how{means.rows(), o.tol, o.max_rounds, {}};
        if (o.progress) how.progress = [&](index, double J) { return o.progress({"restarts", r, o.n_init, J}); };
        lloyd_result found = lloyd_rounds({&rows, nullptr, nullptr, self, weight}, std::move(means), how);
        stop = found.status == fit_status::cancelled;
        ++out.runs;
        if (found.history.back() < least) least = found.history.back(), out.means = std::move(found.means);
    }
    return out;
}

index rows_to_start_from(index n, index clusters, index features) {
    // A quarter of a gibibyte, and no share of the budget: the sample decides the result.
    constexpr index most_numbers = index{1} << 25;
    const index fitting = most_numbers / std::max<index>(features, 1);
    return std::min(n, std::max(std::min(std::max<index>(4096, 32 * clusters), fitting), clusters));
}

}  // namespace mercer
