#include "mercer/methods/svm/calibrated_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/gram.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/canonical_order.h"

namespace mercer {
namespace {

constexpr auto sigmoids = calibration::method::sigmoid;

bool has_user_function(const kernel_node& node) {
    const kernel_form form = node.form();
    return form.operation == "user" ||
           std::ranges::any_of(form.parts, [](const auto& part) { return has_user_function(*part); });
}

matrix<double> symmetric_gram(const kernel& k, const dataset& x) {
    matrix<double> K = form_matrix(*make_gram<double>(k, x));
    double largest = 0;
    for (index i = 0; i < K.rows(); ++i)
        for (index j = 0; j < K.cols(); ++j) {
            if (!std::isfinite(K(i, j)))
                fail(errc::data,
                     fmt::format("{}: the value for examples {} and {} is not a finite number", k.text(), i, j));
            largest = std::max(largest, std::abs(K(i, j)));
        }
    const asymmetry worst = find_largest_asymmetry(K.view());
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
        if (user) symmetric_gram(k, gather(x, row_set(0, std::min<index>(x.size(), 64))));
        calibrated_fit out{fit_svm(k, x, y, options)};
        if (plan.folds > 0) out.calibration = calibrate(out.model, k, x, y, options, sigmoids, plan.folds, plan.seed);
        return out;
    }
    require_finite(x);
    const matrix<double> K = symmetric_gram(k, x);
    const precomputed<double> exact(K.view());
    calibrated_fit out{fit_svm(float_gram(exact), exact, y, options)};
    attach(out.model, k, x);
    const std::vector<index> rank =
        options.canonical_order ? canonical_ranks(x, y, options.sample_weight) : std::vector<index>{};
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

namespace {

// The index of a label in m.classes, or the number of classes if it is not one of them.
index class_index(const svm_model& m, double label) {
    return static_cast<index>(std::find(m.classes.begin(), m.classes.end(), label) - m.classes.begin());
}

// The decision of model m for its class a against b, or against all others (b < 0), from its decisions f. If the
// training examples of a fold had no example of a class, the decision is ±1 for the other class, or 0 if both lack.
double decision_of(const svm_model& m, const double* f, index a, index b) {
    const index have = static_cast<index>(m.classes.size());
    if (b < 0) return a == have ? -1 : have == 2 ? (a == 0 ? f[0] : -f[0]) : have == 1 ? 1 : f[a];
    if (a == have) return b == have ? 0 : -1;
    if (b == have) return 1;
    return a < b ? f[m.pairs().problem_of(a, b)] : -f[m.pairs().problem_of(b, a)];
}

// Fits the probability of one problem, class a against b or against all others (b < 0), to its decisions f.
void fit_problem(calibration& to, const svm_model& model, std::span<const index> used, std::span<const double> y,
                 std::span<const double> weight, const matrix<double>& f, index problem, index a, index b) {
    std::vector<double> values, weights;
    std::vector<std::uint8_t> positive;
    for (const index i : used) {
        const double label = y[static_cast<std::size_t>(i)];
        const bool first = label == model.classes[static_cast<std::size_t>(a)];
        if (!first && b >= 0 && label != model.classes[static_cast<std::size_t>(b)]) continue;
        values.push_back(f(i, problem)), positive.push_back(first);
        weights.push_back(weight.empty() ? 1.0 : weight[static_cast<std::size_t>(i)]);
    }
    if (to.kind == calibration::method::sigmoid) {
        const auto [A, B] = fit_sigmoid(values, positive, weights);
        to.A.push_back(A), to.B.push_back(B);
    } else {
        auto [knots, heights] = fit_isotonic(values, positive, weights);
        to.knots.push_back(std::move(knots)), to.values.push_back(std::move(heights));
    }
}

}  // namespace

inner_fits calibrate(svm_model& model, const shared_gram& K, std::span<const double> y, const svm_options& options,
                     calibration::method method, int folds, std::uint64_t seed, std::span<const index> rank) {
    if (model.task == svm_task::one_class)
        fail(errc::unsupported, "probabilities need classes or targets: a one-class model has none");
    const index n = K.size();
    if (static_cast<index>(y.size()) != n)
        fail(errc::invalid_argument, fmt::format("calibrate: {} examples but {} targets", n, y.size()));
    const std::vector<index> used = select_weighted_examples(n, options.sample_weight, rank);
    const index count = static_cast<index>(used.size());
    const int parts = static_cast<int>(std::min<index>(folds, count));
    if (count < 2)
        fail(errc::data, fmt::format("probabilities are fitted by cross-validation, which needs at least 2 examples "
                                     "with positive weight, got {}: leave the probabilities out, or add examples",
                                     count));
    calibration made;
    made.kind = method;
    if (!model.is_classifier()) {
        std::vector<double> residuals;
        const inner_fits inner = cross_decide(
            K, y, options, map_to_examples(plain_folds(count, parts, make_random_below(seed)), used),
            [&](svm_model&, std::span<const index>, std::span<const index> held_out, const matrix<double>& f) {
                for (std::size_t i = 0; i < held_out.size(); ++i)
                    residuals.push_back(y[static_cast<std::size_t>(held_out[i])] - f(static_cast<index>(i), 0));
            });
        made.sigma = laplace_scale(residuals);
        model.probability = std::move(made);
        return inner;
    }
    const class_problems pairs = model.pairs();
    std::vector<double> labels;
    for (const index i : used) labels.push_back(y[static_cast<std::size_t>(i)]);
    matrix<double> f(n, model.problems());
    const auto visit = [&](svm_model& m, std::span<const index>, std::span<const index> held_out,
                           const matrix<double>& got) {
        std::vector<index> place;
        for (const double label : model.classes) place.push_back(class_index(m, label));
        for (std::size_t i = 0; i < held_out.size(); ++i) {
            double* out = f.row(held_out[i]);
            const double* in = got.row(static_cast<index>(i));
            pairs.for_each([&](index problem, index a, index b) {
                out[problem] = decision_of(m, in, place[static_cast<std::size_t>(a)],
                                           b < 0 ? b : place[static_cast<std::size_t>(b)]);
            });
        }
    };
    const fold_plan plan = stratified_folds(labels, parts, make_random_below(seed));
    for (int part = 0; part < plan.folds(); ++part)
        if (std::ssize(plan.held_out(part)) == count)
            fail(errc::data,
                 "probabilities are fitted by cross-validation, which needs at least 2 examples of some class, but "
                 "every class has one example: leave the probabilities out, or add examples");
    const inner_fits inner = cross_decide(K, y, options, map_to_examples(plan, used), visit);
    pairs.for_each([&](index problem, index a, index b) {
        fit_problem(made, model, used, y, options.sample_weight, f, problem, a, b);
    });
    model.probability = std::move(made);
    return inner;
}

inner_fits calibrate(svm_model& model, const kernel& k, const dataset& x, std::span<const double> y,
                     const svm_options& options, calibration::method method, int folds, std::uint64_t seed) {
    const std::vector<index> rank =
        options.canonical_order ? canonical_ranks(x, y, options.sample_weight) : std::vector<index>{};
    return calibrate(model, shared_gram(k, x, options.memory_bytes), y, options, method, folds, seed, rank);
}

inner_fits calibrate_precomputed(svm_model& model, matrix_view<const double> K, std::span<const double> y,
                                 const svm_options& options, calibration::method method, int folds,
                                 std::uint64_t seed) {
    return calibrate(model, shared_gram(K), y, options, method, folds, seed);
}

}  // namespace mercer
