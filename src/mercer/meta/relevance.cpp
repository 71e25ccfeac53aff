#include "mercer/meta/relevance.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/vectors/anisotropic.h"
#include "mercer/solvers/newton/lbfgs.h"

namespace mercer {
namespace {

// k(s∘x, s∘z) as an expression.
kernel with_factors(const kernel& k, const std::vector<double>& s) {
    const kernel_form form = k.node().form();
    if (form.what != "rbf") return scaled(k, s);
    const double gamma = std::get<double>(form.arguments.front().second);
    std::vector<double> variances;
    for (const double each : s) variances.push_back(1 / (2 * gamma * each * each));
    return anisotropic{{variances}};
}

void check(const dataset& x, matrix_view<const double> y, const relevance_options& options) {
    require_objects(x, "relevance");
    if (x.kind() != domain::vectors) fail(errc::unsupported, "relevance: columns are those of vectors");
    if (x.dims() == 0) fail(errc::data, "relevance: there are no columns");
    if (y.rows != x.size() || y.cols == 0)
        fail(errc::data, fmt::format("relevance: {} objects, but {} targets", x.size(), y.rows));
    if (!(options.noise > 0) || !std::isfinite(options.noise))
        fail(errc::invalid_argument,
             fmt::format("relevance: must satisfy 0 < noise < infinity, got {}", options.noise));
    double spread = 0;
    for (index i = 0; i < y.rows; ++i)
        for (index c = 0; c < y.cols; ++c) {
            if (!std::isfinite(y(i, c))) fail(errc::data, fmt::format("relevance: target {} is {}", i, y(i, c)));
            spread = std::max(spread, std::abs(y(i, c) - y(0, c)));
        }
    if (spread == 0) fail(errc::data, "relevance: all targets are the same, and every column is as good as another");
}

// The noise below which A = K + λI is only what rounding leaves of K, and the criterion with it: leave-one-out has no
// other lower end, and would follow that of its own rounding.
double least_noise(const kernel& k, const dataset& x) {
    double mean = 0;
    for (const double each : self_values(k, x)) mean += std::abs(each) / static_cast<double>(x.size());
    return 1e-8 * mean;
}

}  // namespace

learnt_relevance learn_relevance(const kernel& k, const dataset& x, matrix_view<const double> y,
                                 const relevance_options& options) {
    check(x, y, options);
    const relevance_objective criterion(k, x, y, options.criterion);
    const auto d = static_cast<std::size_t>(criterion.columns());
    // λ = least + e^t for the last number t.
    const double least = least_noise(k, x);
    const auto f = [&](std::span<const double> at, std::span<double> gradient) {
        std::vector<double> logs(at.begin(), at.end());
        const double above = std::exp(at.back());
        logs.back() = std::log(least + above);
        const double value = criterion(logs, gradient);
        gradient.back() *= above / (least + above);
        return value;
    };
    lbfgs_options how;
    how.tol = options.tol;
    how.progress = [&](index step, double value) {
        return !options.progress || options.progress({"relevance of columns", step, options.max_iter, value});
    };
    const auto spread_over = [&](std::span<const double> two) {
        std::vector<double> all(d, two[0]);
        all.push_back(two[1]);
        return all;
    };
    // One factor for all columns, and the noise.
    const auto common = [&](std::span<const double> two, std::span<double> gradient) {
        std::vector<double> full(d + 1);
        const double value = f(spread_over(two), full);
        gradient[0] = 0;
        for (std::size_t a = 0; a < d; ++a) gradient[0] += full[a];
        gradient[1] = full[d];
        return value;
    };
    how.max_iter = 30;
    std::vector<double> ignored(2);
    const std::vector<double> start{0.0, std::log(options.noise)};
    learnt_relevance out{k, {}, 0, common(start, ignored)};
    if (!std::isfinite(out.before))
        fail(errc::data, fmt::format("relevance: the matrix of {} + {}·I is not positive definite on these objects: "
                                     "scale the columns, or start from a larger noise",
                                     k.text(), options.noise));
    const lbfgs_result equal = minimise(common, start, how);
    how.max_iter = options.max_iter;
    const lbfgs_result found = minimise(f, spread_over(equal.x), how);
    for (std::size_t a = 0; a < d; ++a) out.factors.push_back(std::exp(found.x[a]));
    out.noise = least + std::exp(found.x[d]);
    out.after = found.f;
    out.gradient = found.gradient;
    out.status = found.status;
    out.steps = equal.steps + found.steps;
    out.evaluations = equal.evaluations + found.evaluations + 1;
    out.learnt = with_factors(k, out.factors);
    return out;
}

}  // namespace mercer
