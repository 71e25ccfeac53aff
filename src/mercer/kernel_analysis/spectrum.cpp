
#include "mercer/kernel_analysis/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/gram/gram.h"
#include "mercer/gram/make_gram.h"

namespace mercer {
namespace {

// The |λ|/max|λ| in falling order; empty for K = 0.
std::vector<double> relative_sizes(const std::vector<double>& values) {
    std::vector<double> size;
    for (const double value : values) size.push_back(std::abs(value));
    std::sort(size.rbegin(), size.rend());
    if (size.empty() || size.front() == 0) return {};
    const double largest = size.front();
    for (double& each : size) each /= largest;
    return size;
}

}  // namespace

gram_spectrum decompose(const gram<double>& k, eigen_parts wanted) {
    eigen_system eigen = symmetric_eigen(form_symmetric_matrix(k, "spectrum"), wanted);
    gram_spectrum made;
    made.values.assign(eigen.values.rbegin(), eigen.values.rend());
    made.vectors = std::move(eigen.vectors);
    const index n = made.size();
    for (index i = 0; i < made.vectors.rows() / 2; ++i)
        std::swap_ranges(made.vectors.row(i), made.vectors.row(i) + n, made.vectors.row(n - 1 - i));
    if (n > 0)
        made.tolerance = static_cast<double>(n) * std::numeric_limits<double>::epsilon() *
                         std::max(std::abs(made.values.front()), std::abs(made.values.back()));
    return made;
}

index gram_spectrum::rank() const {
    return std::count_if(values.begin(), values.end(), [this](double value) { return std::abs(value) > tolerance; });
}

index gram_spectrum::negative() const {
    return std::count_if(values.begin(), values.end(), [this](double value) { return value < -tolerance; });
}

double gram_spectrum::effective_rank() const {
    const std::vector<double> size = relative_sizes(values);
    if (size.empty()) return 0;
    double sum = 0, entropy = 0;
    for (const double each : size) sum += each;
    for (const double each : size)
        if (each > 0) entropy -= each / sum * std::log(each / sum);
    return std::exp(entropy);
}

std::vector<double> gram_spectrum::cumulative_share() const {
    const std::vector<double> size = relative_sizes(values);
    std::vector<double> share(values.size(), 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < size.size(); ++i) share[i] = sum += size[i];
    for (double& each : share) each = sum > 0 ? each / sum : 0;
    return share;
}

empirical_map::empirical_map(const kernel& k, dataset x, std::optional<index> max_size) : k_(k), x_(std::move(x)) {
    build(*make_gram<double>(k, x_), max_size);
}

empirical_map::empirical_map(const gram<double>& k, std::optional<index> max_size) { build(k, max_size); }

void empirical_map::build(const gram<double>& k, std::optional<index> max_size) {
    if (max_size && *max_size < 0)
        fail(errc::invalid_argument, fmt::format("empirical map: must satisfy max_size >= 0, got {}", *max_size));
    const gram_spectrum spectrum = decompose(k);
    tolerance_ = spectrum.tolerance;
    if (spectrum.negative() > 0)
        fail(errc::not_psd,
             fmt::format(
                 "empirical map: all eigenvalues must be >= -{:.3g}, got {:.6g}; clip, flip or shift the matrix first",
                 tolerance_, spectrum.values.back()));
    const index n = spectrum.size(), kept = std::min(spectrum.rank(), max_size.value_or(n));
    vectors_ = matrix<double>(kept, n);
    for (index a = 0; a < n; ++a) {
        const double value = spectrum.values[static_cast<std::size_t>(a)];
        if (a >= kept) {
            discarded_ += std::abs(value);
            continue;
        }
        root_.push_back(std::sqrt(value));
        std::copy_n(spectrum.vectors.row(a), n, vectors_.row(a));
    }
}

dense<double> empirical_map::training() const {
    matrix<double> images(objects(), size());
    for (index i = 0; i < objects(); ++i)
        for (index a = 0; a < size(); ++a) images(i, a) = root_[static_cast<std::size_t>(a)] * vectors_(a, i);
    return dense<double>(std::move(images));
}

dense<double> empirical_map::transform(const dataset& z) const {
    if (!k_)
        fail(errc::invalid_argument,
             "empirical map: the map was computed from a matrix without its kernel; use transform_rows with the values "
             "k(z, x)");
    const auto cross = make_gram<double>(*k_, z, x_);
    matrix<double> rows(cross->rows(), cross->cols());
    cross->fill(rows.view());
    return transform_rows(rows.view());
}

dense<double> empirical_map::transform_rows(matrix_view<const double> rows) const {
    if (rows.cols != objects())
        fail(errc::invalid_argument,
             fmt::format("empirical map: rows must have one value for each of the {} training objects, got {}",
                         objects(), rows.cols));
    require_finite(rows, "empirical map");
    matrix<double> images = product(rows, transposed::no, vectors_.view(), transposed::yes);
    for (index i = 0; i < images.rows(); ++i)
        for (index a = 0; a < size(); ++a) images(i, a) /= root_[static_cast<std::size_t>(a)];
    return dense<double>(std::move(images));
}

gram_factor factorise(const gram<double>& k, double tolerance) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const matrix<double> all = form_symmetric_matrix(k, "factor");
    const index n = all.rows();
    double top = 0;
    for (index i = 0; i < n; ++i) top = std::max(top, all(i, i));
    gram_factor made;
    made.tolerance = tolerance >= 0 ? tolerance : static_cast<double>(n) * eps * top;
    pivoted_factor found = pivoted_cholesky(all, made.tolerance);
    made.p = std::move(found.p);
    made.pivots = std::move(found.pivots);

    matrix<double> rest = product(made.p.view(), transposed::yes, made.p.view(), transposed::no);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j) rest(i, j) = all(i, j) - rest(i, j);
    // |fl(PᵀP) - PᵀP| <= γ_rank |P|ᵀ|P|, whose Frobenius norm is at most ‖P‖_F².
    const double norm = frobenius_norm(all.view()), p_norm = frobenius_norm(made.p.view());
    made.residual = frobenius_norm(rest.view()) * (1 + static_cast<double>(n * n + 8) * eps) +
                    static_cast<double>(made.rank() + 2) * eps * p_norm * p_norm + eps * norm;
    made.relative = norm > 0 ? made.residual / norm : 0;
    double trace = 0;
    for (index i = 0; i < n; ++i) trace += std::abs(all(i, i));
    // The backward error of the factorisation is γ_{rank+1}·tr; the rounding of the measured residual has the same
    // bound.
    made.allowed = static_cast<double>(n - made.rank()) * made.tolerance + 8 * static_cast<double>(n + 2) * eps * trace;
    return made;
}

namespace {

// Σₖ f(λₖ) uₖuₖᵀ, exactly symmetric.
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
    made.k = form_symmetric_matrix(k, "repair");
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
    // The change K̃ - K has the eigenvalues λ̃ - λ on the same eigenvectors.
    matrix<double> change(1, made.size());
    for (index a = 0; a < made.size(); ++a) {
        const double value = eigen.values[static_cast<std::size_t>(a)];
        const double below = std::max(-value, 0.0);
        change(0, a) = method == repair_method::clip ? below : method == repair_method::flip ? 2 * below : made.shift;
    }
    made.frobenius_change = frobenius_norm(change.view());
    made.spectral_change = max_abs_entry(change.view());
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
