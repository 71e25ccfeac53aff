// Kernel ridge regression by conjugate gradients.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/gram/gram_product.h"
#include "mercer/gram/half_gram.h"
#include "mercer/gram/rp_cholesky.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/solvers/newton/ridge_cg.h"

namespace mercer {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Vectors of the iteration, the factor twice (once scaled, while its inner product is formed), and an inner product for
// each λ.
double cg_bytes(index n, index outputs, index rank, const kernel_ridge_options& o) {
    const double size = static_cast<double>(n), r = static_cast<double>(rank), lambdas = std::ssize(o.output_alphas);
    return 8.0 * (size * (9.0 * static_cast<double>(outputs) + 4 + 2 * r + lambdas) + lambdas * r * r);
}

bool all_positive(const kernel_ridge_options& o) {
    return o.output_alphas.empty() ? o.alpha > 0 : std::ranges::all_of(o.output_alphas, [](double a) { return a > 0; });
}

// What a checkpoint belongs to.
std::uint64_t mark_of(const gram<double>& K, const matrix<double>& b, const matrix<double>& ridge,
                      const ridge_cg_options& s, index rank) {
    problem_mark mark;
    mark.add("kernel_ridge").add(static_cast<double>(K.rows())).add(s.tol).add(static_cast<double>(s.max_iter));
    const auto numbers = [](const matrix<double>& all) {
        return std::span<const double>(all.data(), static_cast<std::size_t>(all.rows() * all.cols()));
    };
    return mark.add(static_cast<double>(rank)).add(numbers(ridge)).add(first_values(K)).add(numbers(b)).value();
}

// The rank of the preconditioner, which has a third of the memory at most.
index rank_for(index n, index outputs, const kernel_ridge_options& o) {
    if (o.rank > 0) return std::min(o.rank, n);
    return preconditioner_rank(n, static_cast<double>(o.memory_bytes) / 3 / (16.0 * static_cast<double>(n)) -
                                      5.0 * static_cast<double>(outputs));
}

// The rank, where conjugate gradients can do what is asked and fit the memory.
index checked_rank(index n, index outputs, const kernel_ridge_options& o) {
    if (!all_positive(o))
        fail(errc::invalid_argument,
             fmt::format("kernel ridge: solver=cg needs alpha > 0, got {}",
                         o.output_alphas.empty() ? o.alpha : std::ranges::min(o.output_alphas)));
    if (o.loo || o.variance)
        fail(errc::unsupported,
             fmt::format("kernel ridge: {} needs a decomposition: leave solver=cg out", o.loo ? "loo" : "variance"));
    const index rank = rank_for(n, outputs, o);
    check_budget("kernel ridge", cg_bytes(n, outputs, rank, o), o.memory_bytes,
                 fmt::format("for conjugate gradients on {} examples with rank {}", n, rank));
    return rank;
}

}  // namespace

bool kernel_ridge_by_cg(index n, index outputs, const kernel_ridge_options& o) {
    if (o.solver != ridge_solver::automatic) return o.solver == ridge_solver::cg;
    const auto budget = static_cast<double>(o.memory_bytes);
    return !o.loo && !o.variance && all_positive(o) && kernel_ridge_memory(n, outputs, o) > budget && n >= 1024 &&
           cg_bytes(n, outputs, rank_for(n, outputs, o), o) <= budget;
}

kernel_ridge_model solve_kernel_ridge_by_cg(const gram<double>& K, matrix_view<const double> y,
                                            const std::vector<double>& weight, std::vector<index> used,
                                            const kernel_ridge_options& o) {
    const index n = K.rows(), outputs = y.cols;
    const index rank = checked_rank(n, outputs, o);
    kernel_ridge_model model;
    model.alpha = o.output_alphas.empty() ? o.alpha : o.output_alphas.front();
    model.output_alphas = o.output_alphas;
    const double start = seconds_now();
    rp_cholesky_options r;
    r.rank = rank;
    if (o.progress)
        r.progress = [&](index done, double left) {
            report(o.progress, {"preconditioner", done, rank, left}, "kernel ridge");
            return true;
        };
    const random_pivots pivots = rp_cholesky(K, r);
    const matrix_view<const double> factor = pivots.factor.view().block(0, 0, n, std::ssize(pivots.pivots));
    model.seconds_gram = seconds_now() - start;
    const std::vector<double> alphas = o.output_alphas.empty() ? std::vector<double>{o.alpha} : o.output_alphas;
    matrix<double> ridge(std::ssize(alphas), n), b(outputs, n);
    for (index i = 0; i < n; ++i) {
        const auto row = static_cast<std::size_t>(used[static_cast<std::size_t>(i)]);
        for (index c = 0; c < ridge.rows(); ++c) ridge(c, i) = alphas[static_cast<std::size_t>(c)] / weight[row];
        for (index c = 0; c < outputs; ++c) b(c, i) = y(static_cast<index>(row), c);
    }
    // Half of K is kept where it fits; else every product computes K again.
    std::optional<half_gram> half;
    if (K.in_memory().rows < n && half_gram::bytes(n, outputs) <= 0.6 * static_cast<double>(o.memory_bytes))
        half.emplace(K);
    const block_operator multiply = [&](matrix_view<const double> v, matrix_view<double> out) {
        if (half)
            half->multiply(v, out);
        else
            gram_product(K, v, out);
    };
    ridge_cg_options s;
    s.tol = o.tol, s.max_iter = o.max_products;
    if (o.progress)
        s.progress = [&](index products, double residual) {
            return o.progress({"conjugate gradients", products, 0, residual});
        };
    state_keeper keeper(o.checkpoint, mark_of(K, b, ridge, s, factor.cols), nullptr);
    if (auto state = keeper.found()) s.start = std::move(*state);
    if (!o.checkpoint.path.empty()) s.keep = [&](const std::vector<double>& state) { keeper.keep(state); };
    ridge_cg_result found = ridge_cg(multiply, ridge.view(), factor, b.view(), s);
    if (found.status != fit_status::cancelled) keeper.remove();
    model.status = found.status, model.refinements = found.products;
    model.residual = std::ranges::max(found.residuals), model.residuals = std::move(found.residuals);
    model.tol = o.tol;
    model.f.coef = matrix<double>(n, outputs);
    for (index i = 0; i < n; ++i)
        for (index c = 0; c < outputs; ++c) model.f.coef(i, c) = b(c, i);
    require_finite(model.f.coef.view(),
                   "kernel ridge: the coefficients overflow; alpha is too small, or the targets too large");
    model.f.offset.assign(static_cast<std::size_t>(outputs), 0.0);
    model.f.rows = std::move(used);
    model.f.training_size = y.rows;
    model.seconds_solve = seconds_now() - start - model.seconds_gram;
    return model;
}

}  // namespace mercer
