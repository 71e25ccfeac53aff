#include "mercer/methods/regression/kernel_ridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/gram/gram_product.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/low_rank.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/method.h"
#include "mercer/methods/regression/kernel_ridge_path.h"
#include "mercer/methods/training_gram.h"
#include "mercer/solvers/newton/conjugate_gradients.h"

namespace mercer {
namespace {

constexpr const char* kernel_ridge_owner = "kernel ridge";

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

matrix<double> select_rows(matrix_view<const double> from, const std::vector<index>& rows) {
    matrix<double> out(static_cast<index>(rows.size()), from.cols);
    for (index i = 0; i < out.rows(); ++i)
        std::copy_n(from.row(rows[static_cast<std::size_t>(i)]), from.cols, out.row(i));
    return out;
}

[[noreturn]] void not_definite(double alpha, index row, double self) {
    fail(errc::not_psd,
         fmt::format("kernel ridge: K + alpha*I must be positive definite, but the pivot of example {} (k(x, x) = "
                     "{:g}) is not positive with alpha = {:g}: take a larger alpha, or, if the kernel is not positive "
                     "semidefinite, a repaired matrix (repair: clip, flip, shift)",
                     row, self, alpha));
}

// Returns true if a factorisation in float is faster: in large matrices it takes most of the time, and with few
// right-hand sides the products and solves of the refinement cost less than half of the n³/3 operations, which float
// saves.
bool is_float_factor_faster(index n, index outputs, const kernel_ridge_options& o) {
    return !o.loo && !o.variance && n >= 1024 && 100 * outputs <= n;
}

// coef ← A⁻¹coef by a factor in float with refinement. Returns false, with coef unchanged, if a factor in double is
// needed.
bool solve_mixed(mixed_matrix& a, matrix<double>& coef, kernel_ridge_model& model) {
    matrix<double> rows(coef.cols(), coef.rows());
    for (index i = 0; i < coef.rows(); ++i)
        for (index c = 0; c < coef.cols(); ++c) rows(c, i) = coef(i, c);
    const mixed_result found = mixed_cholesky_solve(a.upper(), a.lower(), rows.view());
    if (!found.solved) return false;
    for (index i = 0; i < coef.rows(); ++i)
        for (index c = 0; c < coef.cols(); ++c) coef(i, c) = rows(c, i);
    model.refinements = found.products;
    return true;
}

// K is the kernel matrix of the examples of positive weight, whose rows are `used`; y and weight have all n rows.
kernel_ridge_model solve(const gram<double>& K, matrix_view<const double> y, const std::vector<double>& weight,
                         std::vector<index> used, const kernel_ridge_options& options) {
    const index n = K.rows();
    if (uses_cg(n, y.cols, options)) return solve_kernel_ridge_by_cg(K, y, weight, std::move(used), options);
    if (!options.checkpoint.path.empty())
        fail(errc::unsupported,
             "kernel ridge: a checkpoint needs solver=cg, because a decomposition cannot be continued");
    kernel_ridge_model model;
    model.alpha = options.alpha;
    const double start = now();
    mixed_matrix memory(n);
    const matrix_view<double> a = memory.upper();
    fill_upper_triangle(K, a, options.progress, kernel_ridge_owner);
    std::vector<double> self(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) {
        self[static_cast<std::size_t>(i)] = a(i, i);
        a(i, i) += options.alpha / weight[static_cast<std::size_t>(used[static_cast<std::size_t>(i)])];
    }
    model.seconds_gram = now() - start;
    report(options.progress, {"Cholesky decomposition", n, n, 0}, kernel_ridge_owner);
    matrix<double> coef = select_rows(y, used);
    if (!is_float_factor_faster(n, y.cols, options) || !solve_mixed(memory, coef, model)) {
        if (const index bad = cholesky_in_place(a); bad >= 0)
            not_definite(options.alpha, used[static_cast<std::size_t>(bad)], self[static_cast<std::size_t>(bad)]);
        cholesky_solve(a, coef.view());
    }
    require_finite(coef.view(), "kernel ridge: the coefficients overflow: take a larger alpha, or scale the targets");
    if (options.variance) {
        model.factor = matrix<double>(n, n);
        for (index i = 0; i < n; ++i) std::copy_n(a.row(i) + i, n - i, model.factor.row(i) + i);
    }
    if (options.loo) {
        report(options.progress, {"leave-one-out", n, n, 0}, kernel_ridge_owner);
        const std::vector<double> inverse = inverse_diagonal(a);
        model.loo = matrix<double>(y.rows, y.cols);
        for (index i = 0; i < n; ++i)
            for (index c = 0; c < y.cols; ++c)
                model.loo(used[static_cast<std::size_t>(i)], c) = coef(i, c) / inverse[static_cast<std::size_t>(i)];
    }
    model.seconds_solve = now() - start - model.seconds_gram;
    model.f.coef = std::move(coef);
    model.f.offset.assign(static_cast<std::size_t>(y.cols), 0.0);
    model.f.rows = std::move(used);
    model.f.training_size = y.rows;
    return model;
}

void check(const kernel_ridge_options& o, index n, matrix_view<const double> y) {
    if (!(o.alpha >= 0) || !std::isfinite(o.alpha))
        fail(errc::invalid_argument, fmt::format("kernel ridge: must satisfy 0 <= alpha < infinity, got {}", o.alpha));
    check_targets(kernel_ridge_owner, n, y);
}

void check_output_alphas(const kernel_ridge_options& o, index outputs) {
    const std::vector<double>& alphas = o.output_alphas;
    if (std::ssize(alphas) != outputs)
        fail(errc::invalid_argument,
             fmt::format("kernel ridge: output_alphas needs one value per target: got {} values for {} targets",
                         alphas.size(), outputs));
    for (const double each : alphas)
        if (!(each >= 0) || !std::isfinite(each))
            fail(errc::invalid_argument,
                 fmt::format("kernel ridge: must satisfy 0 <= output_alphas < infinity, got {}", each));
    if (o.variance && std::ranges::adjacent_find(alphas, std::not_equal_to()) != alphas.end())
        fail(errc::unsupported,
             "kernel ridge: variance needs the same alpha for all targets: leave output_alphas or variance out");
}

// Fits each output with its own λ by its own decomposition and joins the results in one model. fit_one(y, options) fits
// one output.
kernel_ridge_model fit_each_output(matrix_view<const double> y, kernel_ridge_options o, const auto& fit_one) {
    const std::vector<double> alphas = std::exchange(o.output_alphas, {});
    o.solver = ridge_solver::direct;
    kernel_ridge_model all;
    for (index c = 0; c < y.cols; ++c) {
        o.alpha = alphas[static_cast<std::size_t>(c)];
        kernel_ridge_model one = fit_one(y.block(0, c, y.rows, 1), o);
        const index n = one.f.coef.rows();
        const matrix<double> coef = std::exchange(one.f.coef, {}), loo = std::exchange(one.loo, {});
        if (c == 0) {
            all = std::move(one);
            all.f.coef = matrix<double>(n, y.cols), all.loo = matrix<double>(loo.rows(), y.cols);
            all.f.offset.assign(static_cast<std::size_t>(y.cols), 0.0);
        } else {
            all.refinements += one.refinements;
            all.seconds_gram += one.seconds_gram, all.seconds_solve += one.seconds_solve;
        }
        for (index i = 0; i < n; ++i) all.f.coef(i, c) = coef(i, 0);
        for (index i = 0; i < loo.rows(); ++i) all.loo(i, c) = loo(i, 0);
    }
    all.output_alphas = alphas;
    return all;
}

// Returns true if every output needs its own decomposition.
bool needs_separate_decompositions(index n, matrix_view<const double> y, const kernel_ridge_options& o) {
    if (o.output_alphas.empty()) return false;
    check_output_alphas(o, y.cols);
    return !uses_cg(n, y.cols, o);
}

// Sets the leave-one-out residuals of examples with weight 0, which the fit does not use, to y - f.
void fill_weightless_residuals(kernel_ridge_model& model, matrix_view<const double> y,
                               const std::vector<double>& weight, const auto& predict_rows) {
    std::vector<index> unseen;
    for (std::size_t i = 0; i < weight.size(); ++i)
        if (weight[i] == 0) unseen.push_back(static_cast<index>(i));
    if (model.loo.rows() == 0 || unseen.empty()) return;
    const matrix<double> f = predict_rows(unseen);
    for (std::size_t u = 0; u < unseen.size(); ++u)
        for (index c = 0; c < y.cols; ++c) model.loo(unseen[u], c) = y(unseen[u], c) - f(static_cast<index>(u), c);
}

std::vector<double> variances(const kernel_ridge_model& model, index points, std::span<const double> self, bool noise,
                              const auto& fill_rows) {
    if (model.factor.rows() == 0)
        fail(errc::unsupported, "kernel ridge: a variance needs a model that was fitted with variance=true");
    constexpr index band = 256;
    const index n = model.factor.rows();
    std::vector<double> out(static_cast<std::size_t>(points));
    for (index first = 0; first < points; first += band) {
        matrix<double> rows(std::min(band, points - first), n);
        fill_rows(first, rows.view());
        cholesky_forward_solve_rows(model.factor.view(), rows.view());
        for (index i = 0; i < rows.rows(); ++i) {
            double sum = 0;
            for (index j = 0; j < n; ++j) sum += rows(i, j) * rows(i, j);
            const auto at = static_cast<std::size_t>(first + i);
            out[at] = std::max(self[at] - sum, 0.0) + (noise ? model.alpha : 0.0);
        }
    }
    return out;
}

}  // namespace

double kernel_ridge_memory(index n, index outputs, const kernel_ridge_options& options) {
    const double size = static_cast<double>(n), columns = static_cast<double>(outputs);
    const double vectors = is_float_factor_faster(n, outputs, options) ? 10 * columns + 32 : 3 * columns + 8;
    return 8 * size * (size * (options.variance ? 2 : 1) + vectors);
}

kernel_ridge_model fit_kernel_ridge(const kernel& k, const dataset& x, matrix_view<const double> y,
                                    const kernel_ridge_options& options) {
    check(options, x.size(), y);
    const std::vector<double> weight = checked_weights(kernel_ridge_owner, x.size(), options.sample_weight);
    require_finite(x);
    std::vector<index> used = positive_indices(weight);
    if (needs_separate_decompositions(std::ssize(used), y, options))
        return fit_each_output(y, options, [&](matrix_view<const double> one, const kernel_ridge_options& o) {
            return fit_kernel_ridge(k, x, one, o);
        });
    if (!uses_cg(static_cast<index>(used.size()), y.cols, options))
        check_budget(kernel_ridge_owner, kernel_ridge_memory(static_cast<index>(used.size()), y.cols, options),
                     options.memory_bytes, fmt::format("for the kernel matrix of {} examples", used.size()));
    const bool everything = static_cast<index>(used.size()) == x.size();
    const dataset objects = everything ? x : gather(x, std::span<const index>(used));
    kernel_ridge_model model = solve(*make_gram<double>(k, objects, std::size_t{64} << 20), y, weight, used, options);
    model.f.k = std::make_shared<const kernel>(k);
    model.f.x = gather(x, std::span<const index>(used));
    fill_weightless_residuals(model, y, weight, [&](const std::vector<index>& unseen) {
        return model.f.values(gather(x, std::span<const index>(unseen)));
    });
    return model;
}

kernel_ridge_model fit_kernel_ridge_precomputed(matrix_view<const double> K, matrix_view<const double> y,
                                                const kernel_ridge_options& options) {
    require_symmetric(K, "kernel ridge: a precomputed kernel matrix");
    check(options, K.rows, y);
    const std::vector<double> weight = checked_weights(kernel_ridge_owner, K.rows, options.sample_weight);
    std::vector<index> used = positive_indices(weight);
    if (needs_separate_decompositions(std::ssize(used), y, options))
        return fit_each_output(y, options, [&](matrix_view<const double> one, const kernel_ridge_options& o) {
            return fit_kernel_ridge_precomputed(K, one, o);
        });
    if (!uses_cg(static_cast<index>(used.size()), y.cols, options))
        check_budget(kernel_ridge_owner, kernel_ridge_memory(static_cast<index>(used.size()), y.cols, options),
                     options.memory_bytes, fmt::format("for a copy of the kernel matrix of {} examples", used.size()));
    const precomputed<double> all(K);
    kernel_ridge_model model = solve(subset<double>(all, used), y, weight, used, options);
    fill_weightless_residuals(model, y, weight, [&](const std::vector<index>& unseen) {
        return model.f.values(select_rows(K, unseen).view());
    });
    return model;
}

matrix<double> predict(const kernel_ridge_model& model, const dataset& x) { return model.f.values(x); }
matrix<double> predict_precomputed(const kernel_ridge_model& model, matrix_view<const double> K) {
    return model.f.values(K);
}

std::vector<double> predict_variance(const kernel_ridge_model& model, const dataset& x, bool noise) {
    if (!model.f.k)
        fail(errc::unsupported,
             "this model was fitted on a precomputed kernel matrix: pass kernel values, not objects");
    require_finite(x);
    if (x.size() == 0) return {};
    const auto K = make_gram<double>(*model.f.k, x, model.f.x);
    return variances(model, x.size(), kernel_diagonal(*model.f.k, x), noise, [&](index first, matrix_view<double> out) {
        K->block(row_set(first, out.rows), row_set(0, out.cols), out);
    });
}

std::vector<double> predict_variance_precomputed(const kernel_ridge_model& model, matrix_view<const double> K,
                                                 std::span<const double> self, bool noise) {
    const index n = static_cast<index>(model.f.rows.size());
    if (K.cols != model.f.training_size && K.cols != n)
        fail(errc::invalid_argument, fmt::format("kernel ridge: kernel values must have {} or {} columns, got {}",
                                                 model.f.training_size, n, K.cols));
    if (static_cast<index>(self.size()) != K.rows)
        fail(errc::invalid_argument,
             fmt::format("kernel ridge: {} rows of kernel values but {} values k(x, x)", K.rows, self.size()));
    require_finite(K, "kernel values");
    const bool all = K.cols == model.f.training_size;
    return variances(model, K.rows, self, noise, [&](index first, matrix_view<double> out) {
        for (index i = 0; i < out.rows; ++i)
            for (index j = 0; j < n; ++j) out(i, j) = K(first + i, all ? model.f.rows[static_cast<std::size_t>(j)] : j);
    });
}

namespace {

// Bytes that conjugate gradients need: the vectors of the iteration, the low-rank factor twice (once scaled, while its
// inner product is formed), and one inner product for each λ.
double cg_bytes(index n, index outputs, index rank, const kernel_ridge_options& o) {
    const double size = static_cast<double>(n), r = static_cast<double>(rank), lambdas = std::ssize(o.output_alphas);
    return 8.0 * (size * (9.0 * static_cast<double>(outputs) + 4 + 2 * r + lambdas) + lambdas * r * r);
}

bool are_alphas_positive(const kernel_ridge_options& o) {
    return o.output_alphas.empty() ? o.alpha > 0 : std::ranges::all_of(o.output_alphas, [](double a) { return a > 0; });
}

// Returns a hash of everything that determines the iteration; a checkpoint with another hash is an error.
std::uint64_t mark_of(const gram<double>& K, const matrix<double>& b, const matrix<double>& ridge,
                      const ridge_cg_options& s, index rank) {
    problem_hash mark;
    mark.add("kernel_ridge").add(static_cast<double>(K.rows())).add(s.tol).add(static_cast<double>(s.max_iter));
    const auto numbers = [](const matrix<double>& all) {
        return std::span<const double>(all.data(), static_cast<std::size_t>(all.rows() * all.cols()));
    };
    return mark.add(static_cast<double>(rank)).add(numbers(ridge)).add(kernel_fingerprint(K)).add(numbers(b)).value();
}

// Returns the rank of the preconditioner, which may use at most a third of the memory budget.
index rank_for(index n, index outputs, const kernel_ridge_options& o) {
    if (o.rank > 0) return std::min(o.rank, n);
    return preconditioner_rank(n, static_cast<double>(o.memory_bytes) / 3 / (16.0 * static_cast<double>(n)) -
                                      5.0 * static_cast<double>(outputs));
}

// Checks that conjugate gradients can solve the problem within the memory budget, and returns the rank of the
// preconditioner.
index checked_rank(index n, index outputs, const kernel_ridge_options& o) {
    if (!are_alphas_positive(o))
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

bool uses_cg(index n, index outputs, const kernel_ridge_options& o) {
    if (o.solver != ridge_solver::automatic) return o.solver == ridge_solver::cg;
    const auto budget = static_cast<double>(o.memory_bytes);
    return !o.loo && !o.variance && are_alphas_positive(o) && kernel_ridge_memory(n, outputs, o) > budget &&
           n >= 1024 && cg_bytes(n, outputs, rank_for(n, outputs, o), o) <= budget;
}

kernel_ridge_model solve_kernel_ridge_by_cg(const gram<double>& K, matrix_view<const double> y,
                                            const std::vector<double>& weight, std::vector<index> used,
                                            const kernel_ridge_options& o) {
    const index n = K.rows(), outputs = y.cols;
    const index rank = checked_rank(n, outputs, o);
    kernel_ridge_model model;
    model.alpha = o.output_alphas.empty() ? o.alpha : o.output_alphas.front();
    model.output_alphas = o.output_alphas;
    const double start = now();
    rp_cholesky_options r;
    r.rank = rank;
    if (o.progress)
        r.progress = [&](index done, double left) {
            report(o.progress, {"preconditioner", done, rank, left}, "kernel ridge");
            return true;
        };
    const random_pivots pivots = rp_cholesky(K, r);
    const matrix_view<const double> factor = pivots.factor.view().block(0, 0, n, std::ssize(pivots.pivots));
    model.seconds_gram = now() - start;
    const std::vector<double> alphas = o.output_alphas.empty() ? std::vector<double>{o.alpha} : o.output_alphas;
    matrix<double> ridge(std::ssize(alphas), n), b(outputs, n);
    for (index i = 0; i < n; ++i) {
        const auto row = static_cast<std::size_t>(used[static_cast<std::size_t>(i)]);
        for (index c = 0; c < ridge.rows(); ++c) ridge(c, i) = alphas[static_cast<std::size_t>(c)] / weight[row];
        for (index c = 0; c < outputs; ++c) b(c, i) = y(static_cast<index>(row), c);
    }
    // Half of K is stored if it fits the budget; otherwise every product computes K again.
    std::optional<half_gram> half;
    if (K.stored().rows < n && half_gram::bytes(n, outputs) <= 0.6 * static_cast<double>(o.memory_bytes))
        half.emplace(K);
    const block_operator multiply = [&](matrix_view<const double> v, matrix_view<double> out) {
        if (half)
            half->multiply(v, out);
        else
            gram_product(K, v, out);
    };
    ridge_cg_options s;
    s.tol = o.tol, s.max_iter = o.max_iter;
    if (o.progress)
        s.progress = [&](index products, double residual) {
            return o.progress({"conjugate gradients", products, 0, residual});
        };
    checkpoint_file keeper(o.checkpoint, mark_of(K, b, ridge, s, factor.cols), nullptr);
    if (auto state = keeper.read()) s.start = std::move(*state);
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
                   "kernel ridge: the coefficients overflow: take a larger alpha, or scale the targets");
    model.f.offset.assign(static_cast<std::size_t>(outputs), 0.0);
    model.f.rows = std::move(used);
    model.f.training_size = y.rows;
    model.seconds_solve = now() - start - model.seconds_gram;
    return model;
}

template <>
struct file_form<kernel_ridge_model> {
    static constexpr std::string_view format = "mercer-kernel-ridge-model";
    // Version 1 has no status and residual. Version 2 has one status and residual for all outputs together or, if each
    // output has its own λ, those of the first output.
    static constexpr int version = 3;

