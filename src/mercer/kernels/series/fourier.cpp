#include "mercer/kernels/series/fourier.h"

#include <cmath>
#include <numbers>

#include "mercer/kernels/series/series_features.h"

namespace mercer {
namespace {

// (cos, sin) of 2πk/n for k = 0 … n-1.
std::vector<std::pair<double, double>> circle(std::size_t n) {
    std::vector<std::pair<double, double>> out(n);
    for (std::size_t k = 0; k < n; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
        out[k] = {std::cos(angle), std::sin(angle)};
    }
    return out;
}

void add_coefficients(const std::vector<double>& x, int terms, bool phases, double* out) {
    const std::size_t n = x.size();
    const auto around = circle(n);
    const double share = 1 / static_cast<double>(n);
    for (std::size_t j = 0; j <= static_cast<std::size_t>(terms) && 2 * j <= n; ++j) {
        double re = 0, im = 0;
        for (std::size_t t = 0, k = 0; t < n; ++t, k = k + j < n ? k + j : k + j - n) {
            re += share * x[t] * around[k].first;
            im -= share * x[t] * around[k].second;
        }
        if (j == 0) {
            out[0] = re;
            continue;
        }
        const bool last = 2 * j == n;  // the sine is 0 at all times
        const double weight = last ? 1 : std::numbers::sqrt2;
        if (last) im = 0;
        if (phases) {
            out[2 * j - 1] = weight * re;
            out[2 * j] = weight * im;
        } else {
            out[j] = weight * std::hypot(re, im);
        }
    }
}

}  // namespace

named_embedding fourier::embedding() const {
    const bool both = phases == 1;
    return series_features(
        "fourier", fmt::format("fourier {} {}", terms, phases), both ? 2 * index{terms} + 1 : index{terms} + 1,
        [terms = terms, both](const std::vector<double>& x, double* row) { add_coefficients(x, terms, both, row); },
        [both](index f) {
            if (f == 0) return std::string("mean");
            return both ? fmt::format("{} {}", f % 2 ? "cos" : "sin", (f + 1) / 2) : fmt::format("frequency {}", f);
        });
}

}  // namespace mercer
