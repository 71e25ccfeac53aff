#include "mercer/meta/kernel_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/solvers/interior_point/quadratic_program.h"

namespace mercer {
namespace {

// HY, a row for each object.
matrix<double> centred_targets(std::span<const double> y, index n, bool classes) {
    const std::vector<double> labels = distinct_labels(y, n, "learn");
    if (labels.size() < 2)
        fail(errc::data,
             fmt::format("learn: the targets must differ for the alignment to be defined, but all targets are {}",
                         labels.empty() ? 0.0 : labels.front()));
    matrix<double> Y(n, classes ? static_cast<index>(labels.size()) : 1);
    const std::vector<index> place = class_indices(y, labels);
    for (index i = 0; i < n; ++i) {
        if (classes)
            Y(i, place[static_cast<std::size_t>(i)]) = 1;
        else
            Y(i, 0) = y[static_cast<std::size_t>(i)];
    }
    for (index c = 0; c < Y.cols(); ++c) {
        double mean = 0;
        for (index i = 0; i < n; ++i) mean += Y(i, c) / static_cast<double>(n);
        for (index i = 0; i < n; ++i) Y(i, c) -= mean;
    }
    return Y;
}

// Frobenius products of all pairs of kernels and of each kernel with T, computed on the tiles above the diagonal.
struct products {
    matrix<double> M;
    std::vector<double> a;
    double target = 0;  // ‖T‖²
};

products products_of(const kernel_family& family, const matrix<double>& Y, const progress_callback& progress) {
    constexpr index band = 128;
    const index n = family.size(), count = family.count(), bands = (n + band - 1) / band;
    std::vector<std::unique_ptr<gram<double>>> plain;
    std::vector<centred<double>> K;
    for (const kernel& k : family.parts()) plain.push_back(make_gram<double>(k, family.objects()));
    for (const auto& each : plain) K.emplace_back(*each);
    const index pairs = bands * (bands + 1) / 2, sums = count * (count + 1) / 2 + count + 1;
    // summed in a fixed order, so that the result does not depend on the number of threads
    matrix<double> partial(pairs, sums);
    std::vector<std::pair<index, index>> blocks;
    for (index r = 0; r < bands; ++r)
        for (index c = r; c < bands; ++c) blocks.emplace_back(r, c);
    report(progress, {"alignment", 0, pairs, 0}, "learn");
    parallel_for(pairs, [&](index item) {
        const auto [r, c] = blocks[static_cast<std::size_t>(item)];
        const index rows = std::min(band, n - r * band), cols = std::min(band, n - c * band);
        const auto cells = static_cast<std::size_t>(rows * cols);
        std::vector<matrix<double>> tile;
        for (index m = 0; m <= count; ++m) tile.emplace_back(rows, cols);
        for (index m = 0; m < count; ++m)
            K[static_cast<std::size_t>(m)].block(row_set(r * band, rows), row_set(c * band, cols),
                                                 tile[static_cast<std::size_t>(m)].view());
        for (index i = 0; i < rows; ++i)
            for (index j = 0; j < cols; ++j)
                for (index t = 0; t < Y.cols(); ++t) tile.back()(i, j) += Y(r * band + i, t) * Y(c * band + j, t);
        index at = 0;
        for (index k = 0; k <= count; ++k)
            for (index l = k; l <= count; ++l, ++at) {
                const double *u = tile[static_cast<std::size_t>(k)].data(),
                             *v = tile[static_cast<std::size_t>(l)].data();
                double sum = 0;
                for (std::size_t i = 0; i < cells; ++i) sum += u[i] * v[i];
                partial(item, at) = (r == c ? 1 : 2) * sum;
            }
    });
    products out{matrix<double>(count, count), std::vector<double>(static_cast<std::size_t>(count)), 0};
    for (index item = 0; item < pairs; ++item) {
        index at = 0;
        for (index k = 0; k <= count; ++k)
            for (index l = k; l <= count; ++l, ++at) {
                const double part = partial(item, at);
                if (k == count)
                    out.target += part;
                else if (l == count)
                    out.a[static_cast<std::size_t>(k)] += part / family.scales()[static_cast<std::size_t>(k)];
                else
                    out.M(k, l) += part / family.scales()[static_cast<std::size_t>(k)] /
                                   family.scales()[static_cast<std::size_t>(l)];
            }
    }
    for (index k = 0; k < count; ++k)
        for (index l = 0; l < k; ++l) out.M(k, l) = out.M(l, k);
    return out;
}

}  // namespace

aligned_weights align_weights(const kernel_family& family, std::span<const double> y, bool classes,
                              const alignment_options& options) {
    const products found = products_of(family, centred_targets(y, family.size(), classes), options.progress);
    const auto count = static_cast<std::size_t>(family.count());
    aligned_weights out;
    out.scales = family.scales();
    std::vector<double> p, floor(count, 0.0);
    for (std::size_t m = 0; m < count; ++m) {
        const double size = std::sqrt(found.M(static_cast<index>(m), static_cast<index>(m)) * found.target);
        out.single.push_back(size > 0 ? found.a[m] / size : 0.0);
        p.push_back(-found.a[m] / std::sqrt(found.target));
    }
    // Half of the objective, ½vᵀMv - vᵀa/‖T‖, scaled so that v = O(1).
    qp_options how;
    how.tol = options.tol;
    const qp_result qp = solve_qp({found.M.view(), p, {}, {}, floor, {}, {}, {}}, how);
    out.status = qp.status;
    out.gap = qp.gap;
    out.weights = qp.u;
    const double most = *std::ranges::max_element(out.weights);
    double sum = 0;
    for (double& each : out.weights) {
        if (each < 1e-6 * most || !(each > 0)) each = 0;  // zero up to the accuracy of the interior point method
        sum += each;
    }
    if (!(sum > 0)) {  // no kernel is positively aligned with the targets: equal weights
        out.weights.assign(count, 1.0);
        sum = static_cast<double>(count);
    }
    for (double& each : out.weights) each /= sum;
    double along = 0, square = 0;
    for (std::size_t k = 0; k < count; ++k) {
        along += out.weights[k] * found.a[k];
        for (std::size_t l = 0; l < count; ++l)
            square += out.weights[k] * out.weights[l] * found.M(static_cast<index>(k), static_cast<index>(l));
    }
    out.alignment = square > 0 ? along / std::sqrt(square * found.target) : 0.0;
    return out;
}

}  // namespace mercer
