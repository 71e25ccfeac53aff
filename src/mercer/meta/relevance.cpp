
#include "mercer/meta/relevance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/evaluation/pair_evaluation.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/vectors/anisotropic.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/solvers/newton/lbfgs.h"

namespace mercer {
namespace {

// k(s∘x, s∘z) as an expression.
kernel with_factors(const kernel& k, const std::vector<double>& s) {
    const kernel_form form = k.node().form();
    if (form.operation != "rbf") return scaled(k, s);
    const double gamma = std::get<double>(form.arguments.front().second);
    std::vector<double> variances;
    for (const double each : s) variances.push_back(1 / (2 * gamma * each * each));
    return anisotropic{{variances}};
}

void check(const dataset& x, matrix_view<const double> y, const relevance_options& options) {
    require_objects(x, "relevance");
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported, fmt::format("relevance: the data must be vectors, got {}", name(x.kind())));
    if (x.dims() == 0) fail(errc::data, "relevance: the data have no columns");
    if (y.rows != x.size() || y.cols == 0)
        fail(errc::data, fmt::format("relevance: {} examples, but {} targets", x.size(), y.rows));
    if (!(options.noise > 0) || !std::isfinite(options.noise))
        fail(errc::invalid_argument,
             fmt::format("relevance: must satisfy 0 < noise < infinity, got {}", options.noise));
    double spread = 0;
    for (index i = 0; i < y.rows; ++i)
        for (index c = 0; c < y.cols; ++c) {
            if (!std::isfinite(y(i, c)))
                fail(errc::data, fmt::format("relevance: target {} must be finite, got {}", i, y(i, c)));
            spread = std::max(spread, std::abs(y(i, c) - y(0, c)));
        }
    if (spread == 0)
        fail(errc::data,
             fmt::format("relevance: the targets must differ for columns to be relevant, but all targets are {}",
                         y(0, 0)));
}

// The lower bound of the noise. Below it A = K + λI consists of rounding errors; the leave-one-out criterion has no
// other lower end and would follow the rounding.
double min_noise(const kernel& k, const dataset& x) {
    double mean = 0;
    for (const double each : kernel_diagonal(k, x)) mean += std::abs(each) / static_cast<double>(x.size());
    return 1e-8 * mean;
}

}  // namespace

