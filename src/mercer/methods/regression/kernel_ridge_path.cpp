// The path over λ. With S = W^½ and K̃ = SKS, ã = (K̃ + λI)⁻¹Sy and α = Sã, it is S(y - f) = λã. Hence
//     RSS = λ²‖ã‖²,   df = n - λ tr (K̃ + λI)⁻¹,   S(y - f₋) = ã ⊘ diag (K̃ + λI)⁻¹
// with ⊘ the division of vectors entry by entry.

#include "mercer/methods/regression/kernel_ridge_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/dense/band_reduction.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/methods/training_gram.h"

namespace mercer {
namespace {

constexpr const char* path_owner = "kernel ridge path";

// For smaller n an eigendecomposition is fast enough that both scores are always computed.
constexpr index eigenvector_limit = 300;

bool uses_eigenvectors(index n) { return n < std::max(eigenvector_limit, band_reduction::min_n); }

void check(const ridge_path_options& o, index n, matrix_view<const double> y) {
    if (o.alphas.empty()) fail(errc::invalid_argument, "kernel ridge path: at least one alpha is needed");
    for (const double alpha : o.alphas)
        if (!(alpha >= 0) || !std::isfinite(alpha))
            fail(errc::invalid_argument,
                 fmt::format("kernel ridge path: must satisfy 0 <= alpha < infinity, got {}", alpha));
    check_targets(path_owner, n, y);
}

double memory(index n, index outputs, const ridge_path_options& o) {
    const double size = static_cast<double>(n),
                 columns = static_cast<double>(outputs) * static_cast<double>(o.alphas.size());
    const bool eigen = uses_eigenvectors(n), loo = !eigen && o.score == ridge_score::loo;
    // LAPACK's dsyevd needs a workspace of 2n² numbers; leave-one-out needs Q and one factor for each λ.
    const double band = static_cast<double>(band_reduction::band),
                 factors = loo ? (band + 13) * static_cast<double>(o.alphas.size()) : 0;
    return 8 * ((eigen ? 3.0 : loo ? 2.0 : 1.0) * size * size + size * (3 * columns + factors + 8 * band));
}

[[noreturn]] void not_definite(double alpha, const std::string& what) {
    fail(errc::not_psd, fmt::format("kernel ridge path: K + alpha*I must be positive definite, but with alpha = {:g} "
                                    "it is not ({}): take larger alphas, or, if the kernel is not positive "
                                    "semidefinite, a repaired matrix (repair: clip, flip, shift)",
                                    alpha, what));
}

// ã for every λ and output: row (λ, output) of `columns` is contiguous.
struct solved_path {
    matrix<double> columns;     // λ·outputs × n
    std::vector<double> trace;  // tr (K̃ + λI)⁻¹
    matrix<double> diagonal;    // n × λ: diag (K̃ + λI)⁻¹; empty if it was not computed
};

solved_path solve_path_by_band(const gram<double>& K, const std::vector<double>& root, const matrix<double>& y,
                               const std::vector<double>& alphas, bool loo, const progress_callback& progress) {
    const index n = K.rows(), outputs = y.rows(), count = static_cast<index>(alphas.size());
    half_matrix half(n);
    const matrix_view<double> a = half.view();
    fill_upper_triangle(K, a, progress, path_owner);
    parallel_for(n, [&](index i) {
        for (index j = i; j < n; ++j) a(i, j) *= root[static_cast<std::size_t>(i)] * root[static_cast<std::size_t>(j)];
    });
    report(progress, {"reduction to a band", n, n, 0}, path_owner);
    const band_reduction reduced(a);
    report(progress, {"path", 0, count, 0}, path_owner);
    matrix<double> turned = y;
    reduced.apply_qt(turned.view());
    solved_path out{matrix<double>(count * outputs, n), std::vector<double>(alphas.size()), {}};
    parallel_for(count, [&](index l) {
        const matrix_view<double> own = out.columns.view().block(l * outputs, 0, outputs, n);
        for (index c = 0; c < outputs; ++c) std::copy_n(turned.row(c), n, own.row(c));
        const auto trace = reduced.solve(alphas[static_cast<std::size_t>(l)], own);
        if (!trace) not_definite(alphas[static_cast<std::size_t>(l)], "a pivot is not positive");
        out.trace[static_cast<std::size_t>(l)] = *trace;
    });
    reduced.apply_q(out.columns.view());
    if (loo) {
        report(progress, {"leave-one-out", 0, count, 0}, path_owner);
        index bad = -1;
        out.diagonal = reduced.inverse_diagonals(alphas, bad);
        if (bad >= 0) not_definite(alphas[static_cast<std::size_t>(bad)], "a pivot is not positive");
    }
    return out;
}

solved_path solve_by_eigenvectors(const gram<double>& K, const std::vector<double>& root, const matrix<double>& y,
                                  const std::vector<double>& alphas) {
    const index n = K.rows(), outputs = y.rows(), count = static_cast<index>(alphas.size());
    matrix<double> a(n, n);
    fill_upper_triangle(K, a.view(), {}, path_owner);  // n is small here
    for (index i = 0; i < n; ++i)
        for (index j = i; j < n; ++j) a(i, j) *= root[static_cast<std::size_t>(i)] * root[static_cast<std::size_t>(j)];
    eigen_system eigen = symmetric_eigen(std::move(a));
    solved_path out{{}, std::vector<double>(alphas.size()), {}};
    // rows are Uᵀy
    const matrix<double> turned = product(y.view(), transposed::no, eigen.vectors.view(), transposed::yes);
    matrix<double> scaled(count * outputs, n), inverse(n, count);
    for (index l = 0; l < count; ++l) {
        const double alpha = alphas[static_cast<std::size_t>(l)];
        if (!(eigen.values.front() + alpha > 0))
            not_definite(alpha, fmt::format("the smallest eigenvalue is {:g}", eigen.values.front()));
        for (index k = 0; k < n; ++k) {
            inverse(k, l) = 1 / (eigen.values[static_cast<std::size_t>(k)] + alpha);
            out.trace[static_cast<std::size_t>(l)] += inverse(k, l);
            for (index c = 0; c < outputs; ++c) scaled(l * outputs + c, k) = turned(c, k) * inverse(k, l);
        }
    }
    out.columns = product(scaled.view(), transposed::no, eigen.vectors.view(), transposed::no);
    parallel_for(n, [&](index k) {
        for (index i = 0; i < n; ++i) eigen.vectors(k, i) *= eigen.vectors(k, i);
    });
    out.diagonal = product(eigen.vectors.view(), transposed::yes, inverse.view(), transposed::no);
    return out;
}

kernel_ridge_path solve(const gram<double>& K, matrix_view<const double> y, const std::vector<double>& weight,
                        std::vector<index> used, const ridge_path_options& o) {
    const index n = K.rows(), outputs = y.cols;
    std::vector<double> root(static_cast<std::size_t>(n));
    matrix<double> scaled(outputs, n);  // Sy, one row per output
    double total = 0;
    for (index i = 0; i < n; ++i) {
        const index row = used[static_cast<std::size_t>(i)];
        root[static_cast<std::size_t>(i)] = std::sqrt(weight[static_cast<std::size_t>(row)]);
        total += weight[static_cast<std::size_t>(row)];
        for (index c = 0; c < outputs; ++c) scaled(c, i) = root[static_cast<std::size_t>(i)] * y(row, c);
    }
    const solved_path found =
        uses_eigenvectors(n) ? solve_by_eigenvectors(K, root, scaled, o.alphas)
                             : solve_path_by_band(K, root, scaled, o.alphas, o.score == ridge_score::loo, o.progress);
    kernel_ridge_path path;
    path.alphas = o.alphas;
    for (index l = 0; l < static_cast<index>(o.alphas.size()); ++l) {
        const double alpha = o.alphas[static_cast<std::size_t>(l)];
        const double df = static_cast<double>(n) - alpha * found.trace[static_cast<std::size_t>(l)];
        double rss = 0, missed = 0;
        matrix<double> coef(n, outputs);
        for (index c = 0; c < outputs; ++c) {
            const double* const a = found.columns.row(l * outputs + c);
            for (index i = 0; i < n; ++i) {
                rss += alpha * a[i] * (alpha * a[i]);
                coef(i, c) = root[static_cast<std::size_t>(i)] * a[i];
                if (found.diagonal.rows() > 0) missed += a[i] / found.diagonal(i, l) * (a[i] / found.diagonal(i, l));
            }
        }
        const double left = total - df, mean = 1 / static_cast<double>(outputs);
        path.df.push_back(df);
        path.gcv.push_back(left > 0 ? mean * total * rss / (left * left) : std::numeric_limits<double>::infinity());
        if (found.diagonal.rows() > 0) path.loo.push_back(mean * missed / total);
        path.coef.push_back(std::move(coef));
    }
    const std::vector<double>& score = o.score == ridge_score::loo ? path.loo : path.gcv;
    path.best = std::min_element(score.begin(), score.end()) - score.begin();
    const auto best = static_cast<std::size_t>(path.best);
    path.model.alpha = o.alphas[best];
    path.model.f.coef = path.coef[best];
    require_finite(path.model.f.coef.view(),
                   "kernel ridge path: the coefficients overflow: take a larger alpha, or scale the targets");
    path.model.f.offset.assign(static_cast<std::size_t>(outputs), 0.0);
    if (found.diagonal.rows() > 0 && n == y.rows) {
        path.model.loo = matrix<double>(n, outputs);
        for (index i = 0; i < n; ++i)
            for (index c = 0; c < outputs; ++c)
                path.model.loo(i, c) = found.columns(path.best * outputs + c, i) /
                                       (found.diagonal(i, path.best) * root[static_cast<std::size_t>(i)]);
    }
    path.model.f.rows = std::move(used);
    path.model.f.training_size = y.rows;
    return path;
}

}  // namespace

kernel_ridge_path fit_kernel_ridge_path(const kernel& k, const dataset& x, matrix_view<const double> y,
                                        const ridge_path_options& options) {
    check(options, x.size(), y);
    const std::vector<double> weight = checked_weights(path_owner, x.size(), options.sample_weight);
    require_finite(x);
    const std::vector<index> used = positive_indices(weight);
    check_budget(path_owner, memory(static_cast<index>(used.size()), y.cols, options), options.memory_bytes,
                 fmt::format("for the kernel matrix of {} examples", used.size()));
    const dataset objects = gather(x, std::span<const index>(used));
    kernel_ridge_path path = solve(*make_gram<double>(k, objects, std::size_t{64} << 20), y, weight, used, options);
    path.model.f.k = std::make_shared<const kernel>(k);
    path.model.f.x = objects;
    return path;
}

kernel_ridge_path fit_kernel_ridge_path_precomputed(matrix_view<const double> K, matrix_view<const double> y,
                                                    const ridge_path_options& options) {
    require_symmetric(K, "kernel ridge path: a precomputed kernel matrix");
    check(options, K.rows, y);
    const std::vector<double> weight = checked_weights(path_owner, K.rows, options.sample_weight);
    const std::vector<index> used = positive_indices(weight);
    check_budget(path_owner, memory(static_cast<index>(used.size()), y.cols, options), options.memory_bytes,
                 fmt::format("for a copy of the kernel matrix of {} examples", used.size()));
    const precomputed<double> all(K);
    return solve(subset<double>(all, used), y, weight, used, options);
}

namespace {

// For up to `max_cholesky_count` values of λ, one Cholesky decomposition each is faster than a reduction to band
// form. Matrices below min_reduced_n are not reduced because the reduction runs slowly on small panels.
constexpr std::size_t max_cholesky_count = 4;
constexpr index min_reduced_n = 300;

// Replaces every row l of `coef` by (K + λₗI)⁻¹y; on entry row 0 contains y. Overwrites the upper triangle of K.
// Returns for each λ if the system could be solved.
std::vector<char> solve_by_band(matrix_view<double> K, std::span<const double> lambdas, matrix_view<double> coef) {
    const band_reduction reduced(K);
    reduced.apply_qt(coef.block(0, 0, 1, coef.cols));
    for (index l = 1; l < coef.rows; ++l) std::copy_n(coef.row(0), coef.cols, coef.row(l));
    std::vector<char> done;
    for (index l = 0; l < coef.rows; ++l)
        done.push_back(
            reduced.solve_without_trace(lambdas[static_cast<std::size_t>(l)], coef.block(l, 0, 1, coef.cols)));
    reduced.apply_q(coef);
    return done;
}

std::vector<char> solve_each(matrix_view<const double> K, std::span<const double> lambdas, matrix_view<double> coef) {
    require_finite_half(K, "kernel ridge");
    matrix<double> a(K.rows, K.rows);
    std::vector<char> done;
    for (index l = 0; l < coef.rows; ++l) {
        for (index i = 0; i < K.rows; ++i) {
            std::copy_n(K.row(i) + i, K.rows - i, a.row(i) + i);
            a(i, i) += lambdas[static_cast<std::size_t>(l)];
        }
        done.push_back(cholesky_in_place(a));
        if (done.back()) cholesky_solve(a, coef.block(l, 0, 1, coef.cols));
    }
    return done;
}

}  // namespace

std::vector<std::vector<double>> predict_along_penalties(const gram<double>& K, std::span<const double> y,
                                                         const std::vector<index>& training,
                                                         const std::vector<index>& held_out,
                                                         std::span<const double> lambdas) {
    const auto n = static_cast<index>(training.size()), count = static_cast<index>(lambdas.size());
    half_matrix among(n);
    fill_upper_triangle(subset<double>(K, training), among.view(), {}, "kernel ridge");
    matrix<double> coef(count, n);
    for (index l = 0; l < count; ++l)
        for (index i = 0; i < n; ++i) coef(l, i) = y[static_cast<std::size_t>(training[static_cast<std::size_t>(i)])];
    const std::vector<char> done = lambdas.size() > max_cholesky_count && n >= min_reduced_n
                                       ? solve_by_band(among.view(), lambdas, coef.view())
                                       : solve_each(among.view(), lambdas, coef.view());
    matrix<double> across(static_cast<index>(held_out.size()), n);
    K.block(std::span<const index>(held_out), std::span<const index>(training), across.view());
    const matrix<double> f = product(coef.view(), transposed::no, across.view(), transposed::yes);
    std::vector<std::vector<double>> out(lambdas.size());
    for (index l = 0; l < count; ++l)
        if (done[static_cast<std::size_t>(l)])
            out[static_cast<std::size_t>(l)].assign(f.row(l), f.row(l) + across.rows());
    return out;
}

}  // namespace mercer
