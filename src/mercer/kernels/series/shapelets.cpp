#include "mercer/kernels/series/shapelets.h"

#include <cmath>
#include <memory>

#include "mercer/base/random_generator.h"
#include "mercer/kernels/series/series_features.h"

namespace mercer {
namespace {

// Subtracts the mean and divides by the norm; equal values become zeros.
void standardise(double* values, index count) {
    double mean = 0, square = 0;
    for (index k = 0; k < count; ++k) mean += values[k] / static_cast<double>(count);
    for (index k = 0; k < count; ++k) values[k] -= mean;
    for (index k = 0; k < count; ++k) square += values[k] * values[k];
    if (square > 0)
        for (index k = 0; k < count; ++k) values[k] /= std::sqrt(square);
}

// The values, scaled by a power of 2 to absolute values below 1 and centred, so that squares do not overflow.
// Correlations do not change.
std::vector<double> centred(const std::vector<double>& x) {
    double most = 0, mean = 0;
    for (const double v : x) most = std::max(most, std::abs(v));
    const int exponent = most > 0 ? -std::ilogb(most) - 1 : 0;
    std::vector<double> out;
    for (const double v : x) out.push_back(std::ldexp(v, exponent));
    for (const double v : out) mean += v / static_cast<double>(out.size());
    for (double& v : out) v -= mean;
    return out;
}

// For every window, 1/‖values - mean‖; 0 if this norm is only rounding error, that is at most 1e-12 for values of
// absolute size near 1.
std::vector<double> inverse_lengths(const std::vector<double>& x, index length, index gap, index windows) {
    std::vector<double> out(static_cast<std::size_t>(windows), 0.0);
    for (index t = 0; t < windows; ++t) {
        double mean = 0, square = 0;
        for (index k = 0; k < length; ++k) mean += x[static_cast<std::size_t>(t + k * gap)];
        mean /= static_cast<double>(length);
        for (index k = 0; k < length; ++k) {
            const double apart = x[static_cast<std::size_t>(t + k * gap)] - mean;
            square += apart * apart;
        }
        if (std::sqrt(square) > 1e-12) out[static_cast<std::size_t>(t)] = 1 / std::sqrt(square);
    }
    return out;
}

void add_correlations(const std::vector<double>& values, const matrix<double>& shapes, index spread, double* out) {
    const std::vector<double> x = centred(values);
    const auto n = static_cast<index>(x.size()), length = shapes.cols();
    std::vector<double> sum;
    for (index level = 0; level < spread; ++level) {
        const index gap = index{1} << level, windows = n - (length - 1) * gap;
        if (windows <= 0) break;
        const std::vector<double> inverse = inverse_lengths(x, length, gap, windows);
        for (index j = level; j < shapes.rows(); j += spread) {
            sum.assign(static_cast<std::size_t>(windows), 0.0);
            for (index k = 0; k < length; ++k) {
                const double factor = shapes.row(j)[k];
                const double* from = x.data() + k * gap;
                for (index t = 0; t < windows; ++t) sum[static_cast<std::size_t>(t)] += factor * from[t];
            }
            double best = -1;
            for (index t = 0; t < windows; ++t)
                best = std::max(best, sum[static_cast<std::size_t>(t)] * inverse[static_cast<std::size_t>(t)]);
            out[j] = best;
        }
    }
}

}  // namespace

matrix<double> shapelets::shapes() const {
    matrix<double> out(count, length);
    random_generator random(static_cast<std::uint64_t>(seed));
    for (index j = 0; j < out.rows(); ++j) {
        double at = 0;
        for (index k = 0; k < out.cols(); ++k) out(j, k) = at += 2 * random.uniform() - 1;
        standardise(out.row(j), out.cols());
    }
    return out;
}

named_embedding shapelets::embedding() const {
    const auto known = std::make_shared<const matrix<double>>(shapes());
    return series_features(
        "shapelets", fmt::format("shapelets {} {} {} {}", count, length, spread, seed), count,
        [known, spread = spread](const std::vector<double>& x, double* row) {
            add_correlations(x, *known, spread, row);
        },
        [spread = spread](index f) {
            const index gap = index{1} << f % spread;
            return gap == 1 ? fmt::format("shape {}", f) : fmt::format("shape {}, {} times apart", f, gap);
        });
}

}  // namespace mercer
