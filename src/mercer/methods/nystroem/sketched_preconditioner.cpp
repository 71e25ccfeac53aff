#include "mercer/methods/nystroem/sketched_preconditioner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/base/communicator.h"
#include "mercer/dense/lapack.h"
#include "mercer/methods/nystroem/points.h"

namespace mercer {

sketched_shapes::sketched_shapes(const nystroem_operator& k, const row_losses& losses, bool offset)
    : k_(k),
      losses_(losses),
      offset_(offset),
      largest_weight_(largest_of(k.exact->processes(), losses.largest_curvature())),
      width_(k.basis->size() + (offset ? 1 : 0)),
      functions_(losses.functions()),
      buckets_(std::min(k.buckets, k.exact->rows())) {}

index sketched_shapes::make(double lambda, bool one, const thinned_rows& taken, double theta) {
    shapes_.clear();
    lambda_ = lambda;
    const auto numbers = [](index rows, index cols) {
        return 8.0 * static_cast<double>(rows) * static_cast<double>(cols);
    };
    const double room = static_cast<double>(k_.memory_bytes) / 3;
    const bool alike = one || losses_.quadratic() || functions_ == 1 ||
                       static_cast<double>(functions_) * numbers(width_, width_) > k_.shape_bytes / 3;
    const index shapes = alike ? 1 : functions_,
                at_once =
                    std::clamp<index>(static_cast<index>(room / std::max(numbers(width_, buckets_), 1.0)), 1, shapes);
    // Targets are sketched with the rows, in units of the largest, where they are few beside the centres: the square
    // of the sketch has a row for each.
    const double largest = losses_.quadratic() ? largest_of(k_.exact->processes(), losses_.largest_goal()) : 0;
    const double unit = std::ldexp(1.0, std::ilogb(largest) + 1);
    const bool goals = largest > 0 && std::isfinite(unit) && functions_ <= std::max<index>(8, width_ / 8);
    const index ones = offset_ ? 1 : 0, targets = goals ? functions_ : 0;
    const row_columns behind = [&](index row, index t) { return t < ones ? 1.0 : losses_.goal(row, t - ones) / unit; };
    // Passes over fewer rows, or more squares than there were in mind: a pass of four functions takes about as long as
    // one of one.
    const double dear =
        taken.share() * std::max(1.0, static_cast<double>(functions_) / 4) / static_cast<double>(shapes);
    const index buckets = dear >= 1 || losses_.jumps()
                              ? k_.buckets
                              : std::min(k_.buckets, buckets_for(dear * static_cast<double>(k_.exact->rows()),
                                                                 static_cast<double>(width_)));
    index passes = 0;
    for (index first = 0; first < shapes; first += at_once, ++passes) {
        const row_weights weight = [&](index row, index c) {
            return taken.times(row) * (alike ? losses_.mean_curvature(row) : losses_.curvature(row, first + c));
        };
        const sketch_options how{buckets,
                                 std::min(at_once, shapes - first),
                                 weight,
                                 taken.all() ? row_filter() : [&](index row) { return taken.times(row) > 0; },
                                 taken.all() ? largest_weight_ : std::max(largest_weight_, theta),
                                 k_.basis->largest(),
                                 ones + targets,
                                 behind,
                                 k_.seed};
        const auto made = [&](const auto& k) { return row_sketch(k, how); };
        row_sketches rows = k_.rough ? made(*k_.rough) : made(*k_.exact);
        for (matrix<double>& each : rows.of)
            shapes_.emplace_back(*k_.basis, std::exchange(each, {}), lambda, k_.together, targets);
        stretch_ = stretch_of(rows, lambda);
    }
    start_ = {};
    if (goals) start_ = shapes_.front().solutions();
    for (index i = 0; i < start_.rows() * start_.cols(); ++i)
        if (!std::isfinite(start_.data()[i] *= unit)) return start_ = {}, passes;
    return passes;
}

// SD^½Φ of kernel values that are off by E has SD^½ET⁻¹ besides, and the square of a sum is at most twice the sum of
// the squares: 2·stretch·(ΦᵀDΦ + ‖D^½ET⁻¹‖²), no more than 2·stretch·(ΦᵀDΦ + λ/2) where the errors are small. Those of
// float are its own and what the sketch rounds; n rows of them make n·E²·‖T⁻¹‖², here with room for chance.
double sketched_shapes::stretch_of(const row_sketches& rows, double lambda) const {
    if (!losses_.quadratic() || offset_ || !shapes_.front().as_it_is()) return std::numeric_limits<double>::infinity();
    const double off = 4 * rows.digit, n = static_cast<double>(k_.exact->rows()),
                 error = n * largest_weight_ * off * off * k_.basis->inverse_square();
    return error <= lambda / 2 ? 2 * rows.stretch : std::numeric_limits<double>::infinity();
}

double sketched_shapes::gap_of(const matrix<double>& g) const {
    if (std::isinf(stretch_)) return stretch_;
    matrix<double> z = g;
    solve(z);
    return gap_of(points::dot(g, z));
}

std::vector<double> sketched_shapes::gaps_of(const matrix<double>& g, index problems) const {
    if (std::isinf(stretch_)) return std::vector<double>(static_cast<std::size_t>(problems), stretch_);
    matrix<double> z = g;
    solve(z);
    std::vector<double> out = points::dots(g, z, problems);
    for (double& each : out) each = gap_of(each);
    return out;
}

double sketched_shapes::price(double share) const {
    const double n = share * static_cast<double>(k_.exact->rows()), m = static_cast<double>(k_.basis->size()),
                 s = static_cast<double>(buckets_);
    return static_cast<double>(shapes_.size()) * (2 * s * m * m + 32 * n * m) /
           (8 * n * m * (4 * static_cast<double>(functions_) + 10));
}

void sketched_shapes::solve(matrix<double>& z) const {
    if (shapes_.size() == 1) return shapes_.front().solve(z.view());
    blas::side_by_side(functions_, [&](index c) {
        shapes_[static_cast<std::size_t>(c)].solve({z.row(c), 1, width_, width_});
    });
    if (losses_.independent()) return;
    // Gradients add up to 0 over the functions, and so does the solution; what does not would meet no curvature but λ,
    // where these matrices expect more.
    for (index j = 0; j < width_; ++j) {
        double mean = 0;
        for (index c = 0; c < functions_; ++c) mean += z(c, j) / static_cast<double>(functions_);
        for (index c = 0; c < functions_; ++c) z(c, j) -= mean;
    }
}

}  // namespace mercer