learnt_relevance learn_relevance(const kernel& k, const dataset& x, matrix_view<const double> y,
                                 const relevance_options& options) {
    check(x, y, options);
    const relevance_objective criterion(k, x, y, options.criterion);
    const auto d = static_cast<std::size_t>(criterion.columns());
    // λ = least + e^t for the last variable t.
    const double least = min_noise(k, x);
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
    // The criterion with a common factor of all columns, and the noise.
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
        fail(errc::data, fmt::format("relevance: the matrix of {} + {}·I is not positive definite on these data: scale "
                                     "the columns, or take a larger noise",
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

// The criterion and its gradient.

namespace {

using input = kernel_derivative::input;

// The contribution of one column to a statistic.
double term(pair_statistic what, double x, double z) {
    switch (what) {
        case pair_statistic::manhattan: return std::abs(x - z);
        case pair_statistic::min_sum: return std::min(x, z);
        case pair_statistic::chi2: return x + z > 0 ? (x - z) * (x - z) / (x + z) : 0.0;
        default: return x * z;
    }
}

}  // namespace

struct relevance_objective::parts {
    kernel_derivative k;
    relevance_criterion criterion;
    matrix<double> x, y;

    parts(const kernel& from, const dataset& objects, matrix_view<const double> targets, relevance_criterion by)
        : k(from), criterion(by), x(objects.size(), objects.dims()), y(targets.rows, targets.cols) {
        const dense<double> rows = as_dense<double>(objects);
        for (index i = 0; i < x.rows(); ++i) std::copy_n(rows.row(i), x.cols(), x.row(i));
        for (index i = 0; i < y.rows(); ++i) std::copy_n(targets.row(i), y.cols(), y.row(i));
        centre(y);
        // Differences do not depend on the origin; relative to the mean they have the smallest rounding errors.
        if (std::ranges::all_of(k.inputs(),
                                [](const input& each) { return each.vanishes() && each.what != pair_statistic::chi2; }))
            centre(x);
    }

    static void centre(matrix<double>& m) {
        for (index c = 0; c < m.cols(); ++c) {
            double mean = 0;
            for (index i = 0; i < m.rows(); ++i) mean += m(i, c) / static_cast<double>(m.rows());
            for (index i = 0; i < m.rows(); ++i) m(i, c) -= mean;
        }
    }

    matrix<double> scaled(std::span<const double> at) const {
        matrix<double> out(x.rows(), x.cols());
        for (index i = 0; i < x.rows(); ++i)
            for (index a = 0; a < x.cols(); ++a) out(i, a) = x(i, a) * std::exp(at[static_cast<std::size_t>(a)]);
        return out;
    }

    // The statistic for all pairs.
    matrix<double> values_of(const input& what, const matrix<double>& z) const {
        const index n = z.rows();
        if (what.what == pair_statistic::dot) {
            matrix<double> out = product(z.view(), transposed::no, z.view(), transposed::yes);
            if (!what.distance) return out;
            std::vector<double> square(static_cast<std::size_t>(n));
            for (index i = 0; i < n; ++i) square[static_cast<std::size_t>(i)] = out(i, i);
            for (index i = 0; i < n; ++i)
                for (index j = 0; j < n; ++j)
                    out(i, j) = i == j ? 0.0
                                       : std::max(0.0, square[static_cast<std::size_t>(i)] +
                                                           square[static_cast<std::size_t>(j)] - 2 * out(i, j));
            return out;
        }
        matrix<double> out(n, n);
        parallel_for(n, [&](index i) {
            for (index j = 0; j < n; ++j) {
                double sum = what.what == pair_statistic::product ? 1 : 0;
                for (index a = 0; a < z.cols(); ++a) {
                    const double one = term(what.what, z(i, a), z(j, a));
                    sum = what.what == pair_statistic::product ? sum * (1 + one) : sum + one;
                }
                out(i, j) = sum;
            }
        });
        return out;
    }

    // out[a] += Σᵢⱼ Vᵢⱼ ∂tᵢⱼ/∂log sₐ
    void add_slopes(const input& what, const matrix<double>& z, const matrix<double>& V, const matrix<double>& t,
                    std::span<double> out) const {
        const index n = z.rows(), d = z.cols();
        if (what.what == pair_statistic::dot) {
            const matrix<double> Vz = product(V.view(), transposed::no, z.view(), transposed::no);
            for (index i = 0; i < n; ++i) {
                double sum = 0;
                if (what.distance)
                    for (index j = 0; j < n; ++j) sum += V(i, j);
                for (index a = 0; a < d; ++a) {
                    const double cross = z(i, a) * Vz(i, a);
                    out[static_cast<std::size_t>(a)] +=
                        what.distance ? 4 * (sum * z(i, a) * z(i, a) - cross) : 2 * cross;
                }
            }
            return;
        }
        matrix<double> each(n, d);  // one row for each object, summed in a fixed order
        parallel_for(n, [&](index i) {
            for (index j = 0; j < n; ++j)
                for (index a = 0; a < d; ++a) {
                    const double one = term(what.what, z(i, a), z(j, a));
                    each(i, a) +=
                        V(i, j) * (what.what == pair_statistic::product ? 2 * one / (1 + one) * t(i, j) : one);
                }
        });
        for (index i = 0; i < n; ++i)
            for (index a = 0; a < d; ++a) out[static_cast<std::size_t>(a)] += each(i, a);
    }

    // The criterion and W = its derivative by A, from B = A⁻¹.
    double evidence(const matrix<double>& B, double log_determinant, matrix<double>& W) const;
    double leave_one_out_loss(const matrix<double>& B, matrix<double>& W) const;
};

double relevance_objective::parts::evidence(const matrix<double>& B, double log_determinant, matrix<double>& W) const {
    const matrix<double> alpha = product(B.view(), transposed::no, y.view(), transposed::no);
    const auto n = static_cast<double>(y.rows()), m = static_cast<double>(y.cols());
    double fit = 0;
    for (index i = 0; i < y.rows(); ++i)
        for (index c = 0; c < y.cols(); ++c) fit += y(i, c) * alpha(i, c);
    // ½m log|A| + ½nm log(tr YᵀBY/(nm)), over nm
    W = product(alpha.view(), transposed::no, alpha.view(), transposed::yes);
    for (index i = 0; i < W.rows(); ++i)
        for (index j = 0; j < W.cols(); ++j) W(i, j) = 0.5 * (B(i, j) / n - W(i, j) / fit);
    return 0.5 * (log_determinant / n + std::log(fit / (n * m)));
}

double relevance_objective::parts::leave_one_out_loss(const matrix<double>& B, matrix<double>& W) const {
    const index n = y.rows();
    const matrix<double> alpha = product(B.view(), transposed::no, y.view(), transposed::no);
    matrix<double> u(n, y.cols()), C(n, n);
    double sum = 0;
    for (index i = 0; i < n; ++i) {
        double w = 0;
        for (index c = 0; c < y.cols(); ++c) {
            const double r = alpha(i, c) / B(i, i);
            sum += r * r;
            w += r * r / B(i, i);
            u(i, c) = r / B(i, i);
        }
        for (index j = 0; j < n; ++j) C(i, j) = std::sqrt(w) * B(i, j);
    }
    // d ½Σr² = -(Bu)ᵀ dA α + tr(dA·B diag(w) B), and the criterion is ½ log of the mean of r².
    W = product(C.view(), transposed::yes, C.view(), transposed::no);
    const matrix<double> Bu = product(B.view(), transposed::no, u.view(), transposed::no);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j) {
            double cross = 0;
            for (index c = 0; c < y.cols(); ++c) cross += Bu(i, c) * alpha(j, c) + Bu(j, c) * alpha(i, c);
            W(i, j) = (W(i, j) - cross / 2) / sum;
        }
    return 0.5 * std::log(sum / static_cast<double>(n * y.cols()));
}

relevance_objective::relevance_objective(const kernel& k, const dataset& x, matrix_view<const double> y,
                                         relevance_criterion criterion)
    : parts_(std::make_unique<const parts>(k, x, y, criterion)) {}
relevance_objective::~relevance_objective() = default;
index relevance_objective::columns() const { return parts_->x.cols(); }

double relevance_objective::operator()(std::span<const double> at, std::span<double> gradient) const {
    const parts& p = *parts_;
    const index n = p.x.rows();
    const auto inputs = p.k.inputs().size();
    const double noise = std::exp(at.back());
    const matrix<double> z = p.scaled(at);
    std::vector<matrix<double>> t, slope;
    for (const input& each : p.k.inputs()) t.push_back(p.values_of(each, z)), slope.emplace_back(n, n);
    matrix<double> A(n, n);
    parallel_for(n, [&](index i) {
        std::vector<double> value(inputs), by(inputs);
        for (index j = 0; j < n; ++j) {
            for (std::size_t s = 0; s < inputs; ++s) value[s] = t[s](i, j);
            A(i, j) = p.k(value, by) + (i == j ? noise : 0.0);
            for (std::size_t s = 0; s < inputs; ++s) slope[s](i, j) = by[s];
        }
    });
    constexpr double not_evaluable = std::numeric_limits<double>::infinity();
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            if (!std::isfinite(A(i, j))) return not_evaluable;
    const auto R = cholesky(std::move(A));
    if (!R) return not_evaluable;
    double log_determinant = 0;
    for (index i = 0; i < n; ++i) log_determinant += 2 * std::log((*R)(i, i));
    matrix<double> B(n, n), W;
    for (index i = 0; i < n; ++i) B(i, i) = 1;
    cholesky_solve(R->view(), B.view());
    const double value =
        p.criterion == relevance_criterion::evidence ? p.evidence(B, log_determinant, W) : p.leave_one_out_loss(B, W);
    std::ranges::fill(gradient, 0.0);
    for (index i = 0; i < n; ++i) gradient.back() += noise * W(i, i);
    for (std::size_t s = 0; s < inputs; ++s) {
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < n; ++j) slope[s](i, j) *= W(i, j);
        p.add_slopes(p.k.inputs()[s], z, slope[s], t[s], gradient);
    }
    return value;
}

}  // namespace mercer
