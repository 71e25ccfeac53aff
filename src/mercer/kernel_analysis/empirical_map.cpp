#include "mercer/kernel_analysis/empirical_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/gram/dense_gram.h"
#include "mercer/gram/make_gram.h"

namespace mercer {

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
             "empirical map: it was made from a matrix without its kernel; use transform_rows with the values k(z, x)");
    const auto cross = make_gram<double>(*k_, z, x_);
    matrix<double> rows(cross->rows(), cross->cols());
    cross->all(rows.view());
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

}  // namespace mercer