    static void parts(auto& a, auto& m) {
        a.numbers(m.alpha);
        a.check(m.alpha >= 0 && std::isfinite(m.alpha), "alpha is {}", m.alpha);
        a.part(m.f);
        if (a.version() > 1) {
            a.status(m.status);
            a.numbers(m.residual);
        }
        if (a.version() > 2) {
            a.list("output_alphas", m.output_alphas, m.f.functions());
            a.list("residuals", m.residuals, m.f.functions());
            a.numbers(m.tol);
            for (const std::vector<double>* each : {&m.output_alphas, &m.residuals})
                a.check(each->empty() || std::ssize(*each) == m.f.functions(), "{} numbers, but {} outputs",
                        each->size(), m.f.functions());
        }
        if (a.flag("loo", m.loo.rows() > 0)) a.table(m.loo, m.f.training_size, m.f.functions());
        if (!a.flag("factor", m.factor.rows() > 0)) return;
        a.upper_triangle(m.factor, m.f.size());
        for (index i = 0; i < m.f.size(); ++i)
            a.check(m.factor(i, i) > 0, "pivot {} of the factor is {}", i, m.factor(i, i));
    }
};
template struct model_file<kernel_ridge_model>;

namespace api {
namespace {

class kernel_ridge_estimator final : public path_estimator<kernel_ridge_model> {
public:
    using path_estimator::path_estimator;
    matrix<double> decide(const examples& x) const override {
        return x.visit([&](const dataset& some) { return mercer::predict(m_, some); },
                       [&](const auto& K) { return predict_precomputed(m_, K); });
    }
    columns details(const examples& x) const override {
        if (m_.factor.rows() == 0)
            fail(errc::unsupported, "the model was fitted without variance: fit it again with variance=true");
        return {as_column(predict_variance(m_, x.objects())), {"variance"}};
    }
    summary summarise() const override {
        summary out;
        if (m_.output_alphas.empty())
            out.add("alpha", m_.alpha);
        else
            out.add("output_alphas", m_.output_alphas);
        out.add("training_size", m_.f.size());
        if (m_.residual > 0 || !m_.residuals.empty() || m_.status != fit_status::converged)
            out.add({{"status", name(m_.status)}, {"residual", m_.residual}, {"products", m_.refinements}});
        if (m_.residuals.size() > 1) {
            std::vector<std::string> ends;
            for (index c = 0; c < m_.f.functions(); ++c) ends.emplace_back(name(m_.output_status(c)));
            out.add({{"output_status", ends}, {"output_residuals", m_.residuals}});
        }
        if (m_.loo.rows() > 0) {  // mean over examples and outputs
            double sum = 0;
            for (index i = 0; i < m_.loo.rows(); ++i)
                for (index c = 0; c < m_.loo.cols(); ++c) sum += m_.loo(i, c) * m_.loo(i, c);
            out.add("loo_mean_squared_error", sum / static_cast<double>(m_.loo.rows() * m_.loo.cols()));
        }
        out.add(path_.found);
        return out;
    }
    std::string warning() const override {
        std::string out = fit_warning(m_.status, "max_iter, or take a larger tol");
        if (out.empty() || m_.residuals.size() < 2) return out;
        std::vector<index> unsolved;
        for (index c = 0; c < m_.f.functions(); ++c)
            if (!is_optimal(m_.output_status(c))) unsolved.push_back(c + 1);
        return fmt::format("target{} {}: {}", unsolved.size() > 1 ? "s" : "", fmt::join(unsolved, ", "), out);
    }
    part_value part(std::string_view name) const override {
        if (name == "loo") return m_.loo;
        if (name == "residuals") return m_.residuals;
        return path_estimator::part(name);
    }
};

estimator_ptr make_kernel_ridge(const kernel_ridge& m, const fit_call& t) {
    auto o = t.common<kernel_ridge_options>();
    o.loo = m.loo;
    o.variance = m.variance;
    o.output_alphas = m.output_alphas;
    o.solver = m.solver == "direct" ? ridge_solver::direct
               : m.solver == "cg"   ? ridge_solver::cg
                                    : ridge_solver::automatic;
    o.tol = m.tol;
    o.max_iter = m.max_iter;
    const auto fit_one = [&](double alpha) {
        o.alpha = alpha;
        return t.x.visit([&](const dataset& x) { return fit_kernel_ridge(*t.k, x, t.y, o); },
                         [&](const auto& K) { return fit_kernel_ridge_precomputed(K, t.y, o); });
    };
    if (m.alphas.empty()) return t.made<kernel_ridge_estimator>(fit_one(m.alpha));
    auto several = t.common<ridge_path_options>();
    several.alphas = m.alphas;
    several.score = m.score == "loo" ? ridge_score::loo : ridge_score::gcv;
    kernel_ridge_path path =
        t.x.visit([&](const dataset& x) { return fit_kernel_ridge_path(*t.k, x, t.y, several); },
                  [&](const auto& K) { return fit_kernel_ridge_path_precomputed(K, t.y, several); });
    // A path has neither leave-one-out residuals nor a factor, so the model with the chosen λ is fitted again if they
    // are wanted.
    if (o.loo || o.variance) path.model = fit_one(path.model.alpha);
    return t.made<kernel_ridge_estimator>(std::move(path.model), summarise_path(path, m.score));
}

}  // namespace

method kernel_ridge_method() { return entry<kernel_ridge, kernel_ridge_estimator>(make_kernel_ridge); }

}  // namespace api

}  // namespace mercer
