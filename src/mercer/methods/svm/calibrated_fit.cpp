#include "mercer/methods/svm/calibrated_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/dense_gram.h"
#include "mercer/gram/make_gram.h"
#include "mercer/gram/narrowed.h"
#include "mercer/gram/precomputed.h"
#include "mercer/methods/canonical_order.h"

namespace mercer {
namespace {

constexpr auto sigmoids = calibration::method::sigmoid;

bool has_user_function(const kernel_node& node) {
    const kernel_form form = node.form();
    return form.what == "user" ||
           std::ranges::any_of(form.parts, [](const auto& part) { return has_user_function(*part); });
}

matrix<double> symmetric_gram(const kernel& k, const dataset& x) {
    matrix<double> K = formed(*make_gram<double>(k, x));
    double largest = 0;
    for (index i = 0; i < K.rows(); ++i)
        for (index j = 0; j < K.cols(); ++j) {
            if (!std::isfinite(K(i, j)))
                fail(errc::data,
                     fmt::format("{}: the value for examples {} and {} is not a finite number", k.text(), i, j));
            largest = std::max(largest, std::abs(K(i, j)));
        }
    const asymmetry worst = largest_asymmetry(K.view());
    if (worst.size > 1e-7 * largest)
        fail(errc::data, fmt::format("{}: not symmetric, k(x, z) and k(z, x) differ by {:f} for examples {} and {}",
                                     k.text(), worst.size, worst.row, worst.col));
    return K;
}

}  // namespace

bool has_user_function(const kernel& k) { return has_user_function(k.node()); }

calibrated_fit fit_calibrated(const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options,
                              const calibration_plan& plan, std::size_t bytes) {
    const double n = static_cast<double>(x.size());
    const bool user = has_user_function(k);
    if (!user || n * n * sizeof(double) > static_cast<double>(bytes)) {
        if (user) symmetric_gram(k, gather(x, selection(0, std::min<index>(x.size(), 64))));
        calibrated_fit out{fit_svm(k, x, y, options)};
        if (plan.folds > 0) out.calibration = calibrate(out.model, k, x, y, options, sigmoids, plan.folds, plan.seed);
        return out;
    }
    require_finite(x);
    const matrix<double> K = symmetric_gram(k, x);
    const precomputed<double> exact(K.view());
    calibrated_fit out{fit_svm(narrowed(exact), exact, y, options)};
    attach(out.model, k, x);
    const std::vector<index> rank =
        options.any_order ? example_ranks(x, y, options.sample_weight) : std::vector<index>{};
    if (plan.folds > 0)
        out.calibration =
            calibrate(out.model, shared_gram(K.view()), y, options, sigmoids, plan.folds, plan.seed, rank);
    return out;
}

calibrated_fit fit_calibrated(matrix_view<const double> K, std::span<const double> y, const svm_options& options,
                              const calibration_plan& plan) {
    calibrated_fit out{fit_svm_precomputed(K, y, options)};
    if (plan.folds > 0)
        out.calibration = calibrate_precomputed(out.model, K, y, options, sigmoids, plan.folds, plan.seed);
    return out;
}

}  // namespace mercer
