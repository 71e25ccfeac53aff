#include "mercer/kernel_analysis/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/gram/dense_gram.h"

namespace mercer {
namespace {

// Σₖ f(λₖ) uₖuₖᵀ, symmetric to the last bit.
template <class F>
matrix<double> function_of(const eigen_system& eigen, F f) {
    matrix<double> scaled = eigen.vectors;
    for (index a = 0; a < scaled.rows(); ++a) {
        const double factor = f(eigen.values[static_cast<std::size_t>(a)]);
        for (index i = 0; i < scaled.cols(); ++i) scaled(a, i) *= factor;
    }
    matrix<double> made = product(eigen.vectors.view(), transposed::yes, scaled.view(), transposed::no);
    symmetrise(made);
    return made;
}

}  // namespace

const char* name(repair_method method) noexcept {
    switch (method) {
        case repair_method::clip: return "clip";
        case repair_method::flip: return "flip";
        case repair_method::shift: return "shift";
    }
    return "?";
}

repaired_gram repair(const gram<double>& k, repair_method method) {
    repaired_gram made;
    made.method = method;
    made.k = formed_symmetric(k, "repair");
    const eigen_system eigen = symmetric_eigen(made.k);
    if (!eigen.values.empty()) made.smallest = eigen.values.front();
    made.negative = std::count_if(eigen.values.begin(), eigen.values.end(), [](double value) { return value < 0; });
    const double norm = frobenius_norm(made.k.view());
    switch (method) {
        case repair_method::clip:
            if (made.negative > 0) made.k = function_of(eigen, [](double value) { return std::max(value, 0.0); });
            made.transform = function_of(eigen, [](double value) { return value > 0 ? 1.0 : 0.0; });
            break;
        case repair_method::flip:
            if (made.negative > 0) made.k = function_of(eigen, [](double value) { return std::abs(value); });
            made.transform = function_of(eigen, [](double value) { return value > 0 ? 1.0 : value < 0 ? -1.0 : 0.0; });
            break;
        case repair_method::shift:
            made.shift = std::max(-made.smallest, 0.0);
            for (index i = 0; i < made.size(); ++i) made.k(i, i) += made.shift;
            break;
    }
    // The change has eigenvalues λ̃ - λ on the same eigenvectors.
    matrix<double> change(1, made.size());
    for (index a = 0; a < made.size(); ++a) {
        const double value = eigen.values[static_cast<std::size_t>(a)];
        const double below = std::max(-value, 0.0);
        change(0, a) = method == repair_method::clip ? below : method == repair_method::flip ? 2 * below : made.shift;
    }
    made.frobenius_change = frobenius_norm(change.view());
    made.spectral_change = largest_entry(change.view());
    if (norm > 0) {
        made.relative_frobenius = made.frobenius_change / norm;
        made.relative_spectral =
            made.spectral_change / std::max(std::abs(eigen.values.front()), std::abs(eigen.values.back()));
    }
    return made;
}

matrix<double> repaired_gram::extend(matrix_view<const double> rows, std::span<const index> training) const {
    if (rows.cols != size())
        fail(errc::invalid_argument,
             fmt::format("repair: rows must have one value for each of the {} training objects, got {}", size(),
                         rows.cols));
    if (!training.empty() && static_cast<index>(training.size()) != rows.rows)
        fail(errc::invalid_argument,
             fmt::format("repair: training must name one object for each of the {} rows, got {}", rows.rows,
                         training.size()));
    require_finite(rows, "repair");
    if (method != repair_method::shift) return product(rows, transposed::no, transform.view(), transposed::no);
    matrix<double> made(rows.rows, rows.cols);
    for (index i = 0; i < rows.rows; ++i) {
        std::copy_n(rows.row(i), rows.cols, made.row(i));
        if (training.empty() || training[static_cast<std::size_t>(i)] < 0) continue;
        const index own = training[static_cast<std::size_t>(i)];
        if (own >= size())
            fail(errc::invalid_argument,
                 fmt::format("repair: a training object must satisfy -1 <= i < {}, got {} for row {}", size(), own, i));
        made(i, own) += shift;
    }
    return made;
}

}  // namespace mercer
